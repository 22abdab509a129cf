package import Telemetry

extension TownIndex: AnswerSource {
    /// How far a town may be to name a point by it, in metres.
    package static var reach: Double { 50_000 }

    package var attribution: String { file.info["attribution"] ?? "" }

    package var finestLevel: AnswerLevel { .place }

    /// The nearest town with its region, country and zone; nil when none lies within 50 km.
    ///
    /// The nearest always wins, however small. Many of the source's towns are parts of a city, and it does not say
    /// which; so a large town of the same region is named as well where the point lies within its reach: at least
    /// 100 000 inhabitants, ten times as many as the nearest, and the point inside the circle that they fill at 2500
    /// to the square kilometre. The nearest is then the district, the large one the town.
    ///
    /// - Parameters:
    ///   - point: the place asked for.
    ///   - language: BCP 47 tag of the wanted language.
    ///   - level: `region` or `country` leaves out what is finer.
    /// - Returns: an answer of level `place`, or of the coarser one asked for.
    /// - Throws: `GazetteerError` of kind `damaged`.
    package func answer(
        at point: Coordinate,
        language: String,
        level: AnswerLevel
    ) throws(GazetteerError) -> GazetteerAnswer? {
        guard let (reference, distance) = try nearest(to: point, within: TownIndex.reach) else { return nil }
        let block = try TownBlock(self, cell: reference.cell)
        let (region, population, record) = try block.record(reference.row)
        let place = block.coordinate(reference.row)
        let (name, nameLanguage) = try names.name(record, language: language)
        var answer = GazetteerAnswer(
            level: max(level, .place),
            distance: distance,
            bearing: place.bearing(to: point),
            point: place,
            attribution: attribution
        )
        try fill(&answer, region: region, language: language)
        if answer.level == .place {
            answer.nameLanguage = nameLanguage
            answer.population = population > 0 ? population : nil
            answer.town = name
            if let city = try city(over: point, region: region, population: population, language: language),
                city != name
            {
                answer.town = city
                answer.district = name
            }
        } else if answer.level == .country {
            answer.region = nil
        }
        answer.line = PlaceLine(language: language).line(answer)
        return answer
    }

    /// Sets the region, the country and the zone.
    private func fill(_ answer: inout GazetteerAnswer, region number: Int, language: String) throws(GazetteerError) {
        let region = try regions[number]
        var offset = 4
        let (regionName, regionLanguage) = try names.name(
            NameRecord(in: region, at: &offset),
            language: language
        )
        let country = try countries[Int(try region.load(UInt16.self, at: 0))]
        var countryOffset = 2
        let (countryName, countryLanguage) = try names.name(
            NameRecord(in: country, at: &countryOffset),
            language: language
        )
        answer.region = regionName.isEmpty ? nil : regionName
        answer.country = countryName
        answer.countryCode = try country.slice(0, 2).text
        answer.timeZone = try zones[Int(try region.load(UInt16.self, at: 2))].text
        answer.nameLanguage = answer.level == .region ? regionLanguage : countryLanguage
    }

    /// The most populous large town whose reach covers the point, of the same region.
    private func city(
        over point: Coordinate,
        region: Int,
        population: Int,
        language: String
    ) throws(GazetteerError) -> String? {
        let rowSize = 20
        // Widest reach of all: 70 km, more than any city of the world fills at that density.
        let band = Int32(6_300_000)
        var (low, high) = (0, large.count / rowSize)
        while low < high {
            let middle = (low + high) / 2
            let latitude = try large.load(Int32.self, at: middle * rowSize)
            if latitude < point.latitudeE7 - band { low = middle + 1 } else { high = middle }
        }
        var best: (population: Int, cell: Int, row: Int)?
        var row = low
        while row < large.count / rowSize {
            defer { row += 1 }
            let place = Coordinate(
                latitudeE7: try large.load(Int32.self, at: row * rowSize),
                longitudeE7: try large.load(Int32.self, at: row * rowSize + 4)
            )
            guard place.latitudeE7 <= point.latitudeE7 + band else { break }
            guard Int(try large.load(UInt16.self, at: row * rowSize + 18)) == region else { continue }
            let inhabitants = Int(try large.load(UInt32.self, at: row * rowSize + 8))
            guard inhabitants >= 10 * population, inhabitants > best?.population ?? 0 else { continue }
            let reach = (Double(inhabitants) / 2500 / .pi).squareRoot() * 1000
            guard point.distance(to: place) <= reach else { continue }
            best = (
                inhabitants, Int(try large.load(UInt32.self, at: row * rowSize + 12)),
                Int(try large.load(UInt16.self, at: row * rowSize + 16))
            )
        }
        guard let best else { return nil }
        let cell = try firstCell(notBelow: best.cell)
        let record = try TownBlock(self, cell: cell).record(best.row).names
        return try names.name(record, language: language).text
    }

    /// The zone of a country that has only one; nil for others and for unknown codes.
    func onlyZone(ofCountry code: String) throws(GazetteerError) -> String? {
        var found: Int?
        for number in 0..<regions.count {
            let region = try regions[number]
            let country = try countries[Int(try region.load(UInt16.self, at: 0))]
            guard try country.slice(0, 2).text == code else { continue }
            let zone = Int(try region.load(UInt16.self, at: 2))
            guard found == nil || found == zone else { return nil }
            found = zone
        }
        return try found.map { zone throws(GazetteerError) in try zones[zone].text }
    }

    /// The name of a country by its code, and the language found.
    func countryName(_ code: String, language: String) throws(GazetteerError) -> (text: String, language: String?)? {
        for number in 0..<countries.count {
            let country = try countries[number]
            guard try country.slice(0, 2).text == code else { continue }
            var offset = 2
            return try names.name(NameRecord(in: country, at: &offset), language: language)
        }
        return nil
    }
}

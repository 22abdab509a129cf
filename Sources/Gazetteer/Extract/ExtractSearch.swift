package import Telemetry

/// Something that a search by name found.
package struct SearchResult: Sendable, Hashable {
    package var level: AnswerLevel
    /// One line, as a lookup would give it.
    package var line: String
    package var point: Coordinate
}

extension ExtractIndex {
    /// Finds houses, streets and settlements by their names.
    ///
    /// Every word of the question must begin a word of the name, in any language kept, whatever its case and accents;
    /// a word with a digit, first or last, is taken for a house number as well. A name that is the question comes
    /// first, then names that begin with it.
    ///
    /// - Parameters:
    ///   - question: what a person types, such as `aleksanterinkatu 52`.
    ///   - language: BCP 47 tag of the wanted language of the lines.
    ///   - limit: how many results at most.
    /// - Returns: the best first.
    /// - Throws: `GazetteerError` of kind `damaged`.
    /// - Complexity: looks through all names, and through all addresses when a number is asked for: some 50 ms for
    ///   ten million addresses.
    package func search(
        _ question: String,
        language: String,
        limit: Int = 20
    ) throws(GazetteerError) -> [SearchResult] {
        let words = FoldedText.words(question)
        guard !words.isEmpty else { return [] }
        var results: [(rank: Int, result: SearchResult)] = []
        func add(_ found: [(Int, SearchResult)], better: Int) {
            for (rank, result) in found { results.append((rank * 2 + better, result)) }
        }
        for (name, number) in ExtractIndex.readings(question) {
            let ranks = try names(matching: name)
            guard !ranks.isEmpty else { continue }
            if let number {
                add(try houses(ranks, number: number, language: language, limit: limit), better: 0)
            } else {
                add(try streetsAndPlaces(ranks, language: language), better: 1)
            }
        }
        results.sort { ($0.rank, $0.result.line, $0.result.point) < ($1.rank, $1.result.line, $1.result.point) }
        var seen: Set<String> = []
        return results.map(\.result).filter { seen.insert($0.line).inserted }.prefix(limit).map { $0 }
    }

    /// The ways to read a question: all of it a name; the first or the last part with a digit a number.
    private static func readings(_ question: String) -> [(name: [String], number: String?)] {
        let parts = question.split { $0.isWhitespace || $0 == "," }.map(String.init)
        var readings: [(name: [String], number: String?)] = [(FoldedText.words(question), nil)]
        func take(_ part: String, _ rest: some Sequence<String>) {
            let name = FoldedText.words(rest.joined(separator: " "))
            guard part.contains(where: \.isNumber), !name.isEmpty else { return }
            readings.append((name, FoldedText.words(part).joined()))
        }
        if parts.count > 1 {
            take(parts[parts.count - 1], parts.dropLast())
            take(parts[0], parts.dropFirst())
        }
        return readings
    }

    /// Numbers of the names that match, with how well: 0 the same, 1 begins so, 2 has such words.
    private func names(matching words: [String]) throws(GazetteerError) -> [Int: Int] {
        let whole = words.joined(separator: " ")
        var ranks: [Int: Int] = [:]
        for number in 1..<max(names.count, 1) {
            let record = try names[number]
            var offset = 0
            var best: Int?
            while offset < record.count {
                if offset > 0 { offset += 1 }  // the language
                let length = try record.varint(at: &offset)
                let text = try record.slice(offset, length).text
                offset += length
                let folded = FoldedText.words(text)
                guard words.allSatisfy({ word in folded.contains { $0.hasPrefix(word) } }) else { continue }
                let joined = folded.joined(separator: " ")
                best = min(best ?? 2, joined == whole ? 0 : joined.hasPrefix(whole) ? 1 : 2)
            }
            if let best { ranks[number] = best }
        }
        return ranks
    }

    private func houses(
        _ ranks: [Int: Int],
        number wanted: String,
        language: String,
        limit: Int
    ) throws(GazetteerError) -> [(Int, SearchResult)] {
        var streetRanks: [Int: Int] = [:]
        for number in 0..<(streets.count / 20) {
            if let rank = ranks[try street(number).name] { streetRanks[number] = rank }
        }
        guard !streetRanks.isEmpty else { return [] }
        var found: [(Int, SearchResult)] = []
        for rank in 0..<layers.addresses.cellCount where found.count < limit * 10 {
            let block = try AddressBlock(layers.addresses.block(rank), key: layers.addresses.key(rank))
            try block.forEachRow { row, street, number throws(GazetteerError) in
                guard let rank = streetRanks[street], FoldedText.words(number.text).joined() == wanted else { return }
                let house = FoundHouse(
                    street: street,
                    number: number.text,
                    distance: 0,
                    point: block.coordinate(row),
                    way: .nearestPoint
                )
                let answer = try answer(house: house, .house, at: house.point, language: language)
                found.append((rank, SearchResult(level: .house, line: answer.line, point: house.point)))
            }
        }
        return found
    }

    private func streetsAndPlaces(
        _ ranks: [Int: Int],
        language: String
    ) throws(GazetteerError) -> [(Int, SearchResult)] {
        var found: [(Int, SearchResult)] = []
        for row in 0..<(settlements.count / 16) {
            let name = Int(try settlements.load(UInt32.self, at: row * 16 + 8))
            guard let rank = ranks[name], let text = try self.name(name, language: language)?.text else { continue }
            let place = Coordinate(
                latitudeE7: try settlements.load(Int32.self, at: row * 16),
                longitudeE7: try settlements.load(Int32.self, at: row * 16 + 4)
            )
            guard place.isValid else { throw Bytes.damage }
            found.append((rank, SearchResult(level: .place, line: text, point: place)))
        }
        for number in 0..<(streets.count / 20) {
            guard let rank = ranks[try street(number).name] else { continue }
            let place = Coordinate(
                latitudeE7: try streets.load(Int32.self, at: number * 20 + 12),
                longitudeE7: try streets.load(Int32.self, at: number * 20 + 16)
            )
            guard place.isValid else { throw Bytes.damage }
            let answer = try answer(
                for: RuleResult(choice: .street(FoundStreet(street: number, distance: 0))),
                at: place,
                language: language,
                level: .street
            )
            if let answer { found.append((rank, SearchResult(level: .street, line: answer.line, point: place))) }
        }
        return found
    }
}

/// Texts as a search compares them: lower case, letters without their accents, words only.
enum FoldedText {
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.lowercased().unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                if let base = bases[scalar] { word += base } else { word.unicodeScalars.append(scalar) }
            } else if scalar.properties.generalCategory == .nonspacingMark || scalar == "'" || scalar == "’" {
                continue
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// Letters with accents by their base.
    private static let bases: [Unicode.Scalar: String] = {
        let groups: [(String, String)] = [
            ("a", "àáâãäåāăąǎạảấầẩẫậắằẳẵặ"), ("ae", "æ"), ("c", "çćĉċč"), ("d", "ďđð"), ("e", "èéêëēĕėęěẹẻẽếềểễệ"),
            ("g", "ĝğġģ"), ("h", "ĥħ"), ("i", "ìíîïĩīĭįıịỉ"), ("j", "ĵ"), ("k", "ķ"), ("l", "ĺļľŀł"), ("n", "ñńņňŋ"),
            ("o", "òóôõöøōŏőơọỏốồổỗộớờởỡợ"), ("oe", "œ"), ("r", "ŕŗř"), ("s", "śŝşšș"), ("ss", "ß"), ("t", "ţťŧțþ"),
            ("u", "ùúûüũūŭůűųưụủứừửữự"), ("w", "ŵ"), ("y", "ýÿŷỳỵỷỹ"), ("z", "źżž"), ("е", "ё"), ("и", "й"),
        ]
        var bases: [Unicode.Scalar: String] = [:]
        for (base, letters) in groups {
            for letter in letters.unicodeScalars { bases[letter] = base }
        }
        return bases
    }()
}

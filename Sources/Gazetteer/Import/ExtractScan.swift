import Telemetry

/// What an import takes from an extract, in three passes over the file: relations, ways, nodes.
///
/// Memory grows with the objects taken and with the nodes that their outlines need (20 bytes each), not with the file:
/// blobs are unpacked one at a time, and only those that hold what the pass wants.
struct ExtractScan {
    /// The address tags of one object, by number in `strings` (0 for none).
    struct AddressTags {
        var number: String
        var street: UInt32
        var isPlace: Bool
        var city: UInt32
        var postcode: UInt32
        var suburb: UInt32
        var country: UInt32
    }

    struct AddressNode {
        var id: Int64
        var place: Coordinate
        var tags: AddressTags
    }

    /// A part of `nodes`.
    struct Way {
        var id: Int64
        var nodes: Range<Int>
    }

    struct AddressWay {
        var way: Way
        /// Further ways of a multipolygon; empty for a single way.
        var members: [Int64]
        var relation: Int64
        var tags: AddressTags
    }

    struct StreetWay {
        var way: Way
        var name: UInt32
        /// Only a number such as M-5 is known, as on motorways.
        var isReference: Bool
    }

    struct InterpolationWay {
        var way: Way
        var type: String
        var street: UInt32
    }

    /// An administrative area or the outline of a settlement.
    struct Area {
        var name: PlaceName
        /// admin_level, 0 for a settlement.
        var level: Int
        var settlement: SettlementKind?
        var countryCode: String?
        var ways: [Int64]
        var way: Way?
    }

    struct Settlement {
        var place: Coordinate
        var name: PlaceName
        var kind: SettlementKind
    }

    let languages: [String]
    private let vocabulary: TagVocabulary
    var strings = StringPool()
    var streetNames = StreetNames()
    var nodes: [Int64] = []
    var addressNodes: [AddressNode] = []
    var addressWays: [AddressWay] = []
    var buildings: [Way] = []
    var streets: [StreetWay] = []
    var interpolations: [InterpolationWay] = []
    var areas: [Area] = []
    var settlements: [Settlement] = []
    /// Ways that relations are made of, by id.
    var memberWays: [Int64: Way] = [:]
    /// Street by node or way id of the houses of associatedStreet and street relations.
    private var streetOfNode: [Int64: UInt32] = [:]
    private var streetOfWay: [Int64: UInt32] = [:]
    private var wantedMembers: Set<Int64> = []
    /// House numbers of the nodes at which interpolation lines end.
    var numberOfNode: [Int64: AddressTags] = [:]
    var locations = NodeLocations()
    var dataTime = Timestamp(seconds: 0)
    var counts = ImportCounts()

    init(languages: [String]) {
        self.languages = languages
        vocabulary = TagVocabulary(languages: languages)
    }

    /// Reads a file.
    ///
    /// - Throws: `GazetteerError`.
    mutating func read(path: String) throws(GazetteerError) {
        let file = try PBFFile(path: path)
        var (withNodes, withWays): ([PBFFile.Blob], [PBFFile.Blob]) = ([], [])
        for blob in try file.blobs() {
            let content = try file.content(of: blob)
            if blob.isHeader {
                try readHeader(content, path)
                continue
            }
            let kinds = try BlockKinds(ofBlock: content)
            if kinds.contains(.nodes) { withNodes.append(blob) }
            if kinds.contains(.ways) { withWays.append(blob) }
            guard kinds.contains(.relations) else { continue }
            let block = try OSMBlock(content, vocabulary: vocabulary)
            block.forEachRelation { id, members, tags in take(relation: id, members, tags, block) }
        }
        for blob in withWays {
            let block = try OSMBlock(file.content(of: blob), vocabulary: vocabulary)
            block.forEachWay { id, nodes, tags in take(way: id, nodes, tags, block) }
        }
        locations = NodeLocations(wanted: nodes)
        let ends = Set(interpolations.flatMap { nodes[$0.way.nodes] })
        for blob in withNodes {
            let block = try OSMBlock(file.content(of: blob), vocabulary: vocabulary)
            try block.forEachNode { id, north, east, tags in
                let place = Coordinate(latitudeE7: north, longitudeE7: east)
                locations.set(id, place)
                if !tags.isEmpty { take(node: id, place, tags, block, isEnd: ends.contains(id)) }
            }
        }
    }

    private mutating func readHeader(_ content: [UInt8], _ path: String) throws(GazetteerError) {
        let header = try PBFHeader(content)
        for feature in header.requiredFeatures where !["OsmSchema-V0.6", "DenseNodes"].contains(feature) {
            throw GazetteerError(kind: .foreign, message: "\(path) needs the feature \(feature), which is not known")
        }
        dataTime = Timestamp(seconds: header.replicationTime ?? 0)
    }

    // MARK: Relations

    private mutating func take(
        relation id: Int64,
        _ members: [OSMBlock.Member],
        _ tags: borrowing Tags,
        _ block: borrowing OSMBlock
    ) {
        switch tags.value(.type, in: block) {
        case "associatedStreet", "street":
            guard let name = tags.name(in: block) else { return }
            let street = streetNames.intern(name)
            for member in members where ["house", "addr:houselink", "address"].contains(member.role) {
                if member.isNode {
                    streetOfNode[member.id] = street
                } else if member.isWay {
                    streetOfWay[member.id] = street
                }
            }
        case "multipolygon", "boundary":
            let ways = members.filter { $0.isWay }.map(\.id)
            guard !ways.isEmpty else { return }
            if let address = addressTags(tags, block, street: nil) {
                let way = Way(id: id, nodes: 0..<0)
                addressWays.append(AddressWay(way: way, members: ways, relation: id, tags: address))
                wantedMembers.formUnion(ways)
            }
            if var area = area(tags, block) {
                area.ways = ways
                areas.append(area)
                wantedMembers.formUnion(ways)
            }
        default: return
        }
    }

    private func area(_ tags: borrowing Tags, _ block: borrowing OSMBlock) -> Area? {
        let isAdministrative = tags.value(.boundary, in: block) == "administrative"
        let settlement = tags.value(.place, in: block).flatMap(SettlementKind.init(tag:))
        let level = isAdministrative ? tags.value(.adminLevel, in: block).flatMap { Int($0) } ?? 0 : 0
        guard (2...11).contains(level) || settlement != nil, let name = tags.name(in: block) else { return nil }
        return Area(
            name: name,
            level: level,
            settlement: settlement,
            countryCode: level == 2 ? tags.value(.countryCode, in: block) : nil,
            ways: []
        )
    }

    // MARK: Ways

    private mutating func keep(_ id: Int64, _ refs: [Int64]) -> Way {
        let start = nodes.count
        nodes.append(contentsOf: refs)
        return Way(id: id, nodes: start..<nodes.count)
    }

    private mutating func take(way id: Int64, _ refs: [Int64], _ tags: borrowing Tags, _ block: borrowing OSMBlock) {
        let isMember = wantedMembers.contains(id)
        guard refs.count > 1, isMember || !tags.isEmpty else { return }
        var kept: Way?
        if isMember {
            let way = keep(id, refs)
            memberWays[id] = way
            kept = way
        }
        guard !tags.isEmpty else { return }
        if let type = tags.value(.interpolation, in: block) {
            let way = kept ?? keep(id, refs)
            let street = tags.value(.street, in: block).map { streetNames.intern(PlaceName(own: $0)) }
            interpolations.append(InterpolationWay(way: way, type: type, street: street ?? streetOfWay[id] ?? 0))
            return
        }
        if let address = addressTags(tags, block, street: streetOfWay[id]) {
            let way = kept ?? keep(id, refs)
            addressWays.append(AddressWay(way: way, members: [], relation: 0, tags: address))
            counts.addressWays += 1
        } else if tags.has(.building), refs.first == refs.last {
            buildings.append(kept ?? keep(id, refs))
        }
        if let highway = tags.value(.highway, in: block), HighwayClass.carriesVehicles(highway) {
            let isClosedArea = tags.value(.area, in: block) == "yes"
            if !isClosedArea, let name = tags.name(in: block) {
                let street = streetNames.intern(name)
                streets.append(StreetWay(way: kept ?? keep(id, refs), name: street, isReference: false))
                counts.streetWays += 1
            } else if !isClosedArea, HighwayClass.isKnownByNumber(highway),
                let reference = tags.value(.reference, in: block)
            {
                let street = streetNames.intern(PlaceName(own: reference))
                streets.append(StreetWay(way: kept ?? keep(id, refs), name: street, isReference: true))
            }
        }
        if refs.first == refs.last, var area = area(tags, block) {
            area.way = kept ?? keep(id, refs)
            areas.append(area)
        }
    }

    private mutating func addressTags(
        _ tags: borrowing Tags,
        _ block: borrowing OSMBlock,
        street related: UInt32?
    ) -> AddressTags? {
        let conscription = tags.value(.conscription, in: block)
        guard let number = tags.value(.houseNumber, in: block) ?? conscription else { return nil }
        var (street, isPlace) = (related ?? 0, false)
        if let name = tags.value(.street, in: block) {
            street = streetNames.intern(PlaceName(own: name))
        } else if street == 0, let name = tags.value(.streetPlace, in: block) {
            (street, isPlace) = (streetNames.intern(PlaceName(own: name)), true)
        } else if street == 0, let name = tags.value(.neighbourhood, in: block) {
            let blockNumber = tags.value(.blockNumber, in: block).map { " \($0)" } ?? ""
            (street, isPlace) = (streetNames.intern(PlaceName(own: name + blockNumber)), true)
        }
        return AddressTags(
            number: number.count > 60 ? String(number.prefix(60)) : number,
            street: street,
            isPlace: isPlace,
            city: strings.intern(tags.value(.city, in: block)),
            postcode: strings.intern(tags.value(.postcode, in: block)),
            suburb: strings.intern(tags.value(.suburb, in: block)),
            country: strings.intern(tags.value(.country, in: block))
        )
    }

    // MARK: Nodes

    private mutating func take(
        node id: Int64,
        _ place: Coordinate,
        _ tags: borrowing Tags,
        _ block: borrowing OSMBlock,
        isEnd: Bool
    ) {
        if let address = addressTags(tags, block, street: streetOfNode[id]) {
            addressNodes.append(AddressNode(id: id, place: place, tags: address))
            counts.addressNodes += 1
            if isEnd { numberOfNode[id] = address }
        }
        if let kind = tags.value(.place, in: block).flatMap(SettlementKind.init(tag:)), let name = tags.name(in: block)
        {
            settlements.append(Settlement(place: place, name: name, kind: kind))
        }
    }
}

/// What an import has seen.
package struct ImportCounts: Hashable, Sendable {
    package var addressNodes = 0
    package var addressWays = 0
    package var addressRelations = 0
    package var outlines = 0
    package var streetWays = 0
    package var streetSegments = 0
    package var interpolationLines = 0
    package var settlements = 0
    package var areas = 0
    /// Areas whose ring does not close within the extract.
    package var brokenAreas = 0
    package var addresses: Int { addressNodes + addressWays + addressRelations }
}

/// Kinds of settlements and parts of them, with how far from its point one may name a place.
enum SettlementKind: UInt8 {
    case city = 1
    case town, village, hamlet, suburb, quarter, neighbourhood, isolatedDwelling

    init?(tag: String) {
        switch tag {
        case "city": self = .city
        case "town": self = .town
        case "village": self = .village
        case "hamlet": self = .hamlet
        case "suburb": self = .suburb
        case "quarter": self = .quarter
        case "neighbourhood": self = .neighbourhood
        case "isolated_dwelling": self = .isolatedDwelling
        default: return nil
        }
    }

    /// Whether it is a part of a settlement.
    var isDistrict: Bool { self == .suburb || self == .quarter || self == .neighbourhood }

    /// In metres.
    var reach: Double {
        switch self {
        case .city: 15_000
        case .town: 4_000
        case .village: 2_000
        case .hamlet, .suburb: 1_000
        case .quarter: 700
        case .neighbourhood, .isolatedDwelling: 500
        }
    }
}

/// Which ways a vehicle can be on.
enum HighwayClass {
    static func carriesVehicles(_ tag: String) -> Bool {
        switch tag {
        case "footway", "path", "steps", "cycleway", "bridleway", "corridor", "platform", "proposed", "construction",
            "elevator", "via_ferrata", "raceway", "rest_area", "services":
            false
        default: true
        }
    }

    static func isKnownByNumber(_ tag: String) -> Bool {
        tag == "motorway" || tag == "trunk" || tag == "primary" || tag == "secondary"
    }
}

/// Each text once; 0 stands for none.
struct StringPool {
    private(set) var texts: [String] = [""]
    private var numbers: [String: UInt32] = [:]

    mutating func intern(_ text: String?) -> UInt32 {
        guard let text, !text.isEmpty else { return 0 }
        if let number = numbers[text] { return number }
        let number = UInt32(texts.count)
        texts.append(text)
        numbers[text] = number
        return number
    }

    subscript(number: UInt32) -> String { texts[Int(number)] }
}

/// Each street name once, its translations joined from all ways that bear it; 0 stands for none.
struct StreetNames {
    private(set) var names: [PlaceName] = [PlaceName(own: "")]
    private var numbers: [String: UInt32] = [:]

    mutating func intern(_ name: PlaceName) -> UInt32 {
        guard let number = numbers[name.own] else {
            let number = UInt32(names.count)
            names.append(name)
            numbers[name.own] = number
            return number
        }
        for other in name.others where !names[Int(number)].others.contains(where: { $0.language == other.language }) {
            names[Int(number)].others.append(other)
            names[Int(number)].others.sort { $0.language < $1.language }
        }
        return number
    }
}

/// Places of the nodes that ways need, by id.
struct NodeLocations {
    private var ids: [Int64] = []
    private var places: [Coordinate] = []
    private var isKnown: [Bool] = []
    private var cursor = 0

    init() {}

    init(wanted: [Int64]) {
        var sorted = wanted
        sorted.sort()
        ids.reserveCapacity(sorted.count)
        for id in sorted where id != ids.last { ids.append(id) }
        places = Array(repeating: Coordinate(latitudeE7: 0, longitudeE7: 0), count: ids.count)
        isKnown = Array(repeating: false, count: ids.count)
    }

    /// Remembers a place if the node is wanted; quick when ids come in order, as they do in published extracts.
    mutating func set(_ id: Int64, _ place: Coordinate) {
        if cursor > 0, cursor <= ids.count, ids[cursor - 1] >= id { cursor = rank(of: id) }
        while cursor < ids.count, ids[cursor] < id { cursor += 1 }
        guard cursor < ids.count, ids[cursor] == id else { return }
        places[cursor] = place
        isKnown[cursor] = true
    }

    subscript(id: Int64) -> Coordinate? {
        let rank = rank(of: id)
        return rank < ids.count && ids[rank] == id && isKnown[rank] ? places[rank] : nil
    }

    private func rank(of id: Int64) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

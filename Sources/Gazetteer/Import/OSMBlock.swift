import CProtobufC
import MapMessages

/// Owns one unpacked block; lends its objects.
struct OSMBlock: ~Copyable {
    private let block: UnsafeMutablePointer<OsmPbf__PrimitiveBlock>
    /// For each string of the block's table, the key it is, if it is one that the import knows.
    private let keys: [TagKey?]

    init(_ bytes: [UInt8], vocabulary: TagVocabulary) throws(GazetteerError) {
        guard let block = osm_pbf__primitive_block__unpack(nil, bytes.count, bytes) else { throw OSMBlock.damage }
        self.block = block
        let table = block.pointee.stringtable.pointee
        keys = (0..<table.n_s).map {
            vocabulary.key(UnsafeBufferPointer(start: table.s[$0].data, count: table.s[$0].len))
        }
    }

    deinit { osm_pbf__primitive_block__free_unpacked(block, nil) }

    static var damage: GazetteerError {
        GazetteerError(kind: .damaged, message: "a block of the extract contradicts itself")
    }

    /// A string of the table; whatever is no UTF-8 becomes U+FFFD.
    func string(_ number: Int) -> String {
        guard number >= 0, number < keys.count else { return "" }
        let entry = block.pointee.stringtable.pointee.s[number]
        return String(decoding: UnsafeBufferPointer(start: entry.data, count: entry.len), as: UTF8.self)
    }

    private func collect(_ tags: inout Tags, key: Int, value: Int) {
        guard key >= 0, key < keys.count, let known = keys[key] else { return }
        tags.pairs.append((known, value))
    }

    private func tags(
        _ count: Int,
        _ keys: UnsafePointer<UInt32>?,
        _ values: UnsafePointer<UInt32>?,
        _ tags: inout Tags
    ) {
        tags.pairs.removeAll(keepingCapacity: true)
        guard let keys, let values else { return }
        for number in 0..<count { collect(&tags, key: Int(keys[number]), value: Int(values[number])) }
    }

    private func e7(_ value: Int64, _ offset: Int64) -> Int64 {
        (offset &+ Int64(block.pointee.granularity) &* value) / 100
    }

    private func place(_ latitude: Int64, _ longitude: Int64) -> (Int32, Int32)? {
        let north = e7(latitude, block.pointee.lat_offset)
        let east = e7(longitude, block.pointee.lon_offset)
        guard north.magnitude <= 900_000_000, east.magnitude <= 1_800_000_000 else { return nil }
        return (Int32(north), Int32(east))
    }

    /// Calls the body with id, latitude and longitude in 1e-7 degrees, and the known tags of each node.
    func forEachNode(_ body: (Int64, Int32, Int32, borrowing Tags) -> Void) throws(GazetteerError) {
        var tags = Tags()
        for number in 0..<block.pointee.n_primitivegroup {
            guard let group = block.pointee.primitivegroup[number] else { continue }
            for index in 0..<group.pointee.n_nodes {
                guard let node = group.pointee.nodes[index]?.pointee, let (north, east) = place(node.lat, node.lon)
                else { continue }
                self.tags(min(node.n_keys, node.n_vals), node.keys, node.vals, &tags)
                body(node.id, north, east, tags)
            }
            guard let dense = group.pointee.dense?.pointee else { continue }
            guard dense.n_id == dense.n_lat, dense.n_id == dense.n_lon else { throw OSMBlock.damage }
            var (id, latitude, longitude, tag) = (Int64(0), Int64(0), Int64(0), 0)
            for index in 0..<dense.n_id {
                id &+= dense.id[index]
                latitude &+= dense.lat[index]
                longitude &+= dense.lon[index]
                tags.pairs.removeAll(keepingCapacity: true)
                while tag < dense.n_keys_vals, dense.keys_vals[tag] != 0 {
                    guard tag + 1 < dense.n_keys_vals else { throw OSMBlock.damage }
                    collect(&tags, key: Int(dense.keys_vals[tag]), value: Int(dense.keys_vals[tag + 1]))
                    tag += 2
                }
                tag += 1
                guard let (north, east) = place(latitude, longitude) else { continue }
                body(id, north, east, tags)
            }
        }
    }

    /// Calls the body with id, node ids and known tags of each way.
    func forEachWay(_ body: (Int64, [Int64], borrowing Tags) -> Void) {
        var tags = Tags()
        for number in 0..<block.pointee.n_primitivegroup {
            guard let group = block.pointee.primitivegroup[number] else { continue }
            for index in 0..<group.pointee.n_ways {
                guard let way = group.pointee.ways[index]?.pointee else { continue }
                self.tags(min(way.n_keys, way.n_vals), way.keys, way.vals, &tags)
                var node = Int64(0)
                let nodes = (0..<way.n_refs).map { index in
                    node &+= way.refs[index]
                    return node
                }
                body(way.id, nodes, tags)
            }
        }
    }

    /// A member of a relation: role, id, and what it is.
    struct Member {
        var id: Int64
        var isWay: Bool
        var isNode: Bool
        var role: String
    }

    /// Calls the body with id, members and known tags of each relation.
    func forEachRelation(_ body: (Int64, [Member], borrowing Tags) -> Void) {
        var tags = Tags()
        for number in 0..<block.pointee.n_primitivegroup {
            guard let group = block.pointee.primitivegroup[number] else { continue }
            for index in 0..<group.pointee.n_relations {
                guard let relation = group.pointee.relations[index]?.pointee else { continue }
                self.tags(min(relation.n_keys, relation.n_vals), relation.keys, relation.vals, &tags)
                var id = Int64(0)
                let count = min(relation.n_memids, relation.n_types, relation.n_roles_sid)
                let members = (0..<count).map { index in
                    id &+= relation.memids[index]
                    let type = relation.types[index]
                    return Member(
                        id: id,
                        isWay: type == OSM_PBF__RELATION__MEMBER_TYPE__WAY,
                        isNode: type == OSM_PBF__RELATION__MEMBER_TYPE__NODE,
                        role: string(Int(relation.roles_sid[index]))
                    )
                }
                body(relation.id, members, tags)
            }
        }
    }
}

/// The known tags of one object: the key, and where in the block's table the value stands.
struct Tags {
    var pairs: [(key: TagKey, value: Int)] = []

    var isEmpty: Bool { pairs.isEmpty }

    func has(_ key: TagKey) -> Bool { pairs.contains { $0.key == key } }

    /// The value, trimmed; nil when the tag is absent or empty.
    func value(_ key: TagKey, in block: borrowing OSMBlock) -> String? {
        guard let pair = pairs.first(where: { $0.key == key }) else { return nil }
        let text = block.string(pair.value).trimmed
        return text.isEmpty ? nil : text
    }

    /// The object's name with its translations; nil without `name`.
    func name(in block: borrowing OSMBlock) -> PlaceName? {
        guard let own = value(.name, in: block) else { return nil }
        var others: [(language: UInt8, text: String)] = []
        for pair in pairs {
            guard case .translation(let language) = pair.key else { continue }
            let text = block.string(pair.value).trimmed
            if !text.isEmpty { others.append((language, text)) }
        }
        others.sort { $0.language < $1.language }
        return PlaceName(own: own, others: others)
    }
}

/// The keys that the import reads.
enum TagKey: Hashable {
    case name
    /// `name:xx` of one of the wanted languages, by its number.
    case translation(UInt8)
    case houseNumber, street, streetPlace, city, postcode, suburb, country, interpolation, conscription
    case building, highway, reference, place, boundary, adminLevel, type, countryCode, blockNumber, neighbourhood, area
}

/// Which key each string is.
struct TagVocabulary {
    private let keys: [[UInt8]: TagKey]

    init(languages: [String]) {
        let fixed: [(String, TagKey)] = [
            ("name", .name), ("addr:housenumber", .houseNumber), ("addr:street", .street), ("addr:place", .streetPlace),
            ("addr:city", .city), ("addr:postcode", .postcode), ("addr:suburb", .suburb), ("addr:country", .country),
            ("addr:interpolation", .interpolation), ("addr:conscriptionnumber", .conscription),
            ("addr:block_number", .blockNumber), ("addr:neighbourhood", .neighbourhood), ("building", .building),
            ("highway", .highway), ("ref", .reference), ("place", .place), ("boundary", .boundary),
            ("admin_level", .adminLevel), ("type", .type), ("ISO3166-1", .countryCode),
            ("ISO3166-1:alpha2", .countryCode), ("area", .area),
        ]
        var keys: [[UInt8]: TagKey] = [:]
        for (text, key) in fixed { keys[[UInt8](text.utf8)] = key }
        for (number, language) in languages.enumerated() {
            keys[[UInt8]("name:\(language)".utf8)] = .translation(UInt8(number))
        }
        self.keys = keys
    }

    func key(_ bytes: UnsafeBufferPointer<UInt8>) -> TagKey? {
        // Every known key has 3 to 24 bytes and a lower-case letter or I in front: spares most strings the hash.
        guard bytes.count >= 3, bytes.count <= 24, let first = bytes.first, first >= 0x61 || first == 0x49 else {
            return nil
        }
        return keys[[UInt8](bytes)]
    }
}

/// A name as its source gives it, and in other languages.
struct PlaceName: Hashable {
    var own: String
    var others: [(language: UInt8, text: String)]

    init(own: String, others: [(language: UInt8, text: String)] = []) {
        self.own = own
        self.others = others
    }

    static func == (left: PlaceName, right: PlaceName) -> Bool {
        left.own == right.own && left.others.elementsEqual(right.others, by: ==)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(own) }
}

extension String {
    /// Without white space at either end.
    var trimmed: String {
        var view = unicodeScalars[...]
        while let first = view.first, first.properties.isWhitespace { view.removeFirst() }
        while let last = view.last, last.properties.isWhitespace { view.removeLast() }
        return String(view)
    }
}

/// What the header of an extract says.
struct PBFHeader {
    let requiredFeatures: [String]
    /// Seconds since 1970, when the publisher says it.
    let replicationTime: Int64?

    init(_ bytes: [UInt8]) throws(GazetteerError) {
        guard let header = osm_pbf__header_block__unpack(nil, bytes.count, bytes) else { throw OSMBlock.damage }
        defer { osm_pbf__header_block__free_unpacked(header, nil) }
        requiredFeatures = (0..<header.pointee.n_required_features).compactMap { number in
            header.pointee.required_features[number].map { String(cString: $0) }
        }
        let hasTime = header.pointee.has_osmosis_replication_timestamp != 0
        replicationTime = hasTime ? header.pointee.osmosis_replication_timestamp : nil
    }
}

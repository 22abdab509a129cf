/// Writes small OpenStreetMap extracts in PBF, by the field numbers of the format and independent of the reader.
struct ExtractComposer {
    private var nodes: [UInt8] = []
    private var ways: [UInt8] = []
    private var relations: [UInt8] = []
    private var strings: [[UInt8]] = [[]]
    private var nextNode: Int64 = 1
    private var nextWay: Int64 = 1000

    mutating func node(_ latitude: Double, _ longitude: Double, _ tags: [String: String] = [:]) -> Int64 {
        let id = nextNode
        nextNode += 1
        var message = Message()
        message.add(1, signed: id)
        add(tags, to: &message)
        message.add(8, signed: Int64((latitude * 1e7).rounded()))
        message.add(9, signed: Int64((longitude * 1e7).rounded()))
        nodes += Message.field(1, message.bytes)
        return id
    }

    @discardableResult
    mutating func way(_ refs: [Int64], _ tags: [String: String] = [:]) -> Int64 {
        let id = nextWay
        nextWay += 1
        var message = Message()
        message.add(1, plain: UInt64(id))
        add(tags, to: &message)
        var packed: [UInt8] = []
        var last: Int64 = 0
        for ref in refs {
            packed += Message.varint(Message.zigzag(ref - last))
            last = ref
        }
        message.bytes += Message.field(8, packed)
        ways += Message.field(3, message.bytes)
        return id
    }

    /// Draws a closed way around a place, half a side away in each direction in degrees.
    @discardableResult
    mutating func square(
        _ latitude: Double,
        _ longitude: Double,
        half: Double,
        _ tags: [String: String] = [:]
    ) -> Int64 {
        let corners = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map {
            node(latitude + $0.0 * half, longitude + $0.1 * half)
        }
        return way(corners + [corners[0]], tags)
    }

    /// Members are ways unless said otherwise: 0 a node, 1 a way.
    mutating func relation(_ members: [(id: Int64, type: UInt8, role: String)], _ tags: [String: String]) {
        var message = Message()
        message.add(1, plain: 9000)
        add(tags, to: &message)
        var (roles, ids, types): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var last: Int64 = 0
        for member in members {
            roles += Message.varint(UInt64(number(of: member.role)))
            ids += Message.varint(Message.zigzag(member.id - last))
            types += Message.varint(UInt64(member.type))
            last = member.id
        }
        message.bytes += Message.field(8, roles) + Message.field(9, ids) + Message.field(10, types)
        relations += Message.field(4, message.bytes)
    }

    /// The file: a header, then a block each of nodes, ways and relations, not compressed.
    func file(requiredFeature: String = "OsmSchema-V0.6") -> [UInt8] {
        var header = Message()
        header.bytes += Message.field(4, [UInt8](requiredFeature.utf8))
        header.add(32, plain: 1_700_000_000)
        var file = Self.blob("OSMHeader", header.bytes)
        let table = Message.field(1, strings.flatMap { Message.field(1, $0) })
        for group in [nodes, ways, relations] where !group.isEmpty {
            file += Self.blob("OSMData", table + Message.field(2, group))
        }
        return file
    }

    private static func blob(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let blob = Message.field(1, content)
        var header = Message()
        header.bytes += Message.field(1, [UInt8](type.utf8))
        header.add(3, plain: UInt64(blob.count))
        let length = UInt32(header.bytes.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32($0))) } + header.bytes + blob
    }

    private mutating func number(of text: String) -> Int {
        let bytes = [UInt8](text.utf8)
        if let known = strings.firstIndex(of: bytes) { return known }
        strings.append(bytes)
        return strings.count - 1
    }

    private mutating func add(_ tags: [String: String], to message: inout Message) {
        let sorted = tags.sorted { $0.key < $1.key }
        message.bytes += Message.field(2, sorted.flatMap { Message.varint(UInt64(number(of: $0.key))) })
        message.bytes += Message.field(3, sorted.flatMap { Message.varint(UInt64(number(of: $0.value))) })
    }

    /// A protobuf message in the making.
    private struct Message {
        var bytes: [UInt8] = []

        mutating func add(_ number: UInt64, plain value: UInt64) {
            bytes += Self.varint(number << 3) + Self.varint(value)
        }

        mutating func add(_ number: UInt64, signed value: Int64) { add(number, plain: Self.zigzag(value)) }

        static func field(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
            varint(number << 3 | 2) + varint(UInt64(content.count)) + content
        }

        static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

        static func varint(_ value: UInt64) -> [UInt8] {
            var (rest, result) = (value, [UInt8]())
            while rest >= 0x80 {
                result.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            return result + [UInt8(rest)]
        }
    }
}

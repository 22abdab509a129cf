import CLibXML2

/// Owns libxml2's streaming parser over a byte source.
final class XMLTextReader {
    enum Node {
        case element(depth: Int, isEmpty: Bool)
        case endElement(depth: Int)
        case text
        case documentType
        case other
    }

    private let source: ByteSource
    private let feed: Feed
    private let handle: xmlTextReaderPtr

    /// What the C callbacks see.
    fileprivate final class Feed {
        let source: ByteSource
        var error: IngestError?
        var message: String?

        init(source: ByteSource) { self.source = source }
    }

    private static let isInitialised: Bool = {
        xmlInitParser()  // once, before any parser runs on any thread
        return true
    }()

    init(source: ByteSource) throws(IngestError) {
        precondition(XMLTextReader.isInitialised)
        let feed = Feed(source: source)
        self.source = source
        self.feed = feed
        // NONET: no network; without NOENT, DTDLOAD and HUGE no entity is replaced and libxml2's own limits hold.
        let options = Int32(ODOGRAPH_XML_PARSE_NONET | ODOGRAPH_XML_PARSE_BIG_LINES)
        let context = Unmanaged.passUnretained(feed).toOpaque()
        // The reader lives no longer than `feed`, which this object keeps.
        guard let handle = xmlReaderForIO(readFeed, nil, context, nil, nil, options) else {
            throw IngestError(kind: .unreadable, source: source.name, message: "no XML parser could be made")
        }
        self.handle = handle
        xmlTextReaderSetErrorHandler(handle, noteError, context)
    }

    deinit { xmlFreeTextReader(handle) }

    /// The line on which the current node begins, counted from 1; where there is none, how far the parser has read.
    var line: Int {
        if let node = xmlTextReaderCurrentNode(handle) {
            let line = xmlGetLineNo(node)
            if line > 0 { return line }
        }
        return parserLine
    }

    /// How far the parser has read, which may be some lines ahead.
    private var parserLine: Int { Int(xmlTextReaderGetParserLineNumber(handle)) }

    /// The name of the current node without its prefix.
    var localName: String { xmlTextReaderConstLocalName(handle).map { String(cString: $0) } ?? "" }

    /// The text of the current node.
    var value: String { xmlTextReaderConstValue(handle).map { String(cString: $0) } ?? "" }

    /// An attribute of the current element.
    func attribute(_ name: String) -> String? {
        guard let value = xmlTextReaderGetAttribute(handle, name) else { return nil }
        defer { odograph_xml_free(value) }
        return String(cString: value)
    }

    /// Moves to the next node; nil at the end.
    func next() throws(IngestError) -> Node? {
        let result = xmlTextReaderRead(handle)
        if let error = feed.error { throw error }
        guard result >= 0, feed.message == nil else {
            let message = feed.message ?? "no XML"
            let isCut = source.isAtEnd && source.count == 0 && XMLTextReader.tellsOfEnd(message)
            throw IngestError(
                kind: isCut ? .truncated : .damaged,
                source: source.name,
                place: "line \(parserLine)",
                message: "XML: \(message)"
            )
        }
        guard result == 1 else { return nil }
        switch xmlTextReaderNodeType(handle) {
        case 1:
            return .element(depth: Int(xmlTextReaderDepth(handle)), isEmpty: xmlTextReaderIsEmptyElement(handle) == 1)
        case 15: return .endElement(depth: Int(xmlTextReaderDepth(handle)))
        case 3, 4: return .text
        case 10: return .documentType
        default: return .other
        }
    }

    private static func tellsOfEnd(_ message: String) -> Bool {
        ["Premature end", "EndTag", "Couldn't find end", "AttValue: ' expected", "Extra content", "not found"]
            .contains { message.contains($0) }
    }

}

/// Gives libxml2 the next bytes; -1 tells it of an error.
private func readFeed(
    _ context: UnsafeMutableRawPointer?,
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ length: Int32
) -> Int32 {
    guard let context, let buffer, length > 0 else { return -1 }
    let feed = Unmanaged<XMLTextReader.Feed>.fromOpaque(context).takeUnretainedValue()
    do throws(IngestError) {
        guard try feed.source.require(1) else { return 0 }
    } catch {
        feed.error = error
        return -1
    }
    let bytes = UnsafeRawBufferPointer(rebasing: feed.source.bytes.prefix(Int(length)))
    UnsafeMutableRawBufferPointer(start: buffer, count: Int(length)).copyMemory(from: bytes)
    feed.source.consume(bytes.count)
    return Int32(bytes.count)
}

/// Keeps the first error; warnings are passed over.
private func noteError(
    _ context: UnsafeMutableRawPointer?,
    _ message: UnsafePointer<CChar>?,
    _ severity: xmlParserSeverities,
    _ locator: xmlTextReaderLocatorPtr?
) {
    guard let context, let message, severity == XML_PARSER_SEVERITY_ERROR else { return }
    let feed = Unmanaged<XMLTextReader.Feed>.fromOpaque(context).takeUnretainedValue()
    if feed.message == nil {
        var text = Substring(String(cString: message))
        while text.last?.isWhitespace == true { text.removeLast() }
        feed.message = String(text.prefix(200))
    }
}

import CLibXML2

/// What an XML parser meets, in the order of the document.
protocol XMLContent: AnyObject {
    /// An element begins; the outermost has depth 0.
    func begin(_ name: String, depth: Int, line: Int, attributes: XMLAttributes) throws(IngestError)
    func text(_ text: UnsafeBufferPointer<UInt8>)
    func end(depth: Int)
}

/// The attributes of an element, valid while it begins.
struct XMLAttributes {
    fileprivate let count: Int
    fileprivate let pointer: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    subscript(_ name: String) -> String? {
        guard let pointer else { return nil }
        // For each: name, prefix, namespace, begin and end of the value.
        for index in 0..<count {
            let attribute = pointer + index * 5
            guard let found = attribute[0], let begin = attribute[3], let end = attribute[4] else { continue }
            if String(cString: found) == name {
                return String(decoding: UnsafeBufferPointer(start: begin, count: end - begin), as: UTF8.self)
            }
        }
        return nil
    }
}

/// Pushes a byte source through libxml2, which hands over all that stands before a fault.
///
/// No entity is expanded and nothing is loaded from elsewhere: a document type declaration ends the reading.
final class XMLPushParser {
    /// Elements inside each other; more are no GPX, and every one takes memory.
    private static let depthLimit = 256
    private static let step = 4096

    private let source: ByteSource
    private let content: any XMLContent
    /// Lives as long as this object.
    private var parser: xmlParserCtxtPtr?
    private var depth = 0
    private var failure: IngestError?

    private static let isInitialised: Bool = {
        xmlInitParser()  // once, before any parser runs on any thread
        return true
    }()

    init(source: ByteSource, content: any XMLContent) throws(IngestError) {
        precondition(XMLPushParser.isInitialised)
        self.source = source
        self.content = content
        var handler = xmlSAXHandler()
        handler.initialized = ODOGRAPH_XML_SAX2_MAGIC
        handler.internalSubset = { context, _, _, _ in XMLPushParser.of(context)?.refuseDocumentType() }
        handler.characters = { context, text, length in XMLPushParser.of(context)?.text(text, length) }
        handler.ignorableWhitespace = handler.characters
        handler.startElementNs = { context, name, _, _, _, _, count, _, attributes in
            XMLPushParser.of(context)?.begin(name, XMLAttributes(count: Int(count), pointer: attributes))
        }
        handler.endElementNs = { context, _, _, _ in XMLPushParser.of(context)?.end() }
        // The parser copies the handler, and lives no longer than this object.
        parser = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        guard let parser else {
            throw IngestError(kind: .unreadable, source: source.name, message: "no XML parser could be made")
        }
        // Without NOENT, DTDLOAD and HUGE no entity is replaced and libxml2's own limits hold.
        _ = xmlCtxtUseOptions(parser, Int32(ODOGRAPH_XML_PARSE_NONET))
    }

    deinit { if let parser { xmlFreeParserCtxt(parser) } }

    /// Parses the next bytes.
    ///
    /// - Returns: false at the end of a whole document.
    func advance() throws(IngestError) -> Bool {
        let hasMore = try source.require(1)
        let bytes = source.bytes.prefix(XMLPushParser.step)
        let code = UnsafeRawBufferPointer(rebasing: bytes).withMemoryRebound(to: CChar.self) {
            xmlParseChunk(parser, $0.baseAddress, Int32($0.count), hasMore ? 0 : 1)
        }
        source.consume(bytes.count)
        if let failure { throw failure }
        guard code != 0, let fault = xmlCtxtGetLastError(parser) else { return hasMore }
        // Errors of namespaces, such as a prefix that is not declared, leave the document readable.
        guard fault.pointee.level >= 3 else { return hasMore }
        var message = Substring(fault.pointee.message.map { String(cString: $0) } ?? "no XML")
        while message.last?.isWhitespace == true { message.removeLast() }
        throw IngestError(
            kind: hasMore ? .damaged : .truncated,
            source: source.name,
            place: "line \(fault.pointee.line)",
            message: (hasMore ? "XML: " : "the file is cut off; XML: ") + message.prefix(200)
        )
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLPushParser? {
        context.map { Unmanaged<XMLPushParser>.fromOpaque($0).takeUnretainedValue() }
    }

    private var line: Int { Int(xmlSAX2GetLineNumber(parser)) }

    private func begin(_ name: UnsafePointer<UInt8>?, _ attributes: XMLAttributes) {
        guard failure == nil, let name else { return }
        do throws(IngestError) {
            guard depth < XMLPushParser.depthLimit else {
                throw damage("more than \(XMLPushParser.depthLimit) elements stand inside each other")
            }
            try content.begin(String(cString: name), depth: depth, line: line, attributes: attributes)
            depth += 1
        } catch {
            stop(error)
        }
    }

    private func text(_ text: UnsafePointer<UInt8>?, _ length: Int32) {
        if failure == nil { content.text(UnsafeBufferPointer(start: text, count: Int(length))) }
    }

    private func end() {
        guard failure == nil else { return }
        depth -= 1
        content.end(depth: depth)
    }

    private func refuseDocumentType() { stop(damage("a document type declaration is not accepted in GPX")) }

    private func damage(_ message: String) -> IngestError {
        IngestError(kind: .damaged, source: source.name, place: "line \(line)", message: message)
    }

    private func stop(_ error: IngestError) {
        if failure == nil { failure = error }
        xmlStopParser(parser)
    }
}

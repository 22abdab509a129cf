/// A GET request of a provider; the URL may hold a key and is never logged.
package struct HTTPRequest: Hashable, Sendable {
    package var url: String
    package var headers: [String: String] = [:]

    package init(url: String) { self.url = url }

    /// A URL with a query, everything but the unreserved characters percent-encoded.
    package init(base: String, path: String, query: KeyValuePairs<String, String?>) {
        var text = base.hasSuffix("/") ? String(base.dropLast()) : base
        text += path
        var separator = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        for (name, value) in query {
            guard let value else { continue }
            text += "\(separator)\(name)=\(Self.percentEncoded(value))"
            separator = "&"
        }
        url = text
    }

    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2C:  // the comma parts coordinates
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return encoded
    }
}

/// What a provider answered.
package struct HTTPReply: Sendable {
    package var status: Int
    /// By name in lower case; of several the last.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String] = [:], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no answer; the message names neither the URL nor what was asked.
package struct HTTPFailure: Error, Hashable, Sendable {
    package enum Kind: Sendable {
        case timeout, connection, security, tooLarge, cancelled, unusable
    }

    package var kind: Kind
    package var message: String

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }
}

/// Sends requests one at a time.
package protocol HTTPTransport: Sendable {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPReply
}

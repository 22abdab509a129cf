import CCurl
import Synchronization

/// Owns one `CURL *` and with it the connections that it keeps open.
struct CurlHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer

    private init(handle: UnsafeMutableRawPointer) { self.handle = handle }

    /// Makes a handle and sets what all requests share.
    ///
    /// - Throws: `HTTPFailure` of kind `unusable` when libcurl cannot be set up.
    static func make(configuration: HTTPConfiguration) throws(HTTPFailure) -> CurlHandle {
        guard CurlHandle.isLibraryReady, let raw = curl_easy_init() else {
            throw HTTPFailure(kind: .unusable, message: "libcurl cannot be set up")
        }
        let handle = CurlHandle(handle: raw)
        // libcurl keeps copies of texts. Redirects are not followed: a URL may hold a key. TLS is verified by default;
        // proxies come from the usual environment variables.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout)
        try handle.set(CURLOPT_TIMEOUT_MS, configuration.timeout)
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try handle.set(CURLOPT_USERAGENT, configuration.userAgent)
        if let proxy = configuration.proxy { try handle.set(CURLOPT_PROXY, proxy) }
        return handle
    }

    deinit { curl_easy_cleanup(handle) }

    // curl_global_init must run once, before threads use the library.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Performs one GET request; blocks until the answer is whole, the time is up or `flag` is set.
    borrowing func get(
        _ request: HTTPRequest,
        highestBodySize: Int,
        flag: CancellationFlag
    ) throws(HTTPFailure) -> HTTPReply {
        try set(CURLOPT_URL, request.url)
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in request.headers { list = curl_slist_append(list, "\(name): \(value)") ?? list }
        defer { curl_slist_free_all(list) }
        try check(odograph_curl_set_list(handle, CURLOPT_HTTPHEADER, list))
        let receipt = Receipt(highestBodySize: highestBodySize)
        let context = Unmanaged.passUnretained(receipt).toOpaque()  // `receipt` outlives the call below
        try check(
            odograph_curl_set_writer(
                handle,
                { bytes, size, count, context in
                    guard let context, let bytes else { return 0 }
                    return Unmanaged<Receipt>.fromOpaque(context).takeUnretainedValue()
                        .takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
                context
            )
        )
        try check(
            odograph_curl_set_header_reader(
                handle,
                { bytes, size, count, context in
                    guard let context, let bytes else { return 0 }
                    return Unmanaged<Receipt>.fromOpaque(context).takeUnretainedValue()
                        .takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
                },
                context
            )
        )
        try check(
            odograph_curl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 0 }
                    let flag = Unmanaged<CancellationFlag>.fromOpaque(context).takeUnretainedValue()
                    return flag.isSet.load(ordering: .relaxed) ? 1 : 0  // not 0 ends the transfer
                },
                Unmanaged.passUnretained(flag).toOpaque()
            )
        )
        let code = withExtendedLifetime((receipt, flag)) { curl_easy_perform(handle) }
        guard code == CURLE_OK else { throw failure(code, tooLarge: receipt.isTooLarge) }
        var status = 0
        try check(odograph_curl_status(handle, &status))
        return HTTPReply(status: status, headers: receipt.headers, body: receipt.body)
    }

    private borrowing func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(odograph_curl_set_number(handle, option, value))
    }

    private borrowing func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
        try check(odograph_curl_set_text(handle, option, value))
    }

    private borrowing func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw failure(code, tooLarge: false) }
    }

    /// `curl_easy_strerror` is one of a fixed list of texts, which hold nothing of the request.
    private borrowing func failure(_ code: CURLcode, tooLarge: Bool) -> HTTPFailure {
        let message = tooLarge ? "the answer is too large" : String(cString: curl_easy_strerror(code))
        let kind: HTTPFailure.Kind =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_WRITE_ERROR where tooLarge: .tooLarge
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE: .security
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .unusable
            default: .connection
            }
        return HTTPFailure(kind: kind, message: message)
    }
}

/// What arrived of one answer.
private final class Receipt {
    private(set) var body: [UInt8] = []
    private(set) var headers: [String: String] = [:]
    private(set) var isTooLarge = false
    private let highestBodySize: Int

    init(highestBodySize: Int) { self.highestBodySize = highestBodySize }

    /// Returns how many bytes were taken; fewer than given ends the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= highestBodySize else {
            isTooLarge = true
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        let line = String(decoding: bytes, as: UTF8.self)
        guard headers.count < 200 else { return bytes.count }
        if line.hasPrefix("HTTP/") {
            headers = [:]  // the head of the next answer, after an interim one
        } else if let colon = line.firstIndex(of: ":") {
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmed
        }
        return bytes.count
    }
}

extension Substring {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// Ends a transfer from another thread.
final class CancellationFlag: Sendable {
    let isSet = Atomic(false)
}

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A provider of addresses on loopback that speaks the shape of each provider and misbehaves as it is told.
package final class StubProvider: Sendable {
    /// What the next calls get.
    package enum Behaviour: Sendable {
        case ok, street, place, country, name
        case nothing, drip, reset, broken, latin1, wrongCharset, huge
        case hang(seconds: Double)
        case status(Int, retryAfter: String? = nil, body: String? = nil)
        case html(Int)
        /// Status 200 with this body.
        case body(String)

        fileprivate var json: [String: Any] {
            switch self {
            case .ok, .street, .place, .country, .name, .nothing, .drip, .reset, .broken, .latin1, .huge:
                ["name": "\(self)"]
            case .wrongCharset: ["name": "wrong-charset"]
            case .hang(let seconds): ["name": "hang", "seconds": seconds]
            case .html(let status): ["name": "html", "status": status]
            case .body(let body): ["name": "body", "body": body]
            case .status(let status, let retryAfter, let body):
                ["name": "status", "status": status].merging(
                    [("retry_after", retryAfter), ("body", body)].compactMap { pair in pair.1.map { (pair.0, $0) } }
                ) { $1 }
            }
        }
    }

    /// One call that the provider saw.
    package struct Call: Decodable, Sendable {
        /// Since the provider started.
        package var seconds: Double
        package var provider: String
        package var latitude: Double
        package var longitude: Double
        package var language: String?
        package var header: String
        package var agent: String
        package var behaviour: String
        /// Whether houses were asked for, not anything.
        package var houses: Bool
    }

    private let process: Process
    private let input: Pipe
    package let port: Int

    /// Starts the provider; it ends with this object.
    package init() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "stub_provider.py")
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path()]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 { line.append(byte) }
        guard let port = Int(String(decoding: line, as: UTF8.self)) else {
            throw CocoaError(.executableLoad)
        }
        self.port = port
    }

    deinit {
        try? input.fileHandleForWriting.close()  // it ends when its input does
        process.waitUntilExit()
    }

    /// The base URL for the settings of a provider.
    package func url(of provider: String) -> String {
        "http://127.0.0.1:\(port)/\(provider)" + (provider == "yandex" ? "/v1" : "")
    }

    /// The next calls behave like the script, then the default holds.
    package func tell(_ script: [Behaviour] = [], then rest: Behaviour = .ok) async throws {
        let body = try JSONSerialization.data(withJSONObject: ["script": script.map(\.json), "default": rest.json])
        _ = try await request("control", method: "POST", body: body)
    }

    /// Every call so far.
    package func calls() async throws -> [Call] {
        try JSONDecoder().decode([Call].self, from: try await request("log", method: "GET", body: nil))
    }

    /// Forgets the calls and the script.
    package func reset() async throws { _ = try await request("reset", method: "POST", body: Data()) }

    private func request(_ path: String, method: String, body: Data?) async throws -> Data {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        return try await URLSession.shared.data(for: request).0
    }
}

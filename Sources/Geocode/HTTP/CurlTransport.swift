import Synchronization
import TripStore

/// How requests are made.
package struct HTTPConfiguration: Hashable, Sendable {
    /// Milliseconds until a connection must stand.
    package var connectTimeout = 5_000
    /// Milliseconds until the whole answer must be there.
    package var timeout = 15_000
    /// Names the operator; providers refuse the defaults of libraries.
    package var userAgent: String
    /// A proxy's URL; nil takes what the environment says.
    package var proxy: String?
    /// Bytes; a longer answer is a failure.
    package var highestBodySize = 1 << 20

    package init(userAgent: String) { self.userAgent = userAgent }
}

/// Sends requests through libcurl, one at a time over connections that stay open.
///
/// The calls block, so the actor runs on a thread of its own.
package actor CurlTransport: HTTPTransport {
    private let executor = BlockingExecutor(label: "geocode.http")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let handle: CurlHandle
    private let highestBodySize: Int

    /// Makes a transport without opening a connection.
    ///
    /// - Throws: `HTTPFailure` of kind `unusable`.
    package init(configuration: HTTPConfiguration) throws(HTTPFailure) {
        handle = try CurlHandle.make(configuration: configuration)
        highestBodySize = configuration.highestBodySize
    }

    package nonisolated func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPReply {
        let flag = CancellationFlag()
        let result: Result<HTTPReply, HTTPFailure> = await withTaskCancellationHandler {
            await perform(request, flag: flag)
        } onCancel: {
            flag.isSet.store(true, ordering: .relaxed)
        }
        return try result.get()
    }

    private func perform(_ request: HTTPRequest, flag: CancellationFlag) -> Result<HTTPReply, HTTPFailure> {
        do {
            return .success(
                try handle.get(request, highestBodySize: highestBodySize, flag: flag)
            )
        } catch {
            return .failure(error)
        }
    }
}

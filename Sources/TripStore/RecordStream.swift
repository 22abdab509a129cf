/// Records that are read page by page while they are asked for, in constant memory and from one consistent state.
///
///     for try await trip in try await store.trips(query) { … }
package struct RecordStream<Element: Sendable>: AsyncSequence, Sendable {
    package typealias Failure = StoreError

    private let nextPage: @Sendable () async throws(StoreError) -> [Element]

    /// - Parameter nextPage: gives the next records, none when there are no more; called by one reader only.
    package init(nextPage: @escaping @Sendable () async throws(StoreError) -> [Element]) { self.nextPage = nextPage }

    package func makeAsyncIterator() -> Iterator { Iterator(nextPage: nextPage) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let nextPage: @Sendable () async throws(StoreError) -> [Element]
        private var page: [Element] = []
        private var index = 0
        private var isFinished = false

        fileprivate init(nextPage: @escaping @Sendable () async throws(StoreError) -> [Element]) {
            self.nextPage = nextPage
        }

        package mutating func next() async throws(StoreError) -> Element? { try await next(isolation: #isolation) }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(StoreError) -> Element? {
            if index == page.count {
                guard !isFinished else { return nil }
                page = try await nextPage()
                index = 0
                guard !page.isEmpty else {
                    isFinished = true
                    return nil
                }
            }
            defer { index += 1 }
            return page[index]
        }
    }

    /// Everything at once, for small answers.
    package func all() async throws(StoreError) -> [Element] {
        var result: [Element] = []
        while true {
            let page = try await nextPage()
            if page.isEmpty { return result }
            result += page
        }
    }
}

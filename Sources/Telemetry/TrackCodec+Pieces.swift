extension TrackCodec {
    /// Cuts positions into chunks, never between two of one millisecond.
    ///
    /// - Parameters:
    ///   - positions: in key order.
    ///   - isEven: whether the pieces shall be of about one size, with room for late positions, or full but the last.
    /// - Returns: slices in order.
    package static func pieces(_ positions: [Position], isEven: Bool = false) -> [ArraySlice<Position>] {
        guard !positions.isEmpty else { return [] }
        let count = (positions.count + chunkSize - 1) / chunkSize
        let size = isEven ? (positions.count + count - 1) / count : chunkSize
        var pieces: [ArraySlice<Position>] = []
        var start = 0
        while start < positions.count {
            var end = min(positions.count, start + size)
            while end < positions.count, positions[end].fixTime == positions[end - 1].fixTime { end += 1 }
            pieces.append(positions[start..<end])
            start = end
        }
        return pieces
    }
}

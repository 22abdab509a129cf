import Telemetry

/// Finds rows to which and from which no vehicle can have come.
///
/// The rows are cut at legs over the plausible speed; of the pieces of at most three rows the shortest is dropped, of
/// equals the earliest, its neighbours join where the leg between them is plausible, and so on. A piece of four rows
/// is never dropped: it settles everything up to its last row.
struct Outliers {
    /// Consecutive rows without a leg that is too fast.
    private struct Piece {
        var first: Int
        var last: Int
        /// How many rows; after joins fewer than lie between first and last.
        var count: Int
    }

    private static let mostDropped = 3
    private let highestSpeed: Double
    private var kept: [Piece] = []
    private var dropped: [Piece] = []

    /// Cuts the rows into pieces, drops the short ones, and marks which rows are settled.
    ///
    /// - Parameters:
    ///   - rows: in time order.
    ///   - highestSpeed: metres a second.
    ///   - isFirstSettled: the first row is the last of four or more, as an earlier run found.
    init(in rows: inout ContiguousArray<Row>, highestSpeed: Double, isFirstSettled: Bool) {
        self.highestSpeed = highestSpeed
        var piece = Piece(first: 0, last: 0, count: isFirstSettled ? Outliers.mostDropped + 1 : 1)
        for index in rows.indices.dropFirst() {
            rows[index].leg = rows[index - 1].distance(to: rows[index])
            if rows[index].isFaster(than: highestSpeed, since: rows[index - 1].time) {
                kept.append(piece)
                piece = Piece(first: index, last: index, count: 1)
            } else {
                piece.last = index
                piece.count += 1
                rows[index].isSettled = piece.count > Outliers.mostDropped && !rows[index].isZero
            }
        }
        if kept.isEmpty { return }
        kept.append(piece)
        for size in 1...Outliers.mostDropped { drop(size: size, in: rows) }
    }

    /// Drops pieces of one size, from the first to the last: joining makes a piece longer, so one pass is enough.
    private mutating func drop(size: Int, in rows: ContiguousArray<Row>) {
        var remaining = kept.count
        var result: [Piece] = []
        for var piece in kept {
            if let last = result.last, rows[last.last].speed(to: rows[piece.first]) <= highestSpeed {
                piece = Piece(first: last.first, last: piece.last, count: last.count + piece.count)
                result.removeLast()
                remaining -= 1
            }
            if piece.count == size, remaining > 1 {
                dropped.append(piece)
                remaining -= 1
            } else {
                result.append(piece)
            }
        }
        kept = result
    }

    /// Takes the dropped pieces out of the rows and notes them.
    func remove(from rows: inout ContiguousArray<Row>, into setAside: inout [SetAside]) {
        if dropped.isEmpty { return }
        var isDropped = [Bool](repeating: false, count: rows.count)
        for piece in dropped {
            for index in piece.first...piece.last where !isDropped[index] {
                isDropped[index] = true
                let key = Position.Key(fixTime: rows[index].timestamp, coordinate: rows[index].coordinate)
                setAside.append(SetAside(key: key, reason: .outlier))
            }
        }
        var count = 0
        for index in rows.indices where !isDropped[index] {
            rows[count] = rows[index]
            if count > 0, index > 0, isDropped[index - 1] {
                rows[count].leg = rows[count - 1].distance(to: rows[count])
            }
            count += 1
        }
        rows.removeLast(rows.count - count)
    }
}

extension DetectionSettings {
    /// Whether nothing can have come over a leg that cleaning left.
    ///
    /// A receiver that stood still for some seconds, as in a tunnel, catches up in one leg: what a vehicle does in half
    /// a minute at the highest plausible speed is no jump.
    func isJump(to row: Row, since begin: Int64) -> Bool {
        row.leg * 1000 > highestPlausibleSpeed * Double(max(30_000, row.time - begin))
    }
}

extension Position {
    /// Brings positions into key order and merges those of one key.
    ///
    /// - Complexity: O(n) when they are in order already, else O(n log n).
    package static func sortAndMerge(_ positions: inout [Position]) {
        guard positions.count > 1 else { return }
        var isSorted = true
        var isUnique = true
        for index in 1..<positions.count {
            let (left, right) = (positions[index - 1].key, positions[index].key)
            if left < right { continue }
            if left == right { isUnique = false } else { isSorted = false }
        }
        if !isSorted { positions.sort { $0.key < $1.key } }
        if isSorted, isUnique { return }
        var end = 0
        for index in 1..<positions.count {
            if positions[end].key == positions[index].key {
                positions[end].merge(positions[index])
            } else {
                end += 1
                positions[end] = positions[index]
            }
        }
        positions.removeLast(positions.count - end - 1)
    }

    /// Joins another track into one, each in key order with each key once.
    ///
    /// - Complexity: O(the other's length) where it follows behind, else O(both).
    package static func merge(_ other: [Position], into track: inout [Position]) {
        guard let first = other.first else { return }
        if track.last.map({ $0.key < first.key }) ?? true {
            track += other
        } else {
            track = merged(track, other)
        }
    }

    /// Joins two tracks, each in key order with each key once, into one.
    package static func merged(_ left: [Position], _ right: [Position]) -> [Position] {
        guard let first = right.first, let last = left.last else { return left.isEmpty ? right : left }
        if last.key < first.key { return left + right }
        var result: [Position] = []
        result.reserveCapacity(left.count + right.count)
        var (i, j) = (0, 0)
        while i < left.count, j < right.count {
            let (a, b) = (left[i].key, right[j].key)
            if a < b {
                result.append(left[i])
                i += 1
            } else if b < a {
                result.append(right[j])
                j += 1
            } else {
                var both = left[i]
                both.merge(right[j])
                result.append(both)
                i += 1
                j += 1
            }
        }
        result += left[i...]
        result += right[j...]
        return result
    }
}

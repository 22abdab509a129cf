/// The candidate that a mistyped word most likely means; nil when none is near.
package func closest(to word: String, among candidates: [String]) -> String? {
    let best = candidates.map { (edits(word, $0), $0) }.min { $0 < $1 }
    guard let best, best.0 <= max(1, word.count / 3) else { return nil }
    return best.1
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour.
private func edits(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left), Array(right))
    var rows = [[Int](0...b.count)]
    for i in 0..<a.count {
        var row = [i + 1]
        for j in 0..<b.count {
            var cost = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}

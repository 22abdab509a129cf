/// Names and values for people, one of each on a line; values that are absent are left out.
package struct Sheet: Sendable {
    private var rows: [(String, String)]

    package init(_ rows: [(String, String?)]) {
        self.rows = rows.compactMap { name, value in value.map { (name, $0) } }
    }

    package var text: String {
        let width = rows.map(\.0.displayWidth).max() ?? 0
        return rows.map { "\($0.padded(toWidth: width))  \($1.printable)\n" }.joined()
    }
}

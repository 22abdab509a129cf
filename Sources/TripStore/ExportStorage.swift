/// How far a named export has come.
package struct ExportCursor: Hashable, Sendable {
    /// Changes up to this number were delivered.
    package var change: Int64
    /// Where its files go.
    package var folder: String
    /// Files that are written and not yet in their place, in words of the exporter; empty when there are none.
    package var prepared: String

    package init(change: Int64, folder: String, prepared: String = "") {
        self.change = change
        self.folder = folder
        self.prepared = prepared
    }
}

/// The memory of named exports, kept with the changes that they deliver, so that a restored store knows what it sent.
package protocol ExportStorage: Sendable {
    /// How far an export has come; nil before its first.
    func exportCursor(named name: String) async throws(StoreError) -> ExportCursor?

    /// Moves an export on, if it still stands where the caller saw it.
    ///
    /// - Parameters:
    ///   - cursor: its new state.
    ///   - known: the state that the caller read.
    ///   - name: the export.
    /// - Returns: false, and nothing is changed, when another process moved it meanwhile.
    /// - Throws: `StoreError`; when transient, the same call may pass later.
    func moveExportCursor(
        to cursor: ExportCursor,
        from known: ExportCursor?,
        named name: String
    ) async throws(StoreError) -> Bool
}

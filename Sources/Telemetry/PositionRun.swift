/// Positions of one device that stand next to each other in a larger list.
@frozen
package struct PositionRun: Hashable, Sendable {
    /// Index into a list of devices.
    package var device: Int32
    package var count: Int32

    @inlinable
    package init(device: Int32, count: Int32) {
        self.device = device
        self.count = count
    }
}

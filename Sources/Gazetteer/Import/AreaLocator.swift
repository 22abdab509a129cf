import Telemetry

/// Finds the areas around a point: by coarse cells, each with the areas that cover it wholly or in part.
struct AreaLocator {
    /// Cells of an eighth of a degree.
    static let columns = 2880
    static let edgeE7 = 1_250_000

    let shapes: [AreaShape]
    /// By cell: number of the area, twice, plus one when it covers the whole cell.
    let cells: [UInt32: [UInt32]]

    init(shapes: [AreaShape]) {
        self.shapes = shapes
        var cells: [UInt32: [UInt32]] = [:]
        for (number, shape) in shapes.enumerated() {
            // Cells that an edge may pass: those of the edge's own box.
            var touched: Set<UInt32> = []
            for ring in shape.rings {
                for (a, b) in zip(ring, ring.dropFirst()) {
                    let (south, north) = (min(a.latitudeE7, b.latitudeE7), max(a.latitudeE7, b.latitudeE7))
                    let (west, east) = (min(a.longitudeE7, b.longitudeE7), max(a.longitudeE7, b.longitudeE7))
                    for row in AreaLocator.row(south)...AreaLocator.row(north) {
                        for column in AreaLocator.column(west)...AreaLocator.column(east) {
                            touched.insert(UInt32(row * AreaLocator.columns + column))
                        }
                    }
                }
            }
            for row in AreaLocator.row(shape.south)...AreaLocator.row(shape.north) {
                for column in AreaLocator.column(shape.west)...AreaLocator.column(shape.east) {
                    let key = UInt32(row * AreaLocator.columns + column)
                    if touched.contains(key) {
                        cells[key, default: []].append(UInt32(number) << 1)
                    } else if shape.contains(AreaLocator.middle(row, column)) {
                        cells[key, default: []].append(UInt32(number) << 1 | 1)
                    }
                }
            }
        }
        self.cells = cells
    }

    static func row(_ latitude: Int32) -> Int { min((Int(latitude) + 900_000_000) / edgeE7, columns / 2 - 1) }
    static func column(_ longitude: Int32) -> Int { min((Int(longitude) + 1_800_000_000) / edgeE7, columns - 1) }

    private static func middle(_ row: Int, _ column: Int) -> Coordinate {
        Coordinate(
            latitudeE7: Int32(row * edgeE7 + edgeE7 / 2 - 900_000_000),
            longitudeE7: Int32(column * edgeE7 + edgeE7 / 2 - 1_800_000_000)
        )
    }

    /// Numbers of the areas that contain a point, ascending.
    func areas(containing point: Coordinate) -> [Int] {
        let key = UInt32(
            AreaLocator.row(point.latitudeE7) * AreaLocator.columns + AreaLocator.column(point.longitudeE7)
        )
        return (cells[key] ?? []).compactMap { entry in
            let number = Int(entry >> 1)
            return entry & 1 == 1 || shapes[number].contains(point) ? number : nil
        }
    }
}

import Foundation
import Telemetry

/// Streets every 100 m, houses on both sides of each but for the depots' grounds; metres from the south-west corner.
struct SimulatedCity: Sendable {
    struct House: Sendable {
        var number: Int
        var x: Double
        var y: Double
    }

    let houses: [House]
    let depots: [House]
    private let cells: [[Int]]
    private static let size = 10_000.0
    private static let cell = 50.0
    private static let columns = 204
    private static let corner = Coordinate(latitudeE7: 550_000_000, longitudeE7: 370_000_000)

    /// Builds the city.
    ///
    /// - Parameters:
    ///   - spacing: metres between neighbouring houses of one side.
    ///   - depotCount: depots, on whose grounds (60 m around) no other house stands.
    ///   - random: chooses the depots.
    init(spacing: Double, depotCount: Int, random: inout SplitMix) {
        var all: [House] = []
        for street in stride(from: 50.0, to: SimulatedCity.size, by: 100) {
            for along in stride(from: spacing / 2, to: SimulatedCity.size, by: spacing) {
                for side in [-10.0, 10.0] { all.append(House(number: 0, x: along, y: street + side)) }
            }
        }
        let depots = (0..<depotCount).map { _ in all[random.below(all.count)] }
        let isGround = { (house: House) in
            depots.contains { depot in
                (house.x, house.y) != (depot.x, depot.y)
                    && abs(house.x - depot.x) <= 60 && abs(house.y - depot.y) <= 60
            }
        }
        all.removeAll { isGround($0) }
        houses = all.enumerated().map { House(number: $0.offset, x: $0.element.x, y: $0.element.y) }
        var cells = [[Int]](repeating: [], count: SimulatedCity.columns * SimulatedCity.columns)
        for house in houses { cells[SimulatedCity.index(house.x, house.y)].append(house.number) }
        self.cells = cells
        self.depots = houses.filter { house in depots.contains { ($0.x, $0.y) == (house.x, house.y) } }
    }

    func coordinate(x: Double, y: Double) -> Coordinate {
        SimulatedCity.corner.moved(north: y, east: 0).moved(north: 0, east: x)
    }

    /// The nearest houses by great-circle distance, nearest first.
    func nearest(to point: Coordinate, count: Int) -> [House] {
        let south = SimulatedCity.corner.moved(north: 0, east: 0)
        let y = (point.latitude - south.latitude) * Coordinate.metresPerDegree
        let x =
            (point.longitude - south.longitude) * Coordinate.metresPerDegree
            * Coordinate.cosine(ofDegrees: point.latitude)
        var reach = 2
        while true {
            let found = around(x: x, y: y, reach: reach)
                .map { (house: houses[$0], distance: coordinate(x: houses[$0].x, y: houses[$0].y).distance(to: point)) }
                .sorted { ($0.distance, $0.house.number) < ($1.distance, $1.house.number) }
            // What lies beyond the searched cells is farther than their edge.
            if found.count >= count, found[count - 1].distance < Double(reach) * SimulatedCity.cell * 0.98 {
                return found.prefix(count).map(\.house)
            }
            guard reach < SimulatedCity.columns else { return found.prefix(count).map(\.house) }
            reach *= 2
        }
    }

    private func around(x: Double, y: Double, reach: Int) -> [Int] {
        let (column, row) = (SimulatedCity.line(x), SimulatedCity.line(y))
        var found: [Int] = []
        for r in max(0, row - reach)...min(SimulatedCity.columns - 1, row + reach) {
            for c in max(0, column - reach)...min(SimulatedCity.columns - 1, column + reach) {
                found += cells[r * SimulatedCity.columns + c]
            }
        }
        return found
    }

    private static func line(_ value: Double) -> Int { min(columns - 1, max(0, Int(value / cell) + 2)) }
    private static func index(_ x: Double, _ y: Double) -> Int { line(y) * columns + line(x) }
}

/// Random numbers that repeat: splitmix64.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    /// 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func normal() -> Double {
        let (a, b) = (1 - unit(), unit())
        return (-2 * log(a)).squareRoot() * cos(2 * Double.pi * b)
    }
}

extension Array {
    /// The first index whose element satisfies a condition that holds from there on.
    func partitioningIndex(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

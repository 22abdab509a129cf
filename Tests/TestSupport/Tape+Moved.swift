package import Telemetry
import Testing

/// Another place, hemisphere or time at which the same must come out.
package struct Setting: Sendable, CustomTestStringConvertible {
    package var testDescription: String
    package var mirrorsLatitude = false
    package var mirrorsLongitude = false
    /// Added after mirroring, in 1e-7 degrees.
    package var east: Int64 = 0
    /// Milliseconds.
    package var later: Int64 = 0

    package static let all = [
        Setting(testDescription: "as written"),
        Setting(testDescription: "southern hemisphere", mirrorsLatitude: true),
        Setting(testDescription: "western hemisphere", mirrorsLongitude: true),
        Setting(testDescription: "across the antimeridian", east: 1_669_980_000),
        Setting(
            testDescription: "south-west, a week later",
            mirrorsLatitude: true,
            mirrorsLongitude: true,
            later: 604_800_000
        ),
    ]

    package static let weekLater = Setting(testDescription: "a week later", later: 604_800_000)

    package func moved(_ place: Coordinate) -> Coordinate {
        let latitude = mirrorsLatitude ? -place.latitudeE7 : place.latitudeE7
        var longitude = (mirrorsLongitude ? -1 : 1) * Int64(place.longitudeE7) + east
        if longitude > 1_800_000_000 { longitude -= 3_600_000_000 }
        return Coordinate(latitudeE7: latitude, longitudeE7: Int32(longitude))
    }
}

extension Tape {
    /// The same recording at another place and time; zero coordinates stay what they are.
    package func moved(to setting: Setting) -> Tape {
        var tape = self
        for index in tape.positions.indices {
            tape.positions[index].fixTime = tape.positions[index].fixTime + setting.later
            if !tape.positions[index].coordinate.isZero {
                tape.positions[index].coordinate = setting.moved(tape.positions[index].coordinate)
            }
        }
        return tape
    }
}

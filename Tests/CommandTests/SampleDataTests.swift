import Foundation
import TestSupport
import Testing

@Suite("The sample fleet") struct SampleDataTests {
    private static let folder = SharedData.packageFolder.appending(path: "sample-data")

    private func rows(_ csv: String) throws -> [[String: String]] {
        let lines = csv.replacing("\r\n", with: "\n").split(separator: "\n").map { $0.components(separatedBy: ",") }
        let header = try #require(lines.first)
        return lines.dropFirst().map { Dictionary(zip(header, $0)) { first, _ in first } }
    }

    @Test("The trips found are the trips that were driven, whatever the format")
    func trips() throws {
        try Odograph.with { odograph in
            let names = try FileManager.default.subpathsOfDirectory(atPath: SampleDataTests.folder.path())
                .filter { ["pb", "gpx", "csv"].contains(URL(filePath: $0).pathExtension) && !$0.hasPrefix("expected") }
            // The order of files must not matter: here it is the reverse of the alphabet.
            let paths = names.sorted(by: >).map { SampleDataTests.folder.appending(path: $0).path() }
            let result = try odograph.run(["import", "--no-geocode"] + paths)
            #expect(result.code == 0, "\(result.errors)")
            let found = try rows(try odograph("trips", "--format", "csv").output)
            let expected = try rows(
                try String(contentsOf: SampleDataTests.folder.appending(path: "expected/trips.csv"), encoding: .utf8)
            )
            #expect(found.count == expected.count)
            func time(_ row: [String: String], _ name: String) throws -> Date {
                try Date(try #require(row[name]), strategy: .iso8601)
            }
            func number(_ row: [String: String], _ name: String) throws -> Double {
                try #require(row[name].flatMap(Double.init))
            }
            for (trip, truth) in zip(found, expected) {
                #expect(trip["vehicle"] == truth["vehicle"])
                for end in ["begin", "end"] {
                    #expect(abs(try time(trip, end).timeIntervalSince(try time(truth, end))) <= 45)
                    let north = try number(trip, "\(end)_latitude") - number(truth, "\(end)_latitude")
                    let east = try number(trip, "\(end)_longitude") - number(truth, "\(end)_longitude")
                    let metres =
                        111_195
                        * (north * north + pow(east * cos(try number(truth, "\(end)_latitude") * .pi / 180), 2))
                        .squareRoot()
                    #expect(metres <= 80)
                }
                let (distance, driven) = (try number(trip, "distance_m"), try number(truth, "distance_m"))
                #expect(abs(distance - driven) <= 0.03 * driven)
            }
        }
    }
}

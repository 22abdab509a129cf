import CivilTime
import Foundation
import Reports
import Telemetry
import Testing
import TripStore

private func written<Formatter: RecordFormatter>(
    _ records: [Formatter.Record],
    by formatter: Formatter
) -> [UInt8] {
    var out: [UInt8] = []
    var formatter = formatter
    formatter.begin(&out)
    for record in records { formatter.append(record, to: &out) }
    formatter.end(&out)
    return out
}

@Suite("JSON") struct JSONTests {
    @Test("Any number of trips is an array that another reader takes", arguments: [0, 1, 3])
    func array(count: Int) throws {
        let trips = Array(
            repeating: sampleTrip(vehicle: "\"\\\n\u{1}é🚐", beginAddress: .resolved(sampleAddress("A 1"))),
            count: count
        )
        let out = written(trips, by: JSONFormatter(columns: Column.trips))
        let read = try #require(JSONSerialization.jsonObject(with: Data(out)) as? [[String: Any]])
        #expect(read.count == count)
        for trip in read {
            #expect(trip["vehicle"] as? String == "\"\\\n\u{1}é🚐")
            #expect(trip["begin_latitude"] as? Double == -33.86)
            #expect(trip["idle_s"] is NSNull)
            let address = try #require(trip["begin_address"] as? [String: Any])
            #expect(address["line"] as? String == "A 1")
            #expect((address["attribution"] as? String)?.contains("GeoNames") == true)
            #expect(trip["end_address"] is NSNull)
        }
    }

    @Test("NDJSON is one object a line, with the keys in the order of the columns")
    func lines() throws {
        let out = written([sampleTrip(), sampleTrip()], by: NDJSONFormatter(columns: Column.trips)).text
        #expect(out.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
        #expect(out.hasPrefix("{\"trip_id\":\"k3v9\",\"vehicle\":\"Van 7\",\"begin\":\"2026-03-29T01:00:00.500Z\","))
    }
}

@Suite("Tables") struct TableTests {
    @Test(
        "The display width counts cells",
        arguments: [
            ("", 0), ("Van 7", 5), ("Łódź", 4), ("Москва", 6), ("東京", 4), ("e\u{301}", 1), ("🚐", 2), ("👨‍👩‍👧", 2),
            ("☎️", 2), ("한국", 4), ("ｱ", 1),
        ]
    )
    func width(text: String, cells: Int) {
        #expect(text.displayWidth == cells)
    }

    @Test("Cutting never exceeds the width and says that something is missing")
    func cut() {
        for width in 0...8 {
            for text in ["Automobile", "東京都港区", "👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"] {
                let short = text.cut(toWidth: width)
                #expect(short.displayWidth <= width)
                #expect(width == 0 || short.hasSuffix("…"))
            }
        }
        #expect("Van 7".cut(toWidth: 5) == "Van 7")
    }

    @Test("Columns stand under each other whatever the script")
    func aligned() {
        let names = ["Van 7", "東京", "Łódź 🚐", "e\u{301}"]
        let out = written(names.map { sampleTrip(vehicle: $0) }, by: TableFormatter(columns: TableColumn.trips)).text
        let columns = out.split(separator: "\n").map { line -> Int in
            let range = line.range(of: line.hasPrefix("TRIP") ? "BEGIN" : "2026-03-29 01:00:00Z")
            return range.map { String(line[..<$0.lowerBound]).displayWidth } ?? -1
        }
        #expect(columns.count == 5)
        #expect(Set(columns).count == 1)
    }

    @Test("On a terminal no line is wider, elsewhere nothing is cut", arguments: [20, 60, 100, 200])
    func terminal(width: Int) {
        let address = AddressState.resolved(sampleAddress("Willy-Brandt-Straße 1, 10557 Berlin, Deutschland"))
        let trips = [sampleTrip(vehicle: "東京自動車", beginAddress: address, endAddress: address)]
        let narrow = written(trips, by: TableFormatter(columns: TableColumn.trips, terminalWidth: width)).text
        #expect(narrow.split(separator: "\n").allSatisfy { String($0).displayWidth <= width })
        let plain = written(trips, by: TableFormatter(columns: TableColumn.trips)).text
        #expect(!plain.contains("…"))
        #expect(plain.contains("Willy-Brandt-Straße 1, 10557 Berlin, Deutschland"))
    }

    @Test("Where a terminal is too narrow whole columns are left out and named")
    func narrow() {
        let address = AddressState.resolved(sampleAddress("Willy-Brandt-Straße 1, 10557 Berlin, Deutschland"))
        var formatter = TableFormatter(columns: TableColumn.trips, terminalWidth: 80)
        var out: [UInt8] = []
        formatter.append(sampleTrip(beginAddress: address, endAddress: address), to: &out)
        formatter.end(&out)
        #expect(formatter.hidden == ["TRIP", "DURATION"])
        #expect(out.text.contains(" TO\n"))
        #expect(!out.text.contains("k3v9"))
    }

    @Test("A name cannot drive the terminal")
    func harmless() {
        let out = written(
            [sampleTrip(vehicle: "a\u{1B}[2Jb\nc\u{202E}d")],
            by: TableFormatter(columns: TableColumn.trips)
        ).text
        #expect(out.contains("a [2Jb c d"))
        #expect(out.split(separator: "\n").count == 2)
    }

    @Test("Figures are written as people read them")
    func measures() {
        #expect(Measure.distance(millimetres: 850_400) == "850 m")
        #expect(Measure.distance(millimetres: 999_600) == "1.0 km")
        #expect(Measure.distance(millimetres: 13_649_999) == "13.6 km")
        #expect(Measure.duration(milliseconds: 1_213_000) == "20:13")
        #expect(Measure.duration(milliseconds: 7_509_600) == "2:05:10")
        #expect(Measure.point(Coordinate(latitudeE7: -5, longitudeE7: 1_512_094_461)) == "0.00000 151.20945")
        #expect(Measure.count(-1_234_567) == "-1 234 567")
    }
}

@Suite("Streaming") struct StreamingTests {
    @Test("F7: however many trips there are, they never need more than a buffer", arguments: ReportFormat.allCases)
    func constant(format: ReportFormat) {
        let trip = sampleTrip(beginAddress: .resolved(sampleAddress("Main St 1, \"Old\" Hall")))
        var formatter = ReportStyle(format: format).formatter(columns: Column.trips, table: TableColumn.trips)
        var out: [UInt8] = []
        var (longest, total, lines) = (0, 0, 0)
        formatter.begin(&out)
        for _ in 0..<5000 {
            formatter.append(trip, to: &out)
            longest = max(longest, out.count)
            if out.count >= 64 * 1024 {
                total += out.count
                lines += out.count { $0 == UInt8(ascii: "\n") }
                out.removeAll(keepingCapacity: true)
            }
        }
        formatter.end(&out)
        lines += out.count { $0 == UInt8(ascii: "\n") }
        #expect(lines >= 5000)
        // A table writes its first thousand rows at once, when their widths are known.
        #expect(longest < 512 * 1024)
        #expect(total > 500_000)
    }
}

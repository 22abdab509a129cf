import CivilTime
import Reports
import Telemetry
import Testing
import TripStore

/// A strict reader of RFC 4180, written apart from the writer.
private func records(of csv: [UInt8], separator: UInt8 = UInt8(ascii: ",")) throws -> [[String]] {
    struct Malformed: Error {}
    var records: [[String]] = []
    var record: [String] = []
    var field: [UInt8] = []
    var index = 0
    while index < csv.count {
        if csv[index] == UInt8(ascii: "\"") {
            index += 1
            while true {
                guard index < csv.count else { throw Malformed() }
                if csv[index] != UInt8(ascii: "\"") {
                    field.append(csv[index])
                    index += 1
                } else if index + 1 < csv.count, csv[index + 1] == UInt8(ascii: "\"") {
                    field.append(csv[index])
                    index += 2
                } else {
                    index += 1
                    break
                }
            }
        } else {
            while index < csv.count, csv[index] != separator, csv[index] != UInt8(ascii: "\r") {
                guard csv[index] != UInt8(ascii: "\""), csv[index] != UInt8(ascii: "\n") else { throw Malformed() }
                field.append(csv[index])
                index += 1
            }
        }
        guard index < csv.count else { throw Malformed() }
        record.append(field.text)
        field = []
        if csv[index] == separator {
            index += 1
        } else {
            guard csv[index...].starts(with: [13, 10]) else { throw Malformed() }
            index += 2
            records.append(record)
            record = []
        }
    }
    return records
}

private func csv(_ trips: [TripRecord], style: CSVStyle = CSVStyle(), zone: Zone = .utc) -> [UInt8] {
    var out: [UInt8] = []
    let formatter = CSVFormatter(columns: Column.trips, style: style, zone: zone)
    formatter.begin(&out)
    for trip in trips { formatter.append(trip, to: &out) }
    formatter.end(&out)
    return out
}

@Suite("CSV") struct CSVTests {
    /// The contract; columns are only ever appended.
    private let header =
        "trip_id,vehicle,begin,end,begin_latitude,begin_longitude,begin_address,end_latitude,end_longitude,"
        + "end_address,distance_m,duration_s,moving_s,idle_s,max_speed_kmh,begin_reason,end_reason,state,revision,"
        + "begin_address_state,end_address_state,device"

    @Test("A trip is one line with the columns of the contract")
    func line() throws {
        let berlin = try #require(Zone("Europe/Berlin"))
        #expect(
            csv([sampleTrip()], zone: berlin).text
                == header
                + "\r\nk3v9,Van 7,2026-03-29T03:00:00.500+02:00,2026-03-29T03:19:55+02:00,-33.8600000,151.2094431,,"
                + "-0.0000005,-179.9999999,,13600.012,1194.5,1100,,50.004,first data,last data,open,2,"
                + "pending,nothing,356938035643809\r\n"
        )
    }

    @Test(
        "F1: an address with the separator, quotes and lines comes back as it was",
        arguments: [
            "Main St 1, \"Old\" Hall\nBlock B", "\"", ",", "\r\n", "a\rb", "", "plain", " space ", "Łódź, Grüner Weg",
            "=1+1", "+49 30", "-x", "@A1", "\t=1", "\r1", "'quoted'", "-\"a\",\r\n=b", "Автозаводская ул. 12 с3", "🚐",
        ]
    )
    func addresses(line: String) throws {
        for separator in [",", ";", "\t"].compactMap(\.utf8.first) {
            var style = CSVStyle()
            style.separator = separator
            let trip = sampleTrip(vehicle: line, beginAddress: .resolved(sampleAddress(line)))
            let read = try records(of: csv([trip, trip], style: style), separator: separator)
            #expect(read.count == 3)
            for record in read[1...] {
                #expect(record.count == 22)
                for field in [record[1], record[6]] {
                    let original = field.utf8.first == UInt8(ascii: "'") ? field.utf8.dropFirst() : field.utf8[...]
                    #expect(Array(original) == Array(line.utf8))
                }
            }
        }
    }

    @Test(
        "F2, F4: a text that a spreadsheet would take for a formula gets an apostrophe and keeps its value",
        arguments: ["=1+1", "+49 30", "-x", "-Anna-", "@A1", "@Home", "\t=1", "\r=1", "'=1"]
    )
    func formulas(text: String) throws {
        let device = DeviceID("=cmd")
        let record = try #require(try records(of: csv([sampleTrip(vehicle: text, device: device)])).last)
        #expect(record[1] == "'" + text)
        #expect(record[21] == "'=cmd")
        #expect(record[4] == "-33.8600000")
    }

    @Test("F2: the apostrophe comes before texts alone, never before a number or a time")
    func numbers() throws {
        let record = try #require(try records(of: csv([sampleTrip()])).last)
        #expect(record.allSatisfy { !$0.hasPrefix("'") })
    }

    @Test("F5: the byte order mark comes on request, once, at the first byte")
    func byteOrderMark() {
        var style = CSVStyle()
        style.hasByteOrderMark = true
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let plain = csv([sampleTrip(vehicle: "Łódź")])
        #expect(csv([sampleTrip(vehicle: "Łódź")], style: style) == mark + plain)
        #expect(!plain.starts(with: mark))
    }

    @Test("F8: two reports have the same columns in the same order")
    func order() {
        #expect(csv([]) == csv([]))
        #expect(csv([]).text == header + "\r\n")
    }
}

@Suite("Numbers") struct NumberTests {
    @Test(
        "Thousandths have no zeros at the end",
        arguments: [
            (0, "0"), (1, "0.001"), (-1, "-0.001"), (1000, "1"), (13_600_010, "13600.01"), (-1500, "-1.5"),
            (Int64.max, "9223372036854775.807"), (Int64.min, "-9223372036854775.808"),
        ] as [(Int64, String)]
    )
    func thousandths(value: Int64, text: String) {
        var out: [UInt8] = []
        out.append(thousandths: value)
        #expect(out.text == text)
    }

    @Test(
        "Degrees read back are the degrees written",
        arguments: [0, 1, -1, 900_000_000, -1_800_000_000, 123_456_789] as [Int32]
    )
    func degrees(value: Int32) throws {
        var out: [UInt8] = []
        out.append(degreesE7: value)
        #expect(try #require(Double(out.text)) == Double(value) / 1e7)
        #expect(out.text.split(separator: ".").last?.count == 7)
    }
}

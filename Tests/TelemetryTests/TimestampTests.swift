import Telemetry
import Testing

@Suite("Timestamp") struct TimestampTests {
    @Test(
        "ISO 8601 is read",
        arguments: [
            ("2026-03-29T10:15:30Z", 1_774_779_330_000),
            ("2026-03-29 10:15:30.5+02:00", 1_774_772_130_500),
            ("2026-03-29T10:15+0530", 1_774_759_500_000),
            ("1901-12-13T20:45:52.9996Z", -2_147_483_647_000),
            ("1969-12-31T23:59:59.999Z", -1),
        ]
    )
    func reads(text: String, milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(
        "What is no instant with a zone is refused",
        arguments: [
            "", "2026-03-29", "2026-02-29T10:00:00Z", "2026-03-29T24:00:00Z", "2026-03-29T10:15:30",
            "2026-03-29T10:15:30Zx", "2026-13-01T00:00:00Z", "20260329T101530Z", "2026-03-29T10:15:30+2:00",
        ]
    )
    func refuses(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test("What is written is read back", arguments: [0, -1, 1, 951_782_400_000, -2_208_988_800_000])
    func roundTrip(milliseconds: Int64) {
        let timestamp = Timestamp(milliseconds: milliseconds)
        for offset in [0, 3600, -34_200, 20_700] {
            #expect(Timestamp(iso8601: timestamp.iso8601(offsetSeconds: offset)) == timestamp)
        }
    }
}

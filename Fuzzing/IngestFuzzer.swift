import Ingest
import Telemetry

/// What libFuzzer calls: the first byte chooses the format, the rest is the input.
///
/// Every reader must end with positions, refusals or an `IngestError`, and a position must be one that admission allows.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let received = Timestamp(seconds: 1_796_126_400)
    var options = ReadOptions(admission: Admission(receivedTime: received, transport: .live))
    let formats = InputFormat.allCases
    let choice = Int(start[0]) % (formats.count + 1)
    options.format = choice < formats.count ? formats[choice] : nil
    options.device = DeviceID("fuzz")
    options.speedUnit = .knots
    options.chunkSize = 16
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    do throws(IngestError) {
        let reader = try PositionReader(bytes: bytes, name: "fuzz", options: options)
        var chunk = DecodedChunk()
        while try reader.read(into: &chunk) {
            precondition(
                chunk.runs.reduce(0) { $0 + Int($1.count) } == chunk.positions.count,
                "runs cover the positions"
            )
            for position in chunk.positions {
                precondition(position.coordinate.isValid, "a place on Earth")
                precondition(
                    position.fixTime >= .earliest && position.fixTime <= received + 300_000,
                    "an admitted time"
                )
                precondition(position.headingDecidegrees < 3600, "a heading below 360 degrees")
            }
        }
    } catch {
        precondition(!error.message.isEmpty, "an error says what is wrong")
    }
    return 0
}

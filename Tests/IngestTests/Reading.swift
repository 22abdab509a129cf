import Ingest
import Telemetry
import TestSupport
import Testing

/// Everything that one reading gave.
struct Reading {
    var positions: [(device: DeviceID, position: Position)] = []
    var refusals: [Refusal] = []
    var attributes: [UInt64: AttributeSet] = [:]
    var error: IngestError?
    var summary: ReadSummary?

    static let received = Timestamp(iso8601: "2026-12-01T12:00:00Z") ?? Timestamp(milliseconds: 0)

    /// Options with a fixed received time.
    static func options(_ change: (inout ReadOptions) -> Void = { _ in }) -> ReadOptions {
        var options = ReadOptions(admission: Admission(receivedTime: received))
        change(&options)
        return options
    }

    init(path: String, _ options: ReadOptions = Reading.options()) {
        do throws(IngestError) { read(try PositionReader(path: path, options: options)) } catch { self.error = error }
    }

    init(descriptor: Int32, name: String, _ options: ReadOptions = Reading.options()) {
        do throws(IngestError) {
            read(try PositionReader(descriptor: descriptor, name: name, options: options))
        } catch {
            self.error = error
        }
    }

    init(_ bytes: [UInt8], name: String = "test.bin", _ options: ReadOptions = Reading.options()) {
        do throws(IngestError) {
            read(try PositionReader(bytes: bytes, name: name, options: options))
        } catch {
            self.error = error
        }
    }

    init(_ text: String, name: String = "test.csv", _ options: ReadOptions = Reading.options()) {
        self.init(Array(text.utf8), name: name, options)
    }

    private mutating func read(_ reader: PositionReader) {
        var chunk = DecodedChunk()
        do throws(IngestError) {
            while try reader.read(into: &chunk) {
                var start = 0
                for run in chunk.runs {
                    for position in chunk.positions[start..<start + Int(run.count)] {
                        positions.append((chunk.devices[Int(run.device)], position))
                    }
                    start += Int(run.count)
                }
                #expect(start == chunk.positions.count)
                refusals += chunk.refusals
                attributes.merge(chunk.attributes) { first, _ in first }
            }
        } catch {
            self.error = error
        }
        summary = reader.summary
    }

    var devices: Set<String> { Set(positions.map(\.device.text)) }
    var reasons: [Refusal.Reason: Int] { summary?.refused ?? [:] }
    var notes: String { (summary?.notes ?? []).joined(separator: "; ") }
    var bare: [Position] { positions.map(\.position) }
}

import CFaultyDisk
import Foundation
import Telemetry
import TestSupport
import Tracking
import TripStore

// Records the batches of a trial from one of them on, and says which are acknowledged, until it is killed or done:
//
//     StoreTrial STORE SEED FIRST [MODE COUNT [HEAL]]
//
// With MODE the disk fails in that way from the COUNT-th write on; with HEAL it is sound again after so many failures,
// and the same batch is tried again, as a client does.

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // A parent that is gone reads nothing: then there is nobody to tell.
    _ = write(1, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count >= 4, let seed = UInt64(arguments[2]), let first = Int(arguments[3]) else { exit(64) }
let mode = arguments.count > 5 ? Int32(arguments[4]) ?? 0 : 0
let countdown = arguments.count > 5 ? Int(arguments[5]) ?? 0 : 0
let heals = arguments.count > 6 ? Int(arguments[6]) ?? 0 : 0
if mode != 0 {
    guard faulty_disk_install() == 0 else { exit(70) }
    faulty_disk_set(mode, countdown)
}
let trial = Trial(seed: seed)
var failures = 0
do throws(StoreError) {
    let storage = try SQLiteStorage(path: arguments[1], mode: .create)
    var configuration = Recorder.Configuration()
    configuration.foldCount = 40
    configuration.journalLimit = 600
    let recorder = try await Recorder(storage: storage, configuration: configuration) { Trial.asOf }
    say("open")
    for index in trial.batches.indices.dropFirst(first) {
        let batch = trial.batches[index]
        while true {
            do throws(StoreError) {
                _ = try await recorder.record([PositionBatch(device: batch.device, positions: batch.positions)])
                say("\(index)")
                if index % 7 == 0 { try await recorder.update(asOf: Trial.asOf) }
                break
            } catch {
                failures += 1
                say("failed \(error.kind)")
                guard heals > 0 else { throw error }
                if failures == heals { faulty_disk_set(0, 0) }
                if failures > heals + 3 { throw error }
            }
        }
    }
    try await recorder.settle(asOf: Trial.asOf)
    say("done")
    await storage.close()
} catch {
    say("error \(error.kind)")
    exit(1)
}

import Foundation
import Gazetteer
import TripDetection

let usage = """
    Benchmarks accuracy [--set NAME] [--seeds 1,2,3] [--vehicles N]   F1 against the truth, as a table
    Benchmarks explain --set NAME [--seeds 1] [--vehicle V] [--rows]  what was missed, and what was found there
    Benchmarks speed [--seeds 1]                                      positions a second
    Benchmarks addresses [--seeds 1] [--steps both]                   calls of a provider, wrong houses, cache errors
    Benchmarks reading [--format csv]                                 rows a second from files of each format
    Benchmarks store-import                                           import beside a row store, size, memory
    Benchmarks store-append                                           live batches of eight producers beside a row store
    Benchmarks store-grow [--copies 1,4,43]                           cost, memory and questions as a store grows
    Benchmarks gazetteer EXTRACT.osm.pbf...                           import, size and lookups of extracts; towns
    Benchmarks first INDEX                                            opening an index and the first lookup

    Workloads are made by bench/make-workload.py of the shared folder (ODOGRAPH_SHARED, else ../shared) into
    --dir DIR (default: a folder for temporary files), once each. They need Python with numpy.
    """

func option(_ name: String) -> String? {
    guard let index = CommandLine.arguments.firstIndex(of: name), index + 1 < CommandLine.arguments.count else {
        return nil
    }
    return CommandLine.arguments[index + 1]
}

let directory = URL(filePath: option("--dir") ?? NSTemporaryDirectory() + "odograph-benchmarks")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let seeds = (option("--seeds") ?? "1,2,3").split(separator: ",").compactMap { Int($0) }
let sets = WorkloadSet.all.filter {
    option("--set").map { $0.split(separator: ",").map(String.init) }?.contains($0.name) ?? true
}
var accuracy = Accuracy(directory: directory, seeds: seeds)

switch CommandLine.arguments.dropFirst().first {
case "accuracy":
    try accuracy.printTable(of: sets, vehicles: Int(option("--vehicles") ?? "20") ?? 20)
case "explain":
    for set in sets {
        for seed in seeds {
            print("set \(set.name), seed \(seed)")
            try Explain(accuracy: accuracy).printMisses(
                of: set,
                seed: seed,
                vehicle: option("--vehicle").flatMap { Int($0) },
                withRows: CommandLine.arguments.contains("--rows")
            )
        }
    }
case "speed":
    try Speed.measure(Workload(folder: WorkloadSet.all[0].folder(seed: seeds.first ?? 1, in: directory)))
case "addresses":
    for seed in seeds.prefix(option("--seeds") == nil ? 1 : seeds.count) {
        if try await !AddressSimulation.measure(seed: UInt64(seed), only: option("--steps")) { exit(1) }
    }
case "reading":
    try ReadingSpeed.measure(in: directory, filter: option("--format"))
case "store-import", "store-append", "store-grow":
    let folder = try WorkloadSet.all[0].folder(seed: seeds.first ?? 1, in: directory, vehicles: 200)
    let benchmark = try StoreBenchmark(directory: directory, workload: folder)
    switch CommandLine.arguments[1] {
    case "store-import": try await benchmark.importing()
    case "store-append": try await benchmark.appending()
    default:
        let copies = (option("--copies") ?? "1,4").split(separator: ",").compactMap { Int($0) }
        try await benchmark.growing(copies: copies)
    }
case "gazetteer":
    try GazetteerSpeed.measureTowns(GazetteerFiles.openTowns().file.path)
    for extract in CommandLine.arguments.dropFirst(2) where extract.hasSuffix(".pbf") {
        try GazetteerSpeed.measureExtract(extract, towns: GazetteerFiles.openTowns(), folder: directory)
    }
case "first":
    try GazetteerSpeed.measureFirst(CommandLine.arguments.last ?? "")
default:
    print(usage)
}

// swift-tools-version: 6.2
import PackageDescription

/// The compiler rules of every Swift target.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func swiftTarget(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

func testTarget(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: rules)
}

let package = Package(
    name: "odograph",
    products: [
        .executable(name: "odograph", targets: ["odograph"])
    ],
    targets: [
        // 0: Debian's libraries.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CProtobufC", providers: [.apt(["libprotobuf-c-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CLibXML2", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CGetopt"),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CTerminal"),
        .systemLibrary(name: "CSodium", providers: [.apt(["libsodium-dev"])]),
        // 1: C code that protoc-c generates from proto/.
        .target(name: "TrackMessages", dependencies: ["CProtobufC"], linkerSettings: [.linkedLibrary("protobuf-c")]),
        .target(name: "MapMessages", dependencies: ["CProtobufC"], linkerSettings: [.linkedLibrary("protobuf-c")]),
        .target(name: "TransitMessages", dependencies: ["CProtobufC"], linkerSettings: [.linkedLibrary("protobuf-c")]),
        // 2
        swiftTarget("Telemetry"),
        // 3
        swiftTarget("TripDetection", ["Telemetry"]),
        swiftTarget("Gazetteer", ["Telemetry", "CZlib", "CProtobufC", "MapMessages"]),
        swiftTarget("CivilTime", ["Telemetry"]),
        swiftTarget("Arguments", ["CGetopt"]),
        // 4
        swiftTarget("TripStore", ["Telemetry", "TripDetection", "CSQLite"]),
        // 5
        swiftTarget("Tracking", ["Telemetry", "TripDetection", "TripStore"]),
        swiftTarget(
            "Ingest",
            ["Telemetry", "CivilTime", "TrackMessages", "TransitMessages", "CProtobufC", "CLibXML2"]
        ),
        swiftTarget("Geocode", ["Telemetry", "TripStore", "Gazetteer", "CCurl"]),
        swiftTarget("Reports", ["Telemetry", "CivilTime", "TripDetection", "TripStore", "CTerminal", "CSodium"]),
        // 7
        .executableTarget(
            name: "odograph",
            dependencies: [
                "Arguments", "CTerminal", "CivilTime", "Telemetry", "TripDetection", "TripStore", "Tracking", "Ingest",
                "Geocode",
                "Gazetteer", "Reports",
            ],
            swiftSettings: rules
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite", "Telemetry", "TripDetection", "TripStore", "Tracking", "Ingest", "Geocode", "Gazetteer",
            ],
            path: "Benchmarks",
            swiftSettings: rules
        ),
        .target(
            name: "TestSupport",
            dependencies: ["Telemetry", "TripDetection"],
            path: "Tests/TestSupport",
            exclude: ["stub_provider.py"],
            swiftSettings: rules
        ),
        testTarget("GeocodeTests", ["Geocode", "Gazetteer", "Telemetry", "TripDetection", "TripStore", "odograph"]),
        testTarget("TelemetryTests", ["Telemetry"]),
        testTarget("TripStoreTests", ["TripStore", "TripDetection", "Telemetry", "CSQLite"]),
        .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        .executableTarget(
            name: "StoreTrial",
            dependencies: ["CFaultyDisk", "Telemetry", "TestSupport", "Tracking", "TripStore"],
            path: "Tests/StoreTrial",
            swiftSettings: rules
        ),
        testTarget("TrackingTests", ["Tracking", "TripStore", "TripDetection", "Telemetry", "Ingest", "StoreTrial"]),
        testTarget(
            "IngestTests",
            ["TripDetection", "Ingest", "CivilTime", "Telemetry", "TrackMessages", "TransitMessages", "CProtobufC"]
        ),
        testTarget("TripDetectionTests", ["TripDetection", "Telemetry"]),
        testTarget("ArgumentsTests", ["Arguments"]),
        testTarget(
            "ReportsTests",
            ["Reports", "CivilTime", "Gazetteer", "Geocode", "Telemetry", "TripDetection", "TripStore"]
        ),
        testTarget("GazetteerTests", ["Gazetteer", "Telemetry"]),
        .testTarget(
            name: "CommandTests",
            dependencies: ["odograph", "TestSupport"],
            exclude: ["Snapshots"],
            swiftSettings: rules
        ),
        testTarget("CivilTimeTests", ["CivilTime", "Telemetry"]),
    ]
)

// Fuzzing targets have no `main` and are built by scripts/fuzz alone.
if Context.environment["ODOGRAPH_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "IngestFuzzer",
            dependencies: ["Ingest", "Telemetry"],
            path: "Fuzzing",
            swiftSettings: rules + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer,address"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
        )
    )
}

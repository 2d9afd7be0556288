// swift-tools-version: 6.2
import PackageDescription

// Model deprecates conversions that trap; the second setting refuses them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"), .treatWarning("DeprecatedDeclaration", as: .error),
]
// libFuzzer brings its own main with `--sanitize fuzzer`; scripts/fuzz.sh sets the variable to leave ours out.
let isFuzzing = Context.environment["VISIVENTD_FUZZ"] != nil
// scripts/release.sh says what distinguishes the build; only the program itself is compiled anew when that changes.
let build = Context.environment["VISIVENTD_BUILD"] ?? ""

let package = Package(
    name: "visiventd",
    products: [
        .executable(name: "visiventd", targets: ["visiventd"]),
        .executable(name: "scripted-upstream", targets: ["scripted-upstream"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        // Without traits it reads no configuration of its own and needs less of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        // C libraries behind fixed-signature shims.
        .systemLibrary(name: "CWidth"),
        .systemLibrary(name: "CSQLiteSettings"),
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .target(
            name: "CCurl",
            linkerSettings: [.linkedLibrary("curl")]),
        // pkg-config knows the folder of libxml2's headers.
        .systemLibrary(name: "CLibXML2Headers", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(name: "CLibXML2", dependencies: ["CLibXML2Headers"], linkerSettings: [.linkedLibrary("xml2")]),
        // Its words are compiled into it (`#embed`).
        .target(name: "CWords", exclude: ["Words"]),
        .target(name: "CVersion", cSettings: [.define("VISIVENTD_BUILD", to: build)]),
        .target(
            name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])], linkerSettings: [.linkedLibrary("simdjson")]),

        // The product, lowest first; a target uses only targets above it.
        .target(name: "Model", swiftSettings: strict),
        .target(name: "Telling", dependencies: ["Model"], swiftSettings: strict),
        .target(name: "Records", dependencies: ["Model"], swiftSettings: strict),
        .target(name: "Reconciling", dependencies: ["Model"], swiftSettings: strict),
        .target(name: "Reading", dependencies: ["CArchive", "CLibXML2", "CSimdJSON", "Model"], swiftSettings: strict),
        .target(name: "Feeds", dependencies: ["Model", "Reading"], swiftSettings: strict),
        .target(name: "Fetching", dependencies: ["CCurl", "Model", "Reading"], swiftSettings: strict),
        .target(
            name: "SQLite", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")], swiftSettings: strict),
        .target(name: "Files", dependencies: ["Model", "SQLite"], swiftSettings: strict),
        .target(
            name: "Store",
            dependencies: [
                "CSQLiteSettings", "Files", "Model", "Reading", "Reconciling", "Records", "SQLite", "Telling",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: strict),
        .target(
            name: "Pictures",
            dependencies: ["Model", "SQLite", "Store", .product(name: "GRDBSQLite", package: "GRDB.swift")],
            swiftSettings: strict),
        .target(
            name: "Gazetteer",
            dependencies: [
                "CWords", "Model", "Reading", "SQLite", .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: strict),
        .target(name: "Geocoding", dependencies: ["Model", "Reading", "Fetching"], swiftSettings: strict),
        .target(
            name: "Settings", dependencies: ["Model", "Telling", .product(name: "Yams", package: "Yams")],
            swiftSettings: strict),
        .target(
            name: "Presenting", dependencies: ["Model", "Reading", "SQLite", "Telling"], swiftSettings: strict),
        .target(
            name: "Engine",
            dependencies: [
                "Model", "Telling", .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ], swiftSettings: strict),
        .target(name: "Control", dependencies: ["Model", "SQLite"], swiftSettings: strict),
        .target(
            name: "Operations",
            dependencies: [
                "CPSL", "Model", "Reading", "Feeds", "Fetching", "SQLite", "Files", "Store", "Pictures", "Gazetteer",
                "Settings", "Engine", "Control", "Telling", .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: strict),
        .target(
            name: "Daemon",
            dependencies: [
                "Model", "Reading", "Feeds", "Fetching", "SQLite", "Files", "Store", "Pictures", "Gazetteer",
                "Geocoding", "Settings", "Presenting", "Engine", "Control", "Operations", "Telling",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .target(
            name: "Serving",
            dependencies: [
                "Model", "Reading", "SQLite", "Store", "Pictures", "Gazetteer", "Settings", "Presenting", "Operations",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], swiftSettings: strict),
        .target(
            name: "HTTPService",
            dependencies: [
                "Model", "Store", "Settings", "Operations", "Serving",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "visiventd",
            dependencies: [
                "CSQLiteSettings", "CVersion", "CWidth", "Model", "Reading", "Feeds", "Fetching", "SQLite", "Files",
                "Store", "Pictures", "Gazetteer", "Geocoding", "Settings", "Presenting", "Engine", "Control",
                "Operations", "Daemon", "Serving", "HTTPService", "Telling",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], swiftSettings: strict),

        // Not in the product: a loopback upstream for demo and tests.
        .target(
            name: "ScriptedUpstream",
            dependencies: [
                .product(name: "FlyingFox", package: "FlyingFox"), .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "scripted-upstream",
            dependencies: ["ScriptedUpstream", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        // Not in the product: measures on a corpus how well places are found.
        .executableTarget(
            name: "toponym-report",
            dependencies: [
                "Feeds", "Gazetteer", "Model", "Reading",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["Model"], swiftSettings: strict),
        // Not in the product: counts a call's work, in tests only, since it counts all allocations of the process.
        .target(name: "CWorkCount"),
        .target(name: "WorkCount", dependencies: ["CWorkCount"], swiftSettings: strict),
        // Not in the product: runs the program as a process in tests.
        .target(name: "ProcessSupport", swiftSettings: strict),
        // Not in the product: the whole daemon in one process, with simulated upstreams, faults, a disk and an oracle.
        .target(name: "CFaultDisk", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "Simulation",
            dependencies: [
                "CFaultDisk", "Control", "Daemon", "Engine", "Feeds", "Fetching", "Gazetteer", "Geocoding", "Model",
                "Pictures", "Reading", "Serving", "Settings", "Store", "Telling", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "simulate",
            dependencies: ["Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),
        // Not in the product: invariants that hold for any input.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Daemon", "Engine", "Feeds", "Fetching", "Gazetteer", "Geocoding", "HTTPService", "Model", "Operations",
                "Presenting", "Reading", "Serving", "Settings", "Simulation", "Store", "Telling", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ], swiftSettings: strict),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"],
            swiftSettings: strict + (isFuzzing ? [.define("FUZZING")] : [])),

        .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport", "WorkCount"]),
        .testTarget(name: "TellingTests", dependencies: ["Telling", "Model"]),
        .testTarget(name: "ReconcilingTests", dependencies: ["Reconciling", "Model"]),
        .testTarget(name: "ReadingTests", dependencies: ["Reading", "TestSupport", "WorkCount"]),
        .testTarget(name: "FeedsTests", dependencies: ["Feeds", "Model", "TestSupport", "WorkCount"]),
        .testTarget(
            name: "FetchingTests",
            dependencies: ["CCurl", "Fetching", "Model", "ScriptedUpstream", "TestSupport", "WorkCount"]),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Store", "SQLite", "Files", "Model", "Pictures", "Reconciling", "Telling", "TestSupport",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "GazetteerTests",
            dependencies: [
                "Gazetteer", "Model", "Reading", "SQLite", "Store", "TestSupport",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "GeocodingTests", dependencies: ["Geocoding", "Fetching", "Model", "ScriptedUpstream", "TestSupport"]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "Model", "Telling", "TestSupport"]),
        .testTarget(
            name: "PresentingTests",
            dependencies: ["Presenting", "Model", "Reading", "SQLite", "Telling", "TestSupport", "WorkCount"]),
        .testTarget(
            name: "ServingTests",
            dependencies: [
                "Gazetteer", "Serving", "Model", "Pictures", "Presenting", "Reading", "Settings", "SQLite", "Store",
                "TestSupport", "WorkCount", .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(name: "EngineTests", dependencies: ["Engine", "Model", "Telling"]),
        .testTarget(name: "ControlTests", dependencies: ["Control", "TestSupport"]),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "Operations", "Engine", "Fetching", "Files", "Model", "ProcessSupport", "Reading", "Settings",
                "Store", "Telling", "TestSupport", "WorkCount", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "HTTPServiceTests",
            dependencies: [
                "HTTPService", "Model", "Operations", "ProcessSupport", "Serving", "Settings", "Store",
                "TestSupport", .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Simulation", "Engine", "Feeds", "Fetching", "Model", "Operations", "Settings", "SQLite", "Store",
                "Telling",
                "TestSupport",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"]),
        .testTarget(
            name: "ProofTests",
            dependencies: ["visiventd", "Control", "Model", "ProcessSupport", "ScriptedUpstream", "TestSupport"]),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "visiventd", "Control", "Daemon", "Engine", "Feeds", "Fetching", "Gazetteer", "Geocoding", "Model",
                "Operations", "Pictures", "ProcessSupport", "Reading", "SQLite", "ScriptedUpstream", "Settings",
                "Simulation", "Store", "Telling", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

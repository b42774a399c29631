// swift-tools-version: 6.3
import PackageDescription

/// One set of settings for every room: Swift 6, explicit imports, warnings are errors.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

func room(
  _ name: String,
  _ imports: [Target.Dependency],
  resources: [Resource] = []
) -> Target {
  .target(name: name, dependencies: imports, resources: resources, swiftSettings: settings)
}

func tests(
  _ name: String,
  _ imports: [Target.Dependency] = [],
  exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: [.target(name: name), "TestSupport"] + imports,
    exclude: exclude,
    swiftSettings: settings
  )
}

let system: [Target.Dependency] = ["HistoryTypes", "HistoryStore", "ObjectContexts"]

let package = Package(
  name: "persistent-history-lab",
  platforms: [
    .macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
  ],
  products: [
    .library(
      name: "PersistentHistory",
      targets: [
        "PersistentHistory", "HistoryTracking", "ObjectContexts", "HistoryStore", "HistoryTypes",
      ]
    ),
    .library(name: "PropertyTesting", targets: ["PropertyTesting"]),
    .library(name: "PropertyTraits", targets: ["PropertyTraits"]),
    .library(name: "HistoryTesting", targets: ["HistoryTesting", "HistorySystems"]),
    .library(name: "HistoryLabCommand", targets: ["HistoryLabCommand", "HistorySystems"]),
    .executable(name: "history-lab", targets: ["LabProgram"]),
    .plugin(name: "LabPlugin", targets: ["LabPlugin"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),

    // The system.
    room("Basics", []),
    room("SQLiteStorage", ["CSQLite"]),
    room("HistoryTypes", ["Basics"]),
    room("HistoryStore", ["Basics", "HistoryTypes", "SQLiteStorage"]),
    room("HistoryInspection", ["HistoryTypes", "SQLiteStorage", "HistoryStore"]),
    room("ObjectContexts", ["HistoryTypes", "SQLiteStorage", "HistoryStore"]),
    room("HistoryTracking", system),
    room("PersistentHistory", system + ["HistoryTracking"]),

    // The lab.
    room("Traces", ["Basics", "HistoryTypes"]),
    room("PropertyTesting", ["Basics"]),
    room(
      "PropertyTraits",
      [
        "PropertyTesting",
        .target(name: "Programs", condition: .when(platforms: [.macOS, .linux])),
      ]
    ),
    room(
      "Workloads",
      ["HistoryTypes", "Traces", "PropertyTesting"],
      resources: [
        .embedInCode("Profiles/notes.json"), .embedInCode("Profiles/photos.json"),
      ]
    ),
    room("Faults", ["Basics", "Traces", "CSQLite"]),
    room("Programs", []),
    room(
      "DiskScripts",
      system + [
        "HistoryInspection", "HistoryTracking", "SQLiteStorage", "Basics", "Traces", "Faults",
      ]
    ),
    room(
      "Systems",
      system + [
        "HistoryInspection", "HistoryTracking", "SQLiteStorage", "Basics", "Traces", "Programs",
        "DiskScripts",
      ]
    ),
    room("Simulation", ["HistoryTypes", "Systems", "Faults", "Traces"]),
    room("Checkers", ["HistoryTypes", "Traces"]),
    room(
      "ProtocolChecks",
      ["Basics", "HistoryTypes", "Programs", "Systems", "Traces", "Checkers"]
    ),
    room(
      "Stressing",
      system + [
        "HistoryTracking", "SQLiteStorage", "Basics", "Traces", "Faults", "Programs", "Systems",
        "Checkers",
      ]
    ),
    room("Campaigns", ["Basics", "HistoryTypes", "Traces", "Checkers"]),
    room("Measuring", ["Basics"]),
    room("Reporting", ["Basics", "HistoryTypes", "Traces", "Measuring"]),
    room("HistorySystems", ["HistoryTypes", "Traces", "PropertyTesting", "Workloads", "Systems"]),
    room(
      "HistoryTesting",
      [
        "HistoryTypes", "Traces", "PropertyTesting", "Workloads", "Systems", "HistorySystems",
        "Simulation", "Checkers", "Reporting",
      ]
    ),
    .target(name: "BenchmarkFloor", dependencies: ["CSQLite"], path: "Benchmarks/Floor"),
    .target(
      name: "HistoryBenchmarks",
      dependencies: system + [
        "BenchmarkFloor", "HistoryInspection", "HistoryTracking", "Systems", "SQLiteStorage",
        "Basics", "Measuring",
      ],
      path: "Benchmarks",
      exclude: ["Floor", "Thresholds"],
      swiftSettings: settings
    ),
    room(
      "Commands",
      [
        "HistoryTypes", "SQLiteStorage", "HistoryStore", "Basics", "Programs", "Measuring",
        "Reporting",
      ]
    ),
    room(
      "FileCommands",
      [
        "HistoryTypes", "HistoryStore", "HistoryInspection", "Basics", "Measuring", "Reporting",
        "Commands",
      ]
    ),
    room(
      "BenchCommands",
      [
        "HistoryTypes", "Basics", "Programs", "Measuring", "Reporting", "HistoryBenchmarks",
        "Commands",
      ]
    ),
    room(
      "HistoryLab",
      system + [
        "SQLiteStorage", "HistoryInspection", "HistoryTracking", "Basics", "Traces",
        "PropertyTesting", "Workloads", "Faults", "Programs", "Systems", "HistorySystems",
        "Simulation", "Checkers",
        "ProtocolChecks", "Stressing", "Campaigns",
        "Measuring", "Reporting", "HistoryBenchmarks", "Commands", "FileCommands",
        "BenchCommands",
      ]
    ),
    room("HistoryLabCommand", ["HistoryLab", "HistorySystems", "Systems"]),
    .executableTarget(
      name: "LabProgram",
      dependencies: ["HistoryLabCommand"],
      swiftSettings: settings
    ),
    .plugin(
      name: "LabPlugin",
      capability: .command(
        intent: .custom(verb: "history-lab", description: "Runs the command history-lab"),
        permissions: [
          .writeToPackageDirectory(reason: "each run is a folder under Reports/runs")
        ]
      ),
      path: "Sources/LabPlugin"
    ),

    .target(
      name: "TestSupport",
      dependencies: ["Basics"],
      path: "Tests/Support",
      swiftSettings: settings
    ),
    .target(
      name: "StoreFixtures",
      dependencies: ["HistoryTypes", "SQLiteStorage", "HistoryStore", "TestSupport"],
      path: "Tests/StoreFixtures",
      swiftSettings: settings
    ),
    .target(
      name: "Fuzzing",
      dependencies: [
        "HistoryTypes", "SQLiteStorage", "HistoryStore", "HistoryInspection", "Traces",
      ],
      path: "Tests/Fuzzing",
      exclude: ["Corpus", "Driver", "words.dict"],
      swiftSettings: settings
    ),
    tests("Fuzzing"),
    tests("Basics"),
    tests("SQLiteStorage"),
    tests("HistoryTypes", ["PropertyTesting", "PropertyTraits"]),
    tests(
      "HistoryStore",
      [
        "HistoryTypes", "SQLiteStorage", "Faults", "StoreFixtures", "PropertyTesting",
        "PropertyTraits",
      ]
    ),
    tests(
      "HistoryInspection",
      ["HistoryTypes", "SQLiteStorage", "HistoryStore", "StoreFixtures"]
    ),
    tests(
      "ObjectContexts",
      [
        "CSQLite", "SQLiteStorage", "HistoryTypes", "HistoryStore", "StoreFixtures",
        "PropertyTesting",
        "PropertyTraits",
      ]
    ),
    tests(
      "HistoryTracking",
      system + ["SQLiteStorage", "Faults", "StoreFixtures", "PropertyTesting", "PropertyTraits"]
    ),
    tests(
      "Traces",
      ["HistoryTypes", "PropertyTesting", "PropertyTraits"],
      exclude: ["Fixtures"]
    ),
    .target(
      name: "ShrinkingExamples",
      dependencies: ["PropertyTesting", "SQLiteStorage"],
      path: "Tests/ShrinkingExamples",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "ShrinkingTable",
      dependencies: ["PropertyTesting", "ShrinkingExamples"],
      path: "Tests/ShrinkingTable",
      swiftSettings: settings
    ),
    tests("PropertyTesting", ["ShrinkingExamples"]),
    tests("PropertyTraits", ["PropertyTesting"]),
    tests("Workloads", ["HistoryTypes", "Traces", "PropertyTesting", "PropertyTraits"]),
    tests("Faults", ["Traces", "CSQLite", "PropertyTesting", "PropertyTraits"]),
    tests("Programs"),
    tests(
      "Systems",
      system + ["HistoryTracking", "Traces", "Programs", "PropertyTesting", "PropertyTraits"]
    ),
    tests(
      "Simulation",
      [
        "HistoryTypes", "Systems", "Faults", "Traces", "Checkers", "Workloads",
        "PropertyTesting", "PropertyTraits",
      ]
    ),
    tests("Checkers", ["HistoryTypes", "Traces"]),
    tests(
      "Stressing",
      ["Basics", "HistoryStore", "HistoryTypes", "ObjectContexts", "Programs", "Traces"]
    ),
    tests("Campaigns", ["Basics", "HistoryTypes", "PropertyTesting", "PropertyTraits", "Traces"]),
    tests("Measuring"),
    tests("Reporting", ["HistoryTypes", "Traces", "Measuring"]),
    // The examples are packages of their own, which scripts/examples tries with their tests. The
    // design of the first one is also a system of our tests.
    .target(
      name: "FirstBug",
      dependencies: ["HistoryTesting"],
      path: "Tests/Examples/FirstBug/Tests/FirstBugTests",
      exclude: ["MyLogTests.swift"]
    ),
    tests(
      "HistoryTesting",
      ["HistoryTypes", "Traces", "PropertyTesting", "Systems", "HistorySystems", "FirstBug"]
    ),
    tests("HistoryBenchmarks", system + ["BenchmarkFloor", "Measuring"]),
    .target(
      name: "LabFixtures",
      dependencies: [
        "SQLiteStorage", "Programs", "Systems", "Measuring", "Reporting", "Commands",
        "BenchCommands", "HistoryLab", "TestSupport",
      ],
      path: "Tests/LabFixtures",
      swiftSettings: settings
    ),
    tests("Commands", ["LabFixtures", "Basics", "HistoryLab", "Reporting"]),
    tests(
      "FileCommands",
      [
        "LabFixtures", "HistoryTypes", "SQLiteStorage", "HistoryStore", "HistoryInspection",
        "Measuring", "Commands", "HistoryLab", "PropertyTesting", "PropertyTraits",
      ]
    ),
    tests(
      "BenchCommands",
      [
        "LabFixtures", "Measuring", "Reporting", "HistoryBenchmarks", "Commands", "HistoryLab",
      ]
    ),
    tests(
      "HistoryLab",
      [
        "LabFixtures", "Basics", "HistoryTypes", "SQLiteStorage", "HistoryStore",
        "HistoryInspection", "Traces", "Workloads", "Checkers", "Systems", "ProtocolChecks",
        "Stressing", "Simulation", "Campaigns", "Measuring", "Reporting", "PropertyTesting",
        "PropertyTraits", "HistoryBenchmarks", "Programs", "Commands", "FileCommands",
        "BenchCommands", "HistorySystems",
      ],
      exclude: ["Counterexamples", "LeastPlans", "Reached"]
    ),
  ]
)

// Only libFuzzer has the entry point of this program: scripts/fuzz builds it.
if Context.environment["FUZZING"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "FuzzDriver",
      dependencies: ["Fuzzing"],
      path: "Tests/Fuzzing/Driver",
      swiftSettings: settings
    )
  )
}

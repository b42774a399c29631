// swift-tools-version: 6.3
import PackageDescription

// The code of the guides and of the tutorial, as an outside package uses the library.
// scripts/guides builds and runs it, and compares it with the pages word for word.

let tracking: [Target.Dependency] = [
  .product(name: "PersistentHistory", package: "persistent-history-lab")
]
let testing: [Target.Dependency] = [
  .product(name: "PropertyTesting", package: "persistent-history-lab"),
  .product(name: "PropertyTraits", package: "persistent-history-lab"),
  .product(name: "HistoryTesting", package: "persistent-history-lab"),
]

let package = Package(
  name: "guides",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .executableTarget(name: "Guides", dependencies: tracking),
    .executableTarget(name: "LostUpdate", dependencies: tracking),
    .executableTarget(name: "RefusedUpdate", dependencies: tracking),
    .executableTarget(name: "MergedUpdate", dependencies: tracking),
    .executableTarget(name: "SafePurge", dependencies: tracking),
    .testTarget(
      name: "GuidesTests",
      dependencies: tracking + testing,
      exclude: ["Counterexamples", "Log.card.json"]
    ),
  ]
)

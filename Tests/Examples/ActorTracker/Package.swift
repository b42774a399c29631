// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "ActorTracker",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .target(name: "ActorTracker"),
    .testTarget(
      name: "ActorTrackerTests",
      dependencies: [
        "ActorTracker",
        .product(name: "HistoryTesting", package: "persistent-history-lab"),
      ]
    ),
  ]
)

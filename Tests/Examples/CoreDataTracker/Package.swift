// swift-tools-version: 6.3
import PackageDescription

// Core Data under test, written for macOS and not run there by this project. Elsewhere a module
// with the declarations of Core Data that it uses replaces Core Data, so that the code is
// type-checked.
#if os(macOS)
let standIn: [Target] = []
let coreData: [Target.Dependency] = []
#else
let standIn: [Target] = [.target(name: "CoreData", path: "StandIn/CoreData")]
let coreData: [Target.Dependency] = ["CoreData"]
#endif

let package = Package(
  name: "CoreDataTracker",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .target(
      name: "CoreDataTracker",
      dependencies: coreData + [
        .product(name: "HistoryTesting", package: "persistent-history-lab")
      ]
    ),
    .testTarget(
      name: "CoreDataTrackerTests",
      dependencies: [
        "CoreDataTracker",
        .product(name: "HistoryTesting", package: "persistent-history-lab"),
      ]
    ),
  ] + standIn
)

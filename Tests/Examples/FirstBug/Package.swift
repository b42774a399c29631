// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "FirstBug",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .testTarget(
      name: "FirstBugTests",
      dependencies: [.product(name: "HistoryTesting", package: "persistent-history-lab")]
    )
  ]
)

// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "MyLab",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .executableTarget(
      name: "MyLab",
      dependencies: [.product(name: "HistoryLabCommand", package: "persistent-history-lab")]
    )
  ]
)

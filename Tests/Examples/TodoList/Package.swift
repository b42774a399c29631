// swift-tools-version: 6.3
import PackageDescription

// A to-do list in the terminal. Start it in two windows: TodoList todo.store app, TodoList todo.store widget.
// scripts/examples runs two of them under tmux and compares their screens.

let package = Package(
  name: "TodoList",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "persistent-history-lab", path: "../../..")],
  targets: [
    .executableTarget(
      name: "TodoList",
      dependencies: [.product(name: "PersistentHistory", package: "persistent-history-lab")]
    )
  ]
)

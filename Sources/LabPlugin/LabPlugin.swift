import Foundation
import PackagePlugin

/// A command plugin that runs the command `history-lab` from a package that depends on this one.
///
///     swift package --allow-writing-to-package-directory history-lab check --plans 200
///
/// The plugin builds the command for release. The folders of runs are below the package's `Reports`
/// folder. The plugin exits with 0 if the command does, and with 1 for every other exit code.
@main
struct LabPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let note = "Building history-lab for release, which takes minutes the first time.\n"
    FileHandle.standardError.write(Data(note.utf8))
    let result = try packageManager.build(
      .product("history-lab"),
      parameters: .init(configuration: .release)
    )
    guard result.succeeded,
      let executable = result.builtArtifacts.first(where: { $0.kind == .executable })
    else { throw Failure.build(log: result.logText) }
    let process = Process()
    process.executableURL = executable.url
    process.currentDirectoryURL = context.package.directoryURL
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.run(code: process.terminationStatus)
    }
  }
}

/// The reasons why the plugin exits with 1.
enum Failure: Error, CustomStringConvertible {
  case build(log: String)
  case run(code: Int32)

  var description: String {
    switch self {
    case .build(let log): "history-lab does not build:\n\(log)"
    case .run(let code): "history-lab ended with exit code \(code)"
    }
  }
}

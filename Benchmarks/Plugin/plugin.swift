import Foundation
import PackagePlugin

/// A command plugin that runs the benchmarks in the way that users of package-benchmark expect.
///
///     swift package --allow-writing-to-package-directory benchmark
///
/// It builds `history-lab` for release and passes all arguments to its subcommand `bench`; without
/// arguments it runs `bench run`. Its exit status is 0, or 1 for any other exit status of the
/// subcommand.
@main
struct BenchmarkCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
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
    process.arguments = ["bench"] + (arguments.isEmpty ? ["run"] : arguments)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.bench(code: process.terminationStatus)
    }
  }
}

/// The reasons for which the command exits with 1.
enum Failure: Error, CustomStringConvertible {
  case build(log: String)
  case bench(code: Int32)

  var description: String {
    switch self {
    case .build(let log): "history-lab does not build:\n\(log)"
    case .bench(let code): "history-lab bench ended with exit code \(code)"
    }
  }
}

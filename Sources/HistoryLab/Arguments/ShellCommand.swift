import Foundation

/// The words that start this executable, as a person types them in the current folder.
struct ShellCommand: Hashable, Sendable {
  /// The command's name or path, quoted for a shell.
  let text: String

  /// The bare name, for files and pages, which are read on other machines.
  static let plain = ShellCommand(text: ToolSpec.historyLab.name)

  /// A command line for these words, which are already quoted where they need to be.
  func line(_ words: String) -> String { "\(text) \(words)" }
}

extension ShellCommand {
  /// Finds the shortest way to an executable.
  ///
  /// That is the plain name where a shell finds this very executable under it, a path from the current
  /// folder where the executable lies below it, and an absolute path otherwise. A path through a link,
  /// such as SwiftPM's `.build/release`, stays as it was typed: as the first word of the command line.
  ///
  /// The identity of a path is what all paths of one file share; `nil` where no file can be started.
  static func find(
    executable: String,
    typed: String,
    folder: String,
    searchPath: String,
    identity: (String) -> String? = identity
  ) -> ShellCommand {
    guard let wanted = identity(executable) else { return plain }
    // A shell starts the first file of the name. An empty entry is the current folder.
    let named = searchPath.split(separator: ":", omittingEmptySubsequences: false)
      .map { absolute("\($0.isEmpty ? "." : $0)/\(plain.text)", in: folder) }
      .first { identity($0) != nil }
    if let named, identity(named) == wanted { return plain }
    let ways = [typed.contains("/") ? absolute(typed, in: folder) : executable, executable]
    let path = ways.first { identity($0) == wanted } ?? executable
    return ShellCommand(text: relative(path, to: folder).shellQuoted)
  }

  /// The way to this process's own executable.
  static func current(_ executable: String) -> ShellCommand {
    find(
      executable: executable,
      typed: CommandLine.arguments.first ?? "",
      folder: FileManager.default.currentDirectoryPath,
      searchPath: ProcessInfo.processInfo.environment["PATH"] ?? ""
    )
  }

  private static func absolute(_ path: String, in folder: String) -> String {
    let whole = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    return URL(fileURLWithPath: whole).standardizedFileURL.path
  }

  /// The path from a folder where it lies below it; a file of the folder itself begins with `./`, so that
  /// a shell does not take it for a name.
  private static func relative(_ path: String, to folder: String) -> String {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    guard path.hasPrefix(start) else { return path }
    let rest = String(path.dropFirst(start.count))
    return rest.contains("/") ? rest : "./\(rest)"
  }

  /// The path without links of a file that can be started.
  private static func identity(_ path: String) -> String? {
    guard FilePath.state(of: path) == .file, FileManager.default.isExecutableFile(atPath: path)
    else { return nil }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}

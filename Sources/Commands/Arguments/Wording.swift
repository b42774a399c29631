import Basics
import Foundation
import HistoryTypes

extension Int {
  /// The number as text, with commas between groups of three digits.
  package var grouped: String { inGroups }
}

extension Double {
  /// The number as text: without a fraction and with grouped digits if it is whole.
  package var short: String { Int(exactly: self).map(\.grouped) ?? String(self) }
}

extension String {
  /// The text with control and bidirectional characters escaped, which is safe to print on a terminal.
  package var visible: String {
    unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }.joined()
  }
}

/// The words with which a user starts this executable from the current folder.
package struct ShellCommand: Hashable, Sendable {
  /// The command's name or path, quoted for a shell.
  package let text: String

  /// The plain name `history-lab`, for files and pages that are read on other machines.
  package static let plain = ShellCommand(text: ToolSpec.commandName)

  /// Returns a command line with the given arguments, which must already be quoted for a shell.
  package func line(_ words: String) -> String { "\(text) \(words)" }
}

extension ShellCommand {
  /// Returns the shortest command that starts an executable.
  ///
  /// The result is the plain name if a shell finds this executable by its name, a relative path if the
  /// executable is below the current folder, and an absolute path otherwise. If the command line's first
  /// word contains a symbolic link, such as SwiftPM's `.build/release`, that path is kept as typed.
  ///
  /// `identity` returns the same text for all paths of the same file; it returns `nil` if a path is not
  /// an executable file.
  package static func find(
    executable: String,
    typed: String,
    folder: String,
    searchPath: String,
    identity: (String) -> String? = identity
  ) -> ShellCommand {
    guard let wanted = identity(executable) else { return plain }
    // A shell starts the first matching file in `PATH`, where an empty entry means the current folder.
    let named = searchPath.split(separator: ":", omittingEmptySubsequences: false)
      .map { absolute("\($0.isEmpty ? "." : $0)/\(plain.text)", in: folder) }
      .first { identity($0) != nil }
    if let named, identity(named) == wanted { return plain }
    let ways = [typed.contains("/") ? absolute(typed, in: folder) : executable, executable]
    let path = ways.first { identity($0) == wanted } ?? executable
    return ShellCommand(text: relative(path, to: folder).shellQuoted)
  }

  /// Returns the shortest command that starts this process's executable from the current folder.
  ///
  /// `executable` is the path of that executable.
  package static func current(_ executable: String) -> ShellCommand {
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

  /// Returns the path relative to a folder if the path is below the folder; otherwise the path itself.
  ///
  /// A file directly in the folder gets the prefix `./`, so that a shell does not search for the file in
  /// `PATH`.
  private static func relative(_ path: String, to folder: String) -> String {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    guard path.hasPrefix(start) else { return path }
    let rest = String(path.dropFirst(start.count))
    return rest.contains("/") ? rest : "./\(rest)"
  }

  /// Returns a path with symbolic links resolved; `nil` if there is no executable file at the path.
  private static func identity(_ path: String) -> String? {
    guard FilePath.state(of: path) == .file, FileManager.default.isExecutableFile(atPath: path)
    else { return nil }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}

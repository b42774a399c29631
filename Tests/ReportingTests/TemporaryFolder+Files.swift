import Foundation
import TestSupport

extension TemporaryFolder {
  /// The folder.
  var path: String { url.path }

  /// Writes a file and its parent folders.
  func makeFile(_ file: String, _ text: String) throws {
    let url = self.url.appendingPathComponent(file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
  }

  /// Writes an executable file and its parent folders; blocks its thread.
  ///
  /// A shell copies the file. If this process wrote it, a child that another test starts at that moment
  /// would have the file open for writing, and the file could not be executed ("Text file busy").
  func makeExecutable(_ file: String, _ text: String) throws {
    try makeFile("\(file).text", text)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", #"cat "$0.text" >"$0" && chmod 755 "$0""#, path(file)]
    try process.run()
    process.waitUntilExit()
  }

  /// The text of a file, nil if there is none.
  func text(_ file: String) -> String? {
    FileManager.default.contents(atPath: path(file)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Returns the target of a link.
  func target(_ link: String) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: path(link))
  }
}

import Foundation
import TestSupport

extension TemporaryFolder {
  /// The folder.
  var path: String { url.path }

  /// Writes an executable file and its parent folders.
  func makeExecutable(_ file: String, _ text: String) throws {
    let url = self.url.appendingPathComponent(file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
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

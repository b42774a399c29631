import Foundation

/// A folder for one test, which is gone when the test is over.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("reporting-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("\(path) is left behind: \(error)")
    }
  }

  /// Writes a file that can be run, with the folders that it lies in.
  func makeExecutable(_ file: String, _ text: String) throws {
    let url = URL(fileURLWithPath: path).appendingPathComponent(file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
  }

  /// The text of a file, nil if there is none.
  func text(_ file: String) -> String? {
    FileManager.default.contents(atPath: path + "/" + file).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Where a link leads.
  func target(_ link: String) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: path + "/" + link)
  }
}

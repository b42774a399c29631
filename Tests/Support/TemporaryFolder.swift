package import Foundation

/// A folder for the files of one test, removed when the test releases it.
package final class TemporaryFolder: Sendable {
  /// The folder.
  package let url: URL

  /// Creates a new folder.
  ///
  /// - Throws: Errors of the file system.
  package init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("history-lab-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A store whose last task is ending may create its signal file again while the folder is emptied.
    for _ in 1...3 where (try? FileManager.default.removeItem(at: url)) == nil { continue }
    if FileManager.default.fileExists(atPath: url.path) {
      print("The folder \(url.path) of a test could not be removed.")
    }
  }

  /// The path of a file in the folder.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Returns the names and bytes of all files in the folder.
  ///
  /// None of them may be open as a database: closing any descriptor of a file releases the
  /// process's locks on it (https://sqlite.org/howtocorrupt.html, section 2.2).
  package func contents() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      files[name] = try Data(contentsOf: url.appendingPathComponent(name))
    }
    return files
  }

  /// Returns the size of a file in bytes; 0 if it does not exist.
  package func byteCount(_ name: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path(name)) else { return 0 }
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The names of the files in the folder, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
  }
}

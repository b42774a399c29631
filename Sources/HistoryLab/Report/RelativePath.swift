import Foundation

/// Relative paths for links that stay valid when both ends move together.
enum RelativePath {
  /// Returns the relative path from a folder to a file; both may be relative to the current folder.
  static func path(from folder: String, to file: String) -> String {
    let start = parts(folder.isEmpty ? "." : folder)
    let end = parts(file)
    let shared = zip(start, end).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: start.count - shared)
    return (up + end.dropFirst(shared)).joined(separator: "/")
  }

  /// Returns a path for printing: relative to the current folder if it is below that.
  static func shown(_ path: String) -> String {
    let start = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  /// Returns the path from a folder to a counterexample's page; `nil` if that does not exist.
  ///
  /// The page is next to the counterexample's file.
  static func path(from folder: String, toPageOf counterexample: String) -> String? {
    let page = (counterexample as NSString).deletingPathExtension + ".html"
    guard FileManager.default.fileExists(atPath: page) else { return nil }
    return path(from: folder, to: page)
  }

  private static func parts(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.pathComponents
  }
}

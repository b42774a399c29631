import Foundation

/// Ways from one place of the file system to another, for links that survive a move of both.
enum RelativePath {
  /// The way from a folder to a file; either may be given from the current folder.
  static func path(from folder: String, to file: String) -> String {
    let start = parts(folder.isEmpty ? "." : folder)
    let end = parts(file)
    let shared = zip(start, end).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: start.count - shared)
    return (up + end.dropFirst(shared)).joined(separator: "/")
  }

  /// A path as it is printed: from the current folder where it lies below it, else as it is.
  static func shown(_ path: String) -> String {
    let start = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  /// The way from a folder to the page that shows a counterexample, when that lies beside its file.
  static func path(from folder: String, toPageOf counterexample: String) -> String? {
    let page = (counterexample as NSString).deletingPathExtension + ".html"
    guard FileManager.default.fileExists(atPath: page) else { return nil }
    return path(from: folder, to: page)
  }

  private static func parts(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.pathComponents
  }
}

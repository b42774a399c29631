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

  private static func parts(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.pathComponents
  }
}

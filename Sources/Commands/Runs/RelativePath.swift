import Basics
import Foundation
package import Reporting

/// Relative paths for links that remain valid when both files move together.
package enum RelativePath {
  /// Returns the path from a folder to a file; either path may be relative to the current folder.
  package static func path(from folder: String, to file: String) -> String {
    let start = parts(folder.isEmpty ? "." : folder)
    let end = parts(file)
    let shared = zip(start, end).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: start.count - shared)
    return (up + end.dropFirst(shared)).joined(separator: "/")
  }

  /// Returns a path in printable form: relative if it is below the current folder.
  package static func shown(_ path: String) -> String {
    let start = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }

  /// Returns the path from a folder to a counterexample's page; `nil` if the page does not exist.
  ///
  /// The page is in the same folder as the counterexample's file.
  package static func path(from folder: String, toPageOf counterexample: String) -> String? {
    let page = (counterexample as NSString).deletingPathExtension + ".html"
    guard FileManager.default.fileExists(atPath: page) else { return nil }
    return path(from: folder, to: page)
  }

  private static func parts(_ path: String) -> [String] {
    URL(fileURLWithPath: path).standardizedFileURL.pathComponents
  }
}

/// Writes HTML pages and exported files; errors suggest how to choose another path.
package enum PageFile {
  /// Writes a file atomically.
  ///
  /// - Throws: A lab or usage error with the path, the reason, and `option`, which sets the path.
  package static func write(
    _ text: String,
    to path: String,
    for option: String = "--html"
  ) throws(LabError) {
    do throws(RunFolderError) { try FolderAccess.write(text, to: path) } catch {
      throw LabError.folder(error, option)
    }
  }

  /// Creates a folder and its parents, unless they exist.
  ///
  /// - Throws: A lab or usage error with the path, the reason, and `option`, which sets the path.
  package static func makeFolder(_ path: String, for option: String) throws(LabError) {
    do throws(RunFolderError) { try FolderAccess.makeWithParents(path) } catch {
      throw LabError.folder(error, option)
    }
  }
}

extension LabError {
  /// Converts an error about a folder or file whose path an option sets.
  ///
  /// The result is a usage error if another path could help, and a lab error for a full or failing
  /// disk.
  package static func folder(_ error: RunFolderError, _ option: String = "--output") -> LabError {
    var error = error
    error.option = option
    return error.isOfFolder
      ? .usage("\(option): \(error.description).") : .lab("\(error.description).")
  }
}

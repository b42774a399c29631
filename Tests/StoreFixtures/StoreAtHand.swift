import Foundation
import Testing

/// A file to compare: the tests' own or a real one.
package enum StoreAtHand: Sendable, CustomTestStringConvertible {
  case own
  case real(folder: String, name: String)

  /// The tests' own file, and every real one in a folder `shared/stores` above the package.
  package static var all: [StoreAtHand] {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let stores = folder.path + "/shared/stores"
      if FileManager.default.fileExists(atPath: stores) { return [.own] + real(in: stores) }
    }
    return [.own]
  }

  /// The tests' own file and the two smallest real ones; every one if `STORES` is `all`, as at night.
  package static var few: [StoreAtHand] {
    let wanted = ["photos-12.0.1.sqlite", "photos-Faces-10.15.7.sqlite"]
    guard ProcessInfo.processInfo.environment["STORES"] != "all" else { return all }
    return all.filter { store in
      if case .real(_, let name) = store { wanted.contains(name) } else { true }
    }
  }

  private static func real(in folder: String) -> [StoreAtHand] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".sqlite") }.sorted().map { .real(folder: folder, name: $0) }
  }

  package var testDescription: String {
    switch self {
    case .own: "own"
    case .real(_, let name): name
    }
  }

  /// Runs a closure with the path of the file, or of a copy of a real one.
  package func withPath(_ body: (String) throws -> Void) throws {
    switch self {
    case .own:
      let folder = try InspectionFolder()
      try CoreDataFixture.make(at: folder.file("own.sqlite"))
      try body(folder.file("own.sqlite"))
    case .real(let stores, let name):
      // A copy: the code under test may have bugs and must never reach a file outside the test.
      let folder = try InspectionFolder()
      let bytes = try Data(contentsOf: URL(fileURLWithPath: stores + "/" + name))
      try body(try folder.write(bytes, to: name))
    }
  }

  /// Returns the counts of transactions, changes and strings from the table `| file | ... |` in the
  /// folder's README.
  package func expectedCounts() throws -> [Int] {
    guard case .real(let folder, let name) = self else { return [5, 6, 3] }
    let readme = try String(contentsOfFile: folder + "/README.md", encoding: .utf8)
    let wanted = name.dropLast(".sqlite".count)
    for line in readme.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.first == String(wanted) { return cells.dropFirst().compactMap { Int($0) } }
    }
    return []
  }
}

import Foundation

/// A copy of the package whose product contains every mutant behind one switch.
struct Copy {
  let root: String
  let folder: String
  private let files = FileManager.default

  init(root: String, folder: String) {
    self.root = root
    self.folder = folder
  }

  /// Writes the copy; unchanged files keep their modification times, so they are not rebuilt.
  func write(_ sources: [Source], table: String) throws {
    let mutated = Dictionary(uniqueKeysWithValues: try sources.map { ($0.path, try $0.mutated()) })
    var kept: Set<String> = ["Sources/CMutants/include/CMutants.h", "Sources/CMutants/CMutants.c"]
    for room in ["Sources", "Benchmarks"] {
      for path in try files.subpathsOfDirectory(atPath: "\(root)/\(room)").map({ "\(room)/\($0)" })
      {
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        kept.insert(path)
        if path == "Sources/Systems/Mutants/MutantTable.swift" {
          try put(Data(table.utf8), path)
        } else if let text = mutated[path] {
          try put(Data(text.utf8), path)
        } else {
          try put(try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(path)")), path)
        }
      }
    }
    try put(Data(Self.header.utf8), "Sources/CMutants/include/CMutants.h")
    try put(Data(Self.implementation.utf8), "Sources/CMutants/CMutants.c")
    try put(Data(try manifest().utf8), "Package.swift")
    if !files.fileExists(atPath: "\(folder)/Tests") {
      try files.createSymbolicLink(atPath: "\(folder)/Tests", withDestinationPath: "\(root)/Tests")
    }
    for room in ["Sources", "Benchmarks"] {
      for path in try files.subpathsOfDirectory(atPath: "\(folder)/\(room)").map({ "\(room)/\($0)" }
      ) {
        var isFolder: ObjCBool = false
        let isThere = files.fileExists(atPath: "\(folder)/\(path)", isDirectory: &isFolder)
        if isThere, !isFolder.boolValue, !kept.contains(path) {
          try files.removeItem(atPath: "\(folder)/\(path)")
        }
      }
    }
  }

  private func put(_ data: Data, _ path: String) throws {
    let place = URL(fileURLWithPath: "\(folder)/\(path)")
    if let old = try? Data(contentsOf: place), old == data { return }
    try files.createDirectory(
      at: place.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try data.write(to: place)
  }

  /// The manifest with the switch as a room for all targets; unused code is not an error.
  private func manifest() throws -> String {
    var text = try String(contentsOfFile: "\(root)/Package.swift", encoding: .utf8)
    for (old, new) in [
      ("  .treatAllWarnings(as: .error),\n", ""),
      (
        "dependencies: imports, resources: resources",
        "dependencies: imports + [\"CMutants\"], resources: resources"
      ),
      ("    // The system.\n", "    .target(name: \"CMutants\"),\n\n    // The system.\n"),
    ] {
      guard text.ranges(of: old).count == 1 else {
        throw Refusal(
          "Package.swift has changed: \"\(old.trimmingCharacters(in: .whitespacesAndNewlines))\" is not there once."
        )
      }
      text = text.replacingOccurrences(of: old, with: new)
    }
    return text
  }

  private static let header = """
    #include <stdbool.h>
    extern int mutated_number;
    /* Whether a mutant is on. */
    static inline __attribute__((always_inline)) bool mutated(int number) { return mutated_number == number; }
    static inline void mutated_turn_on(int number) { mutated_number = number; }

    """

  private static let implementation = """
    #include "CMutants.h"
    int mutated_number = 0;

    """
}

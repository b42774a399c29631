import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes

/// Targets that replace a store's whole file.
extension FuzzTarget {
  static let file = FuzzTarget(
    "file",
    "Store files, ours and Core Data's: reading one changes no byte of it, and opening one answers or "
      + "refuses with a sentence."
  ) {
    let file = try FuzzStore()
    let templates = [try file.bytes(), try FuzzStore(layout: .coreData).bytes()]
    return { bytes in
      let damaged = damage(templates, bytes)
      try file.replace(with: damaged)
      try read(file)
      try expect(try file.bytes() == damaged, "reading changed the file")
      try write(file)
    }
  }

  /// A template with some bytes changed.
  ///
  /// Each change is two bytes for the place in a page, one for the page and one for the new byte.
  /// An odd first byte selects the second template, and 255 uses the rest of the input unchanged.
  private static func damage(_ templates: [[UInt8]], _ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.first else { return [] }
    if first == .max { return Array(bytes.dropFirst()) }
    var damaged = templates[Int(first) % templates.count]
    let pages = damaged.count / pageSize
    var rest = bytes.dropFirst()
    while rest.count >= 4 {
      let change = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let place = (Int(change[0]) << 8 | Int(change[1])) % pageSize
      damaged[Int(change[2]) % pages * pageSize + place] = change[3]
    }
    return damaged
  }

  private static let pageSize = 4096

  private static func read(_ file: FuzzStore) throws {
    do throws(InspectionError) {
      _ = try StoreInspector(temporaryFolder: file.folder.path).census(of: file.path)
    } catch {
      try expect(!error.description.isEmpty, "refused without a sentence")
    }
    _ = try answered { () throws(HistoryError) in
      let store = try Store(reading: file.path, copyingTo: file.folder.path)
      try store.fetch(HistoryRequest(after: nil)).readAll()
      _ = try store.verify()
    }
  }

  private static func write(_ file: FuzzStore) throws {
    _ = try answered { () throws(HistoryError) in
      let store = try Store(path: file.path, configuration: file.configuration)
      try store.fetch(HistoryRequest(after: nil)).readAll()
      var isDone = false
      try store.batchInsert(into: "Item", by: BatchAuthor("fuzz")) { row in
        defer { isDone = true }
        if !isDone { row.set("new", at: 0) }
        return !isDone
      }
      _ = try store.purge(before: store.currentToken())
    }
  }
}

import CSQLite
import Faults
import Foundation
import Testing

struct LikeRealFilesTests {
  /// Every answer of every statement, locks that are busy included, is that of `os_unix.c`.
  @Test(arguments: [("WAL", 1), ("WAL", 2), ("DELETE", 3), ("TRUNCATE", 4)] as [(String, UInt64)])
  func `Thousands of random transactions go as on real files`(
    mode: String,
    seed: UInt64
  ) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("faults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let plan = RandomPlan(seed: seed, connectionCount: 3, stepCount: 4000)

    let files = HeapFileSystem()
    let onHeap = try Self.run(plan, mode: mode, "app.store", files)
    let onDisk = try Self.run(
      plan,
      mode: mode,
      folder.appendingPathComponent("app.store").path,
      nil
    )

    for (heap, disk) in zip(onHeap, onDisk) where heap != disk {
      Issue.record("on the heap: \(heap); on disk: \(disk)")
      break
    }
    #expect(onHeap.filter { $0.contains("code: 5") }.count > 100)
    #expect(onHeap.last == #"["ok"]"#)
  }

  /// The answers of all steps, then the table, then the verdict of an integrity check.
  private static func run(
    _ plan: RandomPlan,
    mode: String,
    _ path: String,
    _ files: HeapFileSystem?
  ) throws -> [String] {
    let connections = try (0..<3).map { _ in try Connection(path, on: files) }
    try connections[0].run(
      "PRAGMA journal_mode = \(mode); CREATE TABLE item (id INTEGER PRIMARY KEY, n)"
    )
    for connection in connections {
      try connection.run(
        "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20; PRAGMA cache_size = 8"
      )
    }
    let answers = plan.run(on: connections)
    for connection in connections { _ = connection.code("ROLLBACK") }
    return try answers + connections[0].items
      + ["\(connections[1].run("PRAGMA integrity_check"))"]
  }
}

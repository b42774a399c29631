import CSQLite
import Faults
import Foundation
import PropertyTesting
import PropertyTraits
import Synchronization
import TestSupport
import Testing

struct LikeRealFilesTests {
  /// Compares every result of every statement, busy locks included, with `os_unix.c`.
  @Test(.property(cases: 3, seed: 1), arguments: ["WAL", "DELETE", "TRUNCATE"])
  func `Thousands of random transactions behave as on real files`(mode: String) async throws {
    let busyCount = Mutex(0)
    try await property(.plans(connectionCount: 3, stepCount: 400)) { plan in
      let folder = try TemporaryFolder()
      let onHeap = try Self.run(plan, mode: mode, "app.store", HeapFileSystem())
      let onDisk = try Self.run(plan, mode: mode, folder.path("app.store"), nil)
      let difference = zip(onHeap, onDisk).first { $0 != $1 }
      #expect(difference == nil)
      #expect(onHeap.count == onDisk.count)
      #expect(onHeap.last == #"["ok"]"#)
      busyCount.withLock { $0 += onHeap.count { $0.contains("code: 5") } }
    }
    #expect(busyCount.withLock { $0 } > 25)
  }

  /// Returns the results of all steps, then the table, then the result of an integrity check.
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

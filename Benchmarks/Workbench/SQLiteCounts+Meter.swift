import BenchmarkFloor
import Foundation
import Measuring
import SQLiteStorage

extension SQLiteCounts {
  /// The counts as a meter reads them, of the connections that ``counting(_:)`` has noted.
  static var source: WorkMeter.Source {
    WorkMeter.Source([.vmSteps, .pageReads, .pageWrites, .rowsWritten]) { numbers in
      var counts = SQLiteCounts()
      counts_read(&counts)
      numbers[0] = counts.vm_steps
      numbers[1] = counts.page_reads
      numbers[2] = counts.page_writes
      numbers[3] = counts.rows
    }
  }

  /// One thread counts at a time; another waits.
  private static let lock = NSLock()

  /// Counts what the connections do that this thread opens in a closure.
  ///
  /// - Throws: ``FloorError`` when SQLite takes no extension, and what the closure throws.
  static func counting<Answer>(_ body: () throws -> Answer) throws -> Answer {
    lock.lock()
    defer { lock.unlock() }
    let code = counts_start()
    guard code == 0 else { throw FloorError(code: code, message: "no extension for counts") }
    defer { counts_stop() }
    return try body()
  }
}

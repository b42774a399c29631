import BenchmarkFloor
import Foundation
import Measuring
import SQLiteStorage

extension SQLiteCounts {
  /// The counts of the connections recorded by ``counting(_:)``, as a source for a meter.
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

  /// Held while counting: only one thread can count at a time.
  private static let lock = NSLock()

  /// Counts the work of the connections that this thread opens in a closure.
  ///
  /// - Throws: ``FloorError`` if SQLite rejects the extension, or what the closure throws.
  static func counting<Answer>(_ body: () throws -> Answer) throws -> Answer {
    lock.lock()
    defer { lock.unlock() }
    let code = counts_start()
    guard code == 0 else { throw FloorError(code: code, message: "no extension for counts") }
    defer { counts_stop() }
    return try body()
  }
}

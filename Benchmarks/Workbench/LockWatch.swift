import BenchmarkFloor
import HistoryStore

/// Records how long a store's connections hold the write lock, using its own file system.
enum LockWatch {
  /// The name in results for the durations of single holders of the lock.
  static let contender = "write lock"

  /// Returns the configuration of a store whose locks are recorded.
  ///
  /// It does not signal other processes, because signalling does not work with a custom file
  /// system.
  ///
  /// - Throws: ``FloorError`` if SQLite rejects the file system.
  static func configuration() throws(FloorError) -> StoreConfiguration {
    let code = locks_register()
    guard code == 0 else { throw FloorError(code: code, message: "no file system for locks") }
    var configuration = StoreTemplate.quietConfiguration
    configuration.vfs = String(cString: locks_vfs)
    return configuration
  }

  /// Runs a closure, and returns the duration of each hold of the lock, in nanoseconds.
  static func holds(during body: () throws -> Void) throws -> [Double] {
    locks_reset()
    try body()
    let noted = min(locks_count(), Int64(LOCKS_NOTED))
    var holds = (0..<noted).map { Double(locks_hold_ns($0)) }
    let longest = Double(locks_longest_ns())
    if noted > 0 && holds.max() != longest { holds.append(longest) }
    return holds
  }
}

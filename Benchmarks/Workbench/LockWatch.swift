import BenchmarkFloor
import HistoryStore

/// Notes for how long a store's connections hold the write lock, from the file system's side.
enum LockWatch {
  /// Who is measured, in results: the time that one holder has the lock.
  static let contender = "write lock"

  /// How a store is opened whose locks are noted; it tells no other process, for that goes without a
  /// file system of one's own.
  ///
  /// - Throws: ``FloorError`` when SQLite does not take the file system.
  static func configuration() throws(FloorError) -> StoreConfiguration {
    let code = locks_register()
    guard code == 0 else { throw FloorError(code: code, message: "no file system for locks") }
    var configuration = StoreTemplate.quietConfiguration
    configuration.vfs = String(cString: locks_vfs)
    return configuration
  }

  /// Runs a closure, and answers how long each holder had the lock meanwhile, in nanoseconds.
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

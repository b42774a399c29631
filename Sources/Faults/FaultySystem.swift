/// A file system for SQLite whose calls can be made to fail, and whose power can go.
package protocol FaultySystem: AnyObject, Sendable {
  /// The name to give to `sqlite3_open_v2` or to `vfs=` in a URI; no other instance has it.
  var name: String { get }
  /// Makes calls fail from now on; their counts start here, and earlier faults end.
  func arm(_ faults: [FileFault])
  /// Ends all faults and tells what each did since it was armed, in the order they were given.
  @discardableResult
  func disarm() -> [FaultTally]
  /// Counts everything written so far as durable, and keeps what is not synced from now on.
  func watchPower(_ watch: PowerWatch)
  /// Lets the power go between two calls.
  func turnOff(_ loss: PowerLoss)
  /// Turns the power on: files can be opened again.
  func turnOn()
  /// Whether the power is off.
  var isOff: Bool { get }
}

extension HeapFileSystem: FaultySystem {}

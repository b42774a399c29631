/// A file system for SQLite that can inject failures into calls and simulate a power-off.
package protocol FaultySystem: AnyObject, Sendable {
  /// The name to pass to `sqlite3_open_v2`, or as `vfs=` in a URI; unique to this instance.
  var name: String { get }
  /// Replaces the armed faults; their counts start at 0.
  func arm(_ faults: [FileFault])
  /// Disarms all faults, and returns their tallies in the order in which they were armed.
  @discardableResult
  func disarm() -> [FaultTally]
  /// Treats everything written so far as durable, and starts tracking unsynced writes.
  func watchPower(_ watch: PowerWatch)
  /// Turns the power off between two calls.
  func turnOff(_ loss: PowerLoss)
  /// Turns the power on, so that files can be opened again.
  func turnOn()
  /// Whether the power is off.
  var isOff: Bool { get }
}

extension HeapFileSystem: FaultySystem {}

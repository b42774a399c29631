/// When the write-ahead log is copied into the file: once in so many frames, not at every commit as
/// SQLite does while a reader keeps the log from starting over (10 times slower commits were
/// measured).
package struct CheckpointPolicy {
  private let every: Int32
  private var next: Int32

  /// Creates the policy for an empty log.
  package init(every: Int32) {
    self.every = every
    next = every
  }

  /// Whether a log of so many frames is due.
  package mutating func isDue(frames: Int32) -> Bool {
    if frames < next - every { next = every }
    guard frames >= next else { return false }
    next = frames + every
    return true
  }
}

/// A policy that checkpoints the write-ahead log after a number of frames, not at every commit.
///
/// SQLite's own automatic checkpoint runs at every commit while a reader keeps the log from
/// restarting; commits were measured to be 10 times slower then.
package struct CheckpointPolicy {
  private let every: Int32
  private var next: Int32

  /// Creates the policy for an empty log.
  package init(every: Int32) {
    self.every = every
    next = every
  }

  /// Returns whether a log with this many frames is due for a checkpoint.
  package mutating func isDue(frames: Int32) -> Bool {
    if frames < next - every { next = every }
    guard frames >= next else { return false }
    next = frames + every
    return true
  }
}

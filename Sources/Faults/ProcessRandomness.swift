internal import CSQLite

/// SQLite's own random generator, one for the whole process.
///
/// The salts of a WAL and the checksum seed of a journal come from it. SQLite seeds it from the
/// default VFS at its first use, or at the next use after `sqlite3_randomness(0, NULL)`.
enum ProcessRandomness {
  /// Held while the generator is restarted.
  private static let turn = Lock()
  /// Held while bytes are drawn from `source`: any thread may be the first to draw.
  private static let sourceLock = Lock()
  nonisolated(unsafe) private static var source = SplitMix(seed: 0)

  /// A copy of the default VFS that differs only in its randomness.
  ///
  /// Files that another thread opens while the copy is the default are still real files. It is
  /// never freed, because such files refer to it.
  nonisolated(unsafe) private static let seedingSystem:
    (copy: UnsafeMutablePointer<sqlite3_vfs>, original: UnsafeMutablePointer<sqlite3_vfs>) = {
      guard let original = sqlite3_vfs_find(nil) else {
        fatalError("SQLite has no default VFS: nothing to seed its random generator with")
      }
      let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
      copy.initialize(to: original.pointee)
      copy.pointee.pNext = nil
      copy.pointee.xRandomness = { _, count, bytes in
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        sourceLock.held { source.fill(buffer) }
        return count
      }
      return (copy, original)
    }()

  /// Restarts the generator from a seed, which then alone determines the bytes drawn.
  static func restart(seed: UInt64) {
    turn.held {
      let (copy, original) = seedingSystem
      sourceLock.held { source = SplitMix(seed: seed) }
      sqlite3_vfs_register(copy, 1)
      sqlite3_randomness(0, nil)
      var drawn: UInt8 = 0
      sqlite3_randomness(1, &drawn)
      sqlite3_vfs_register(original, 1)
      sqlite3_vfs_unregister(copy)
    }
  }
}

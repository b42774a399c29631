internal import CSQLite

/// SQLite's own random generator, one for the whole process.
///
/// The salts of a WAL and the checksum seed of a journal come from it. SQLite seeds it from the
/// default VFS at its first use, or at the next use after `sqlite3_randomness(0, NULL)`.
enum ProcessRandomness {
  /// Held while the generator starts again.
  private static let turn = Lock()
  /// Held while the seed is drawn: any thread may be the first to draw.
  private static let sourceLock = Lock()
  nonisolated(unsafe) private static var source = SplitMix(seed: 0)

  /// A copy of the default VFS that differs in its randomness alone.
  ///
  /// What another thread opens while it is the default is a real file all the same. It is never
  /// freed: such a file refers to it.
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

  /// Starts the generator again from a seed: what the process draws next depends on it alone.
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

internal import CSQLite
internal import Synchronization

/// SQLite's own random generator, one for the whole process.
///
/// The salts of a WAL and the checksum seed of a journal come from it. SQLite seeds it from the
/// default VFS at its first use, or at the next use after `sqlite3_randomness(0, NULL)`.
enum ProcessRandomness {
  private static let source = Mutex(SplitMix(seed: 0))

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
        source.withLock { $0.fill(buffer) }
        return count
      }
      return (copy, original)
    }()

  private static let turn = Mutex(())

  /// Starts the generator again from a seed: what the process draws next depends on it alone.
  static func restart(seed: UInt64) {
    turn.withLock { _ in
      let (copy, original) = seedingSystem
      source.withLock { $0 = SplitMix(seed: seed) }
      sqlite3_vfs_register(copy, 1)
      sqlite3_randomness(0, nil)
      var drawn: UInt8 = 0
      sqlite3_randomness(1, &drawn)
      sqlite3_vfs_register(original, 1)
      sqlite3_vfs_unregister(copy)
    }
  }
}

/// A disk's address, and the lock that guards it.
///
/// Every handle has a copy, so that a call reaches the disk through pointers alone, without a
/// reference count, a hash or a check of exclusive access.
struct SharedDisk {
  private let lock: Lock
  private let disk: UnsafeMutablePointer<HeapDisk>

  /// Creates an empty disk.
  init(seed: UInt64) {
    lock = Lock()
    disk = .allocate(capacity: 1)
    disk.initialize(to: HeapDisk(seed: seed))
  }

  /// Frees the disk with all its files; no handle may be open.
  func deallocate() {
    disk.pointee.deallocate()
    disk.deinitialize(count: 1)
    disk.deallocate()
    lock.deallocate()
  }

  /// Runs a closure on the disk while holding the lock.
  @inline(__always)
  func locked<Answer>(_ body: (inout HeapDisk) -> Answer) -> Answer {
    lock.held { body(&disk.pointee) }
  }
}

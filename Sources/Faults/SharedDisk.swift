internal import Synchronization

/// The way to a disk: its address, and the mutex that whoever reads or changes it holds.
///
/// Every handle has a copy, so that a call reaches the disk through pointers alone, without a
/// reference count, a hash or a check of exclusive access.
struct SharedDisk {
  private let mutex: UnsafeMutablePointer<Mutex<Void>>
  private let disk: UnsafeMutablePointer<HeapDisk>

  /// Makes an empty disk.
  init(seed: UInt64) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: Mutex(()))
    disk = .allocate(capacity: 1)
    disk.initialize(to: HeapDisk(seed: seed))
  }

  /// Frees the disk with all its files; no handle may be open.
  func deallocate() {
    disk.pointee.deallocate()
    disk.deinitialize(count: 1)
    disk.deallocate()
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Runs a closure on the disk while no other thread does.
  @inline(__always)
  func locked<Answer: Sendable>(_ body: (inout HeapDisk) -> Answer) -> Answer {
    mutex.pointee.withLock { _ in body(&disk.pointee) }
  }
}

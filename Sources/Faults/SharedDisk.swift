/// The way to a disk: its address, and the lock that whoever reads or changes it holds.
///
/// Every handle has a copy, so that a call reaches the disk through pointers alone, without a
/// reference count, a hash or a check of exclusive access.
struct SharedDisk {
  private let lock: Lock
  private let disk: UnsafeMutablePointer<HeapDisk>

  /// Makes an empty disk.
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

  /// Runs a closure on the disk while no other thread does.
  @inline(__always)
  func locked<Answer>(_ body: (inout HeapDisk) -> Answer) -> Answer {
    lock.held { body(&disk.pointee) }
  }
}

internal import CSQLite

/// One file on the heap: a growable buffer, its lock, and its shared memory.
///
/// Its address is stable while it has a path or an open handle, or is a spare file of its disk.
struct HeapFile {
  /// The file's path on the disk, or `nil` once it is deleted, and for temporary files.
  var path: String?
  /// The number of handles that SQLite has open.
  var openCount = 0
  var lock = DatabaseLock()
  var memory = SharedMemory()
  /// The writes that a power-off would lose, or `nil` if they are not tracked.
  var unsynced: UnsyncedWrites?
  /// Whether a power-off occurred while handles were open; all calls of these handles fail.
  var isDead = false

  private var start: UnsafeMutableRawPointer?
  /// The size of the file in bytes.
  private(set) var count = 0
  /// The size of the buffer in bytes; bytes beyond `count` are undefined.
  private(set) var capacity = 0

  /// Creates an empty file.
  init(path: String?) {
    self.path = path
  }

  /// Copies bytes out and returns how many there were; the rest of the target becomes zero.
  @inline(__always)
  func read(into target: UnsafeMutableRawPointer, at offset: Int, count wanted: Int) -> Int {
    let there = Swift.max(0, Swift.min(wanted, count - offset))
    if there > 0, let start { target.copyMemory(from: start + offset, byteCount: there) }
    if there < wanted {
      (target + there).initializeMemory(as: UInt8.self, repeating: 0, count: wanted - there)
    }
    return there
  }

  /// Writes bytes; a gap between the end and the offset is filled with zeros.
  @inline(__always)
  mutating func write(_ source: UnsafeRawPointer, at offset: Int, count written: Int) {
    let end = offset + written
    unsynced?.write(source, at: offset, count: written)
    if end > capacity { reserve(end) }
    if offset > count { clear(count..<offset) }
    if let start { (start + offset).copyMemory(from: source, byteCount: written) }
    if end > count { count = end }
  }

  /// Shortens the file, or extends it with zeros.
  mutating func truncate(to size: Int) {
    unsynced?.truncate(to: size)
    if size > count {
      reserve(size)
      clear(count..<size)
    }
    count = size
  }

  /// Makes room for a file of `size` bytes; the buffer grows by doubling.
  ///
  /// - Complexity: O(`count`) bytes when it grows.
  mutating func reserve(_ size: Int) {
    guard size > capacity else { return }
    let larger = Swift.max(size, capacity * 2, Self.leastCapacity)
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 64)
    if let start {
      buffer.copyMemory(from: start, byteCount: count)
      start.deallocate()
    }
    start = buffer
    capacity = larger
  }

  /// Frees the buffer and the shared memory.
  mutating func deallocate() {
    start?.deallocate()
    start = nil
    count = 0
    capacity = 0
    memory.deallocate()
  }

  /// The size of the first buffer in bytes: enough for a small store with its first pages of log.
  private static let leastCapacity = 64 << 10

  private func clear(_ range: Range<Int>) {
    guard let start else { return }
    (start + range.lowerBound).initializeMemory(as: UInt8.self, repeating: 0, count: range.count)
  }
}

extension HeapFile {
  /// Whether no handle is inside a transaction.
  var isIdle: Bool { !lock.isReserved && memory.isIdle }

  /// The number of bytes allocated, used or not.
  var allocatedBytes: Int { capacity + memory.allocatedBytes }

  /// Copies the file's bytes.
  func image() -> FileImage {
    FileImage(copying: start, count: count)
  }

  /// Returns the difference between the file and an image.
  func difference(from image: FileImage?) -> FileDifference {
    var difference = FileDifference()
    difference.append(UnsafeRawBufferPointer(start: start, count: count), unlike: image)
    return difference
  }

  /// Replaces the file's bytes by an image with a difference applied.
  mutating func restore(_ difference: FileDifference?, over image: FileImage?) {
    unsynced = nil
    isDead = false
    count = 0
    guard let difference else { return }
    reserve(difference.count)
    count = difference.count
    let target = UnsafeMutableRawBufferPointer(start: start, count: count)
    difference.write(0..<count, to: target, over: image)
  }

  /// Replaces the file's bytes by those of an image, or empties it if `nil`.
  ///
  /// It stops tracking the file's unsynced writes.
  mutating func restore(_ image: FileImage?) {
    unsynced = nil
    isDead = false
    count = 0
    image?.bytes.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { write(source, at: 0, count: bytes.count) }
    }
  }
}

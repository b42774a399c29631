internal import Basics
internal import CSQLite

/// One file on the heap: a growable buffer, its lock, and its shared memory.
///
/// A file stays at its address while it has a path or an open handle. It may also stay as a spare:
/// an unused file that is kept so that a later file can use its buffer.
struct HeapFile {
  /// The file's path on the disk; `nil` for temporary and deleted files.
  var path: String?
  /// The number of handles on the file that SQLite has open.
  var openCount = 0
  var lock = DatabaseLock()
  var memory = SharedMemory()
  /// The writes that a power-off would lose; `nil` if writes are not tracked.
  var unsynced: UnsyncedWrites?
  /// Whether the file was lost in a power-off; calls of its open handles, except unlocks, then fail.
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

  /// Copies bytes of the file to a target, and returns the number of bytes copied.
  ///
  /// The rest of the target is filled with zeros.
  @inline(__always)
  func read(into target: UnsafeMutableRawPointer, at offset: Int, count wanted: Int) -> Int {
    let there = Swift.max(0, Swift.min(wanted, count - offset))
    if there > 0, let start { target.copyMemory(from: start + offset, byteCount: there) }
    if there < wanted {
      (target + there).initializeMemory(as: UInt8.self, repeating: 0, count: wanted - there)
    }
    return there
  }

  /// Writes bytes; a gap between the end of the file and the offset is filled with zeros.
  @inline(__always)
  mutating func write(_ source: UnsafeRawPointer, at offset: Int, count written: Int) {
    let end = offset + written
    unsynced?.write(source, at: offset, count: written)
    if end > capacity { reserve(end) }
    if offset > count { clear(count..<offset) }
    if let start { (start + offset).copyMemory(from: source, byteCount: written) }
    if end > count { count = end }
  }

  /// Shortens the file, or extends the file with zeros.
  mutating func truncate(to size: Int) {
    unsynced?.truncate(to: size)
    if size > count {
      reserve(size)
      clear(count..<size)
    }
    count = size
  }

  /// Reserves memory for a file of `size` bytes; a buffer that grows at least doubles its size.
  ///
  /// - Complexity: O(``count``), the present size of the file, when the buffer grows.
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

  /// The size of the first buffer in bytes: enough for a small store, or the first pages of a WAL.
  private static let leastCapacity = 64 << 10

  private func clear(_ range: Range<Int>) {
    guard let start else { return }
    (start + range.lowerBound).initializeMemory(as: UInt8.self, repeating: 0, count: range.count)
  }
}

extension HeapFile {
  /// Whether no handle is inside a transaction.
  var isIdle: Bool { !lock.isReserved && memory.isIdle }

  /// The number of allocated bytes, used or not.
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

  /// Replaces the file's bytes with an image to which a difference is applied.
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

  /// Replaces the file's bytes with those of an image; `nil` empties the file.
  ///
  /// The file's unsynced writes are no longer tracked.
  mutating func restore(_ image: FileImage?) {
    unsynced = nil
    isDead = false
    count = 0
    image?.bytes.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { write(source, at: 0, count: bytes.count) }
    }
  }
}

/// The synced bytes of a file, and the changes since its last sync.
///
/// After a power-off the file has its synced bytes and, depending on the kind of power-off, none or
/// any subset of the sectors written later: between two syncs a disk writes sectors in any order,
/// each completely or not at all (https://sqlite.org/atomiccommit.html, section 2). The deletion of
/// a file is durable at once.
struct UnsyncedWrites {
  /// The size of a sector in bytes, which a disk writes completely or not at all.
  static let sectorSize = 512

  private enum Change {
    case write(at: Int, [UInt8])
    case truncate(to: Int)
  }

  /// The bytes of the file at its last sync.
  private var synced: [UInt8]
  private var changes: [Change] = []
  /// The number of changes before the latest delayed sync; the file's next sync makes them durable.
  ///
  /// A delayed sync reports success, but does not make the changes before it durable.
  private var delayedCount = 0

  /// Creates the state of a file whose current bytes are durable.
  init(synced: [UInt8]) { self.synced = synced }

  /// Creates the state of a file in which all differences from the synced bytes count as one write.
  init(synced: [UInt8], now bytes: [UInt8]) {
    self.synced = synced
    changes = [.truncate(to: bytes.count), .write(at: 0, bytes)]
  }

  /// Whether a power-off would lose no writes.
  var isEmpty: Bool { changes.isEmpty }

  /// Returns the difference between the durable bytes and an image.
  func difference(from image: FileImage?) -> FileDifference {
    var difference = FileDifference()
    synced.withUnsafeBytes { difference.append($0, unlike: image) }
    return difference
  }

  mutating func write(_ source: UnsafeRawPointer, at offset: Int, count: Int) {
    let bytes = [UInt8](UnsafeRawBufferPointer(start: source, count: count))
    changes.append(.write(at: offset, bytes))
  }

  mutating func truncate(to size: Int) { changes.append(.truncate(to: size)) }

  /// Makes all changes durable.
  mutating func sync() {
    for change in changes { Self.apply(change, to: &synced) { _ in true } }
    changes.removeAll(keepingCapacity: true)
    delayedCount = 0
  }

  /// Records a delayed sync: it reports success, but takes effect only at the file's next sync.
  ///
  /// Makes the changes before the previous delayed sync durable.
  mutating func delaySync() {
    for change in changes.prefix(delayedCount) {
      Self.apply(change, to: &synced) { _ in true }
    }
    changes.removeFirst(delayedCount)
    delayedCount = changes.count
  }

  /// Returns the bytes that the file has after a power-off.
  ///
  /// Without a generator, all unsynced changes are lost. With a generator, each sector and each change
  /// of size is kept at random, with a probability from 0 to 1 that is drawn first.
  func survivors(tornBy random: inout SplitMix64?) -> [UInt8] {
    guard !changes.isEmpty, var source = random else { return synced }
    var bytes = synced
    let share = [0, 32, 128, 224, 256][Int(source.next() % 5)]
    for change in changes {
      Self.apply(change, to: &bytes) { _ in source.next() % 256 < share }
    }
    random = source
    return bytes
  }

  /// Applies those sectors of a change that survive the power-off.
  private static func apply(
    _ change: Change,
    to bytes: inout [UInt8],
    _ isKept: (_ offset: Int) -> Bool
  ) {
    switch change {
    case .truncate(let size):
      guard isKept(0) else { return }
      if size < bytes.count { bytes.removeLast(bytes.count - size) }
      grow(&bytes, to: size)
    case .write(let offset, let source):
      var start = 0
      while start < source.count {
        let end = min(source.count, ((offset + start) / sectorSize + 1) * sectorSize - offset)
        if isKept(offset + start) {
          grow(&bytes, to: offset + end)
          bytes.replaceSubrange(offset + start..<offset + end, with: source[start..<end])
        }
        start = end
      }
    }
  }

  /// Extends the bytes with zeros up to a size.
  private static func grow(_ bytes: inout [UInt8], to size: Int) {
    guard bytes.count < size else { return }
    bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
  }
}

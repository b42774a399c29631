/// The synced bytes of a file, and the changes since its last sync.
///
/// At a power-off the file keeps its synced bytes, and either none or any subset of the sectors
/// written later: between two syncs a disk writes sectors in any order, each completely or not at
/// all (https://sqlite.org/atomiccommit.html, section 2). The deletion of a file is durable at
/// once.
struct UnsyncedWrites {
  /// The unit that a disk writes completely or not at all, in bytes.
  static let sectorSize = 512

  private enum Change {
    case write(at: Int, [UInt8])
    case truncate(to: Int)
  }

  /// The bytes as they were at the last sync.
  private var synced: [UInt8]
  private var changes: [Change] = []
  /// The number of changes covered by a sync that reported success but did not take effect.
  private var delayedCount = 0

  /// Creates the state of a file whose bytes are durable.
  init(synced: [UInt8]) { self.synced = synced }

  /// Creates the state of a file whose bytes differ from the durable ones by one later write.
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

  /// Makes the changes covered by the previous delayed sync durable, and records this sync.
  mutating func delaySync() {
    for change in changes.prefix(delayedCount) {
      Self.apply(change, to: &synced) { _ in true }
    }
    changes.removeFirst(delayedCount)
    delayedCount = changes.count
  }

  /// Returns the bytes that survive a power-off.
  ///
  /// Without a generator, no unsynced change survives. With one, each sector and each change of
  /// size survives at random, with a probability that is drawn first (from 0 to 1).
  func survivors(tornBy random: inout SplitMix?) -> [UInt8] {
    guard !changes.isEmpty, var source = random else { return synced }
    var bytes = synced
    let share = [0, 32, 128, 224, 256][Int(source.next() % 5)]
    for change in changes {
      Self.apply(change, to: &bytes) { _ in source.next() % 256 < share }
    }
    random = source
    return bytes
  }

  /// Applies those sectors of a change that are kept.
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

  /// Extends the bytes with zeros.
  private static func grow(_ bytes: inout [UInt8], to size: Int) {
    guard bytes.count < size else { return }
    bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
  }
}

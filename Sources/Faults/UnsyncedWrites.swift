/// What a file holds for good, and what was written to it since its last sync.
///
/// At a power-off the file keeps its synced bytes, and of what came after nothing, or any subset of its
/// sectors: a disk writes them in whatever order it likes between two syncs, each whole or not at all
/// (https://sqlite.org/atomiccommit.html, section 2). That a file was deleted is durable at once.
struct UnsyncedWrites {
  /// The unit that a disk writes whole or not at all, in bytes.
  static let sectorSize = 512

  private enum Change {
    case write(at: Int, [UInt8])
    case truncate(to: Int)
  }

  /// The bytes as they were at the last sync.
  private var synced: [UInt8]
  private var changes: [Change] = []
  /// How many changes were there when a sync was acknowledged that has not taken place.
  private var delayedCount = 0

  /// Starts with a file whose bytes are durable.
  init(synced: [UInt8]) { self.synced = synced }

  /// Starts with a file that holds other bytes than the durable ones, all written since.
  init(synced: [UInt8], now bytes: [UInt8]) {
    self.synced = synced
    changes = [.truncate(to: bytes.count), .write(at: 0, bytes)]
  }

  /// Whether a power-off would lose nothing.
  var isEmpty: Bool { changes.isEmpty }

  /// What differs between the durable bytes and an image.
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

  /// Makes everything durable.
  mutating func sync() {
    for change in changes { Self.apply(change, to: &synced) { _ in true } }
    changes.removeAll(keepingCapacity: true)
    delayedCount = 0
  }

  /// Makes durable what was there at the sync before, and only notes this one.
  mutating func delaySync() {
    for change in changes.prefix(delayedCount) {
      Self.apply(change, to: &synced) { _ in true }
    }
    changes.removeFirst(delayedCount)
    delayedCount = changes.count
  }

  /// What a power-off leaves.
  ///
  /// Without randomness nothing that was not synced is left; with it each sector and each change of the
  /// size is left or not, from mostly to seldom as a first draw says.
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

  /// Fills up with zeros.
  private static func grow(_ bytes: inout [UInt8], to size: Int) {
    guard bytes.count < size else { return }
    bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
  }
}

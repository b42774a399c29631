internal import CSQLite

/// The shared memory of one database in WAL mode: regions of the WAL index and eight lock slots.
///
/// A slot is one of the locks with which SQLite coordinates the connections that use a WAL, such as
/// the lock of the writer. Regions never move while a handle maps them. The content is discarded
/// when the last handle unmaps the memory, just as `os_unix.c` clears the content that an earlier
/// process left. The allocations are kept for the next store that uses the file.
struct SharedMemory {
  /// The size of every region in bytes, as requested by SQLite (`WALINDEX_PGSZ`).
  static let regionSize = 32 << 10

  /// The lock slots that one handle holds, one bit per slot.
  struct Holding {
    var shared: UInt16 = 0
    var exclusive: UInt16 = 0
    var isMapped = false

    /// Whether the handle holds no lock slot; its connection is then outside a transaction.
    var isEmpty: Bool { shared | exclusive == 0 }
  }

  /// All allocated regions, of which the first `regionCount` are in use.
  private var regions: [UnsafeMutableRawPointer] = []
  private var regionCount = 0
  private var mapperCount = 0
  /// The number of shared holders of each slot, or -1 for a slot with an exclusive holder.
  private var slots = SIMD8<Int16>(repeating: 0)

  /// Whether any handle has mapped the shared memory.
  var isMapped: Bool { mapperCount > 0 }
  /// Whether no handle holds a lock slot.
  var isIdle: Bool { slots == SIMD8(repeating: 0) }
  /// The number of allocated bytes, in use or not.
  var allocatedBytes: Int { regions.count * Self.regionSize }

  /// Returns a region; `nil` if the region does not exist and may not be created.
  mutating func map(
    _ index: Int,
    extending: Bool,
    _ holding: inout Holding
  ) -> UnsafeMutableRawPointer? {
    if !holding.isMapped {
      holding.isMapped = true
      mapperCount += 1
    }
    if index >= regionCount {
      guard extending else { return nil }
      extend(to: index + 1)
    }
    return regions[index]
  }

  /// Locks `count` slots from `first` on, shared or exclusive; if any slot is busy, locks none.
  mutating func lock(
    first: Int,
    count: Int,
    exclusively: Bool,
    _ holding: inout Holding
  ) -> Int32 {
    let mask = Self.mask(first, count)
    if exclusively {
      for slot in first..<first + count
      where holding.exclusive & Self.mask(slot, 1) == 0 && slots[slot] != 0 {
        return SQLITE_BUSY
      }
      for slot in first..<first + count { slots[slot] = -1 }
      holding.exclusive |= mask
    } else if holding.shared & mask == 0 {
      guard slots[first] >= 0 else { return SQLITE_BUSY }
      slots[first] += 1
      holding.shared |= mask
    }
    return SQLITE_OK
  }

  /// Unlocks the slots that the handle holds among the `count` slots from `first` on.
  mutating func unlock(first: Int, count: Int, _ holding: inout Holding) {
    for slot in first..<first + count {
      let bit = Self.mask(slot, 1)
      if holding.exclusive & bit != 0 {
        slots[slot] = 0
      } else if holding.shared & bit != 0 {
        slots[slot] -= 1
      }
    }
    let mask = Self.mask(first, count)
    holding.shared &= ~mask
    holding.exclusive &= ~mask
  }

  /// Unmaps a handle's memory and unlocks its slots; the last handle also discards the content.
  mutating func unmap(_ holding: inout Holding) {
    guard holding.isMapped else { return }
    unlock(first: 0, count: slots.scalarCount, &holding)
    holding.isMapped = false
    mapperCount -= 1
    if mapperCount == 0 { regionCount = 0 }
  }

  /// Frees every region.
  mutating func deallocate() {
    for region in regions { region.deallocate() }
    regions = []
    regionCount = 0
  }

  private static func mask(_ first: Int, _ count: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: (1 << (first + count)) - (1 << first))
  }

  /// Increases the number of regions in use to `count`; new regions are filled with zeros.
  private mutating func extend(to count: Int) {
    while regions.count < count {
      regions.append(.allocate(byteCount: Self.regionSize, alignment: 64))
    }
    for index in regionCount..<max(count, regionCount) { clear(index) }
    regionCount = max(count, regionCount)
  }

  private func clear(_ index: Int) {
    regions[index].initializeMemory(as: UInt8.self, repeating: 0, count: Self.regionSize)
  }
}

extension SharedMemory {
  /// Copies the regions in use, one after the other.
  func image() -> FileImage {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(regionCount * Self.regionSize)
    for region in regions[..<regionCount] {
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: region, count: Self.regionSize))
    }
    return FileImage(bytes: bytes)
  }

  /// Replaces the content of the regions with an image; the regions stay at their addresses.
  ///
  /// Regions that the image lacks become zero, which makes SQLite recover the index from the WAL.
  mutating func restore(_ image: FileImage?) {
    let bytes = image?.bytes ?? []
    let wholeCount = bytes.count / Self.regionSize
    extend(to: wholeCount)
    bytes.withUnsafeBytes { source in
      for index in 0..<wholeCount {
        let start = index * Self.regionSize
        UnsafeMutableRawBufferPointer(start: regions[index], count: Self.regionSize)
          .copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[start..<start + Self.regionSize])
          )
      }
    }
    for index in wholeCount..<regionCount { clear(index) }
  }

  /// Returns the difference between the regions in use and an image.
  func difference(from image: FileImage?) -> FileDifference {
    var difference = FileDifference()
    for region in regions[..<regionCount] {
      let bytes = UnsafeRawBufferPointer(start: region, count: Self.regionSize)
      difference.append(bytes, unlike: image)
    }
    return difference
  }

  /// Replaces the content with an image to which a difference is applied; missing regions become zero.
  mutating func restore(_ difference: FileDifference?, over image: FileImage?) {
    let wholeCount = (difference?.count ?? 0) / Self.regionSize
    extend(to: wholeCount)
    for index in 0..<wholeCount {
      let start = index * Self.regionSize
      difference?.write(
        start..<start + Self.regionSize,
        to: UnsafeMutableRawBufferPointer(start: regions[index], count: Self.regionSize),
        over: image
      )
    }
    for index in wholeCount..<regionCount { clear(index) }
  }
}

/// The lock of one database file, shared by its handles.
///
/// The five levels and their transitions are those of https://sqlite.org/lockingv3.html, as
/// `os_unix.c` implements them for the handles of one process. Each handle stores its own level and
/// passes the level in. No call waits: a lock that cannot be granted returns `SQLITE_BUSY` at once.
struct DatabaseLock {
  /// The highest level that any handle holds.
  private(set) var level = SQLITE_LOCK_NONE
  /// The number of handles that hold `SHARED` or more.
  private(set) var holderCount = 0

  /// Whether a handle may have uncommitted changes in the file.
  var isReserved: Bool { level > SQLITE_LOCK_SHARED }

  /// Raises a handle's lock level from `held` to `wanted`; returns `SQLITE_OK` or `SQLITE_BUSY`.
  ///
  /// If only shared locks of other handles prevent an exclusive lock, the level becomes pending.
  mutating func raise(_ held: inout Int32, to wanted: Int32) -> Int32 {
    if held >= wanted { return SQLITE_OK }
    let isElsewhere = held != level
    if isElsewhere && (level >= SQLITE_LOCK_PENDING || wanted > SQLITE_LOCK_SHARED) {
      return SQLITE_BUSY
    }
    if wanted == SQLITE_LOCK_SHARED {
      holderCount += 1
      held = SQLITE_LOCK_SHARED
      level = max(level, SQLITE_LOCK_SHARED)
      return SQLITE_OK
    }
    if wanted == SQLITE_LOCK_EXCLUSIVE && holderCount > 1 {
      held = SQLITE_LOCK_PENDING
      level = SQLITE_LOCK_PENDING
      return SQLITE_BUSY
    }
    held = wanted
    level = wanted
    return SQLITE_OK
  }

  /// Lowers the level of a handle's lock from `held` to `wanted`, which is shared or none.
  mutating func lower(_ held: inout Int32, to wanted: Int32) {
    if held <= wanted { return }
    if held > SQLITE_LOCK_SHARED { level = SQLITE_LOCK_SHARED }
    if wanted == SQLITE_LOCK_NONE {
      holderCount -= 1
      if holderCount == 0 { level = SQLITE_LOCK_NONE }
    }
    held = wanted
  }
}

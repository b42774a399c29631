/// The bytes of the strings and blobs of some rows: they stay where they are until all are forgotten.
struct RowBytes: ~Copyable {
  /// How many bytes the buffer has at first, and at most when it is kept for other rows.
  private static let capacityMin = 4096
  private static let capacityMax = 512 * 1024

  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// How many bytes of the buffer are used.
  private var used = 0
  /// Buffers that became too small while rows lay in them.
  private var full: [UnsafeMutableRawPointer] = []
  private var fullCount = 0

  init() {
    capacity = Self.capacityMin
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    base.deallocate()
    for buffer in full { buffer.deallocate() }
  }

  /// How many bytes are kept.
  var count: Int { used + fullCount }

  /// Copies bytes, and answers where they lie.
  @inline(__always)
  mutating func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    if bytes.count > capacity - used { replace(bytes.count) }
    let place = base + used
    if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
    used += bytes.count
    return place
  }

  private mutating func replace(_ wanted: Int) {
    full.append(base)
    fullCount += used
    reserve(max(capacity * 2, wanted))
  }

  private mutating func reserve(_ count: Int) {
    capacity = count
    base = .allocate(byteCount: count, alignment: 16)
    used = 0
  }

  /// Forgets all bytes, and gives back a buffer that became large.
  mutating func removeAll() {
    used = 0
    if !full.isEmpty { removeFull() }
  }

  private mutating func removeFull() {
    for buffer in full { buffer.deallocate() }
    full.removeAll()
    fullCount = 0
    guard capacity > Self.capacityMax else { return }
    base.deallocate()
    reserve(Self.capacityMin)
  }
}

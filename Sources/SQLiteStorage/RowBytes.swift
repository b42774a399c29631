/// The bytes of the strings and blobs of a block, at stable addresses until all are removed.
struct RowBytes: ~Copyable {
  /// The initial size of the buffer, and the maximum size that is kept for reuse, in bytes.
  private static let capacityMin = 4096
  private static let capacityMax = 512 * 1024

  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  /// The number of used bytes in the buffer.
  private var used = 0
  /// Earlier buffers that became too small but still contain bytes of rows.
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

  /// The number of bytes in all buffers.
  var count: Int { used + fullCount }

  /// Copies bytes, and returns the address of the copy.
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

  /// Removes all bytes, and frees a buffer that has grown large.
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

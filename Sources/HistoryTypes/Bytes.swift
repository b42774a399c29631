/// A growing byte buffer that packs numbers and strings.
///
/// Each connection reuses one writer, so that a write to the file allocates no memory.
@usableFromInline
package struct ByteWriter: ~Copyable {
  @usableFromInline
  var base: UnsafeMutablePointer<UInt8>
  @usableFromInline
  var capacity: Int
  /// The number of bytes written since the last ``removeAll()``.
  @usableFromInline
  package internal(set) var count = 0

  package init(capacity: Int = 4096) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// The bytes written; valid until the next write.
  @inlinable
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inlinable
  package mutating func removeAll() { count = 0 }

  @inlinable
  @inline(__always)
  package mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @usableFromInline
  mutating func grow(_ more: Int) {
    let wanted = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
    capacity = wanted
  }

  @inlinable
  @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends a number with seven bits per byte, low bits first (LEB128).
  ///
  /// The high bit of a byte is set if more bytes follow.
  @inlinable
  @inline(__always)
  package mutating func append(varint value: UInt64) {
    reserve(10)
    let start = base + count
    count += Self.put(value, at: start) - start
  }

  /// Appends two numbers like ``append(varint:)``, with a single capacity check.
  @inlinable
  @inline(__always)
  package mutating func append(varints first: UInt64, _ second: UInt64) {
    reserve(20)
    let start = base + count
    count += Self.put(second, at: Self.put(first, at: start)) - start
  }

  /// Writes a number at `start` in the form of ``append(varint:)``, and returns the position after it.
  ///
  /// A number with fewer than `countMin` bytes is padded to `countMin` bytes.
  @inlinable
  @inline(__always)
  package static func put(
    _ value: UInt64,
    countMin: Int = 1,
    at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var (place, rest) = (start, value)
    let last = start + (countMin - 1)
    while rest >= 0x80 || place < last {
      place.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      place += 1
      rest >>= 7
    }
    place.pointee = UInt8(truncatingIfNeeded: rest)
    return place + 1
  }

  /// Returns an unsigned number that is small if the signed number has a small magnitude.
  @inlinable
  @inline(__always)
  package static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: value << 1 ^ value >> 63)
  }

  /// Appends a signed number, in fewer bytes for smaller magnitudes.
  @inlinable
  @inline(__always)
  package mutating func append(zigzag value: Int64) {
    append(varint: Self.zigzag(value))
  }

  package mutating func append(double value: Double) {
    append(littleEndian: value.bitPattern)
  }

  package mutating func append(littleEndian value: UInt64) {
    reserve(8)
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      base[count] = UInt8(truncatingIfNeeded: value >> shift)
      count += 1
    }
  }

  /// Replaces one byte with a number in the form of ``append(varint:)``.
  ///
  /// If the number needs more than one byte, the bytes after the replaced one move toward the end.
  @inlinable
  @inline(__always)
  package mutating func replaceByte(at position: Int, withVarint value: UInt64) {
    if value < 0x80 {
      base[position] = UInt8(truncatingIfNeeded: value)
    } else {
      replaceByte(at: position, withLongVarint: value)
    }
  }

  @usableFromInline
  mutating func replaceByte(at position: Int, withLongVarint value: UInt64) {
    let more = (70 - value.leadingZeroBitCount) / 7 - 1
    reserve(more)
    let place = UnsafeMutableRawPointer(base + position + 1)
    (place + more).copyMemory(from: place, byteCount: count - position - 1)
    _ = Self.put(value, at: base + position)
    count += more
  }

  @inlinable
  package mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }

  /// Appends two bytes, then the length of `bytes` like ``append(varint:)``, then `bytes` itself.
  ///
  /// The capacity is checked once.
  @inlinable
  package mutating func append(
    _ first: UInt8,
    _ second: UInt8,
    countAndContentsOf bytes: UnsafeRawBufferPointer
  ) {
    reserve(12 + bytes.count)
    base[count] = first
    base[count + 1] = second
    let place = Self.put(UInt64(bytes.count), at: base + count + 2)
    if let start = bytes.baseAddress {
      UnsafeMutableRawPointer(place).copyMemory(from: start, byteCount: bytes.count)
    }
    count = place - base + bytes.count
  }
}

/// A reader of the bytes from a ``ByteWriter``; reads past the end return `nil` and never trap.
///
/// The bytes must outlive the reader.
@usableFromInline
package struct ByteReader {
  @usableFromInline
  let base: UnsafePointer<UInt8>?
  @usableFromInline
  let end: Int
  /// The number of bytes read.
  @usableFromInline
  package internal(set) var position = 0

  @inlinable
  package init(_ bytes: UnsafeRawBufferPointer) {
    base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    end = bytes.count
  }

  @inlinable
  package var isAtEnd: Bool { position >= end }

  @inlinable
  @inline(__always)
  package mutating func byte() -> UInt8? {
    guard position < end, let base else { return nil }
    defer { position += 1 }
    return base[position]
  }

  @inlinable
  @inline(__always)
  package mutating func varint() -> UInt64? {
    guard let base, position < end else { return nil }
    let first = base[position]
    position += 1
    if first < 0x80 { return UInt64(first) }
    return longVarint(UInt64(first & 0x7f))
  }

  @inlinable
  mutating func longVarint(_ low: UInt64) -> UInt64? {
    var value = low
    var shift: UInt64 = 7
    while shift < 64, let next = byte() {
      let bits = UInt64(next & 0x7f)
      guard shift < 63 || bits <= 1 else { return nil }
      value |= bits << shift
      if next < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  @inlinable
  @inline(__always)
  package mutating func zigzag() -> Int64? {
    guard let raw = varint() else { return nil }
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  package mutating func double() -> Double? {
    guard let bits = littleEndian() else { return nil }
    return Double(bitPattern: bits)
  }

  package mutating func littleEndian() -> UInt64? {
    guard let bytes = take(8) else { return nil }
    return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the next `length` bytes, or `nil` if fewer are left.
  @inlinable
  package mutating func take(_ length: Int) -> UnsafeRawBufferPointer? {
    guard length >= 0, length <= end - position else { return nil }
    defer { position += length }
    return UnsafeRawBufferPointer(start: base.map { $0 + position }, count: length)
  }
}

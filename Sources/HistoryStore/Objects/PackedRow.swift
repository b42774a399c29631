package import HistoryTypes
import SQLiteStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The packed form of a row: which attributes have a value, then these values in order.
///
/// The first bytes have a bit for each attribute that is not null. An integer has seven bits per byte, a
/// double and a date have eight bytes, a Boolean value one, a UUID sixteen; texts and data have their
/// length before their bytes. Only this library writes packed rows, so reading them needs no checks.
@usableFromInline
package enum PackedRow {
  /// Appends a packed row with the given values, whose types must be `types` or null.
  package static func append(
    _ values: ArraySlice<Value>,
    of types: [AttributeType],
    to bytes: inout [UInt8]
  ) {
    let start = beginRow(types.count, in: &bytes)
    var attribute = 0
    for value in values {
      if append(value, of: types[attribute], to: &bytes) { mark(attribute, start, in: &bytes) }
      attribute += 1
    }
  }

  /// The maximum number of bytes of a packed number.
  package static let numberByteCountMax = 10

  /// Appends a packed row with some attributes replaced by values, one for each bit of `columns`.
  package static func append(
    _ row: UnsafeRawPointer,
    setting columns: UInt64,
    to given: [Value],
    of types: [AttributeType],
    to bytes: inout [UInt8]
  ) {
    let start = beginRow(types.count, in: &bytes)
    var reader = PackedRowReader(row, types)
    var next = 0
    for attribute in types.indices {
      let old = reader.next()
      if columns >> UInt64(attribute) & 1 == 1 {
        if append(given[next], of: types[attribute], to: &bytes) {
          mark(attribute, start, in: &bytes)
        }
        next += 1
      } else if let old {
        bytes.append(contentsOf: old)
        mark(attribute, start, in: &bytes)
      }
    }
  }

  /// Replaces some attributes in place, if the new values fit into the bytes of the old values.
  ///
  /// - Returns: `false` if a value does not fit. Other attributes may already be replaced then.
  package static func replace(
    _ columns: UInt64,
    with given: [Value],
    in row: UnsafeMutableRawPointer,
    of types: [AttributeType]
  ) -> Bool {
    var reader = PackedRowReader(UnsafeRawPointer(row), types)
    var (next, left) = (0, columns)
    for attribute in types.indices where left != 0 {
      let old = reader.next()
      guard left >> UInt64(attribute) & 1 == 1 else { continue }
      left &= left - 1
      guard let old else {
        guard case .null = given[next] else { return false }
        next += 1
        continue
      }
      let place = UnsafeMutableRawBufferPointer(mutating: old)
      guard given[next].type == types[attribute], replace(place, with: given[next]) else {
        return false
      }
      next += 1
    }
    return true
  }

  private static func replace(_ old: UnsafeMutableRawBufferPointer, with value: Value) -> Bool {
    guard let place = old.baseAddress else { return false }
    func put(_ bits: UInt64) { place.storeBytes(of: bits.littleEndian, as: UInt64.self) }
    switch value {
    case .null, .data: return false
    case .int(let value): return replace(place, old.count, with: ByteWriter.zigzag(value))
    case .double(let value): put(value.bitPattern)
    case .date(let value): put(value.timeIntervalSinceReferenceDate.bitPattern)
    case .bool(let value): place.storeBytes(of: value ? 1 : 0, as: UInt8.self)
    case .uuid(let value): place.storeBytes(of: value.uuid, as: uuid_t.self)
    case .string(var value):
      let count = UInt64(value.utf8.count)
      guard byteCount(ofVarint: count) + Int(count) == old.count else { return false }
      value.withUTF8 { text in
        guard let start = text.baseAddress else { return }
        (place + old.count - text.count).copyMemory(from: start, byteCount: text.count)
      }
    }
    return true
  }

  /// Replaces a packed number of `count` bytes, unless the new number needs more bytes.
  ///
  /// A number that needs fewer bytes is followed by spare bytes, which do not change its value.
  package static func replace(
    _ place: UnsafeMutableRawPointer,
    _ count: Int,
    with value: UInt64
  ) -> Bool {
    guard byteCount(ofVarint: value) <= count else { return false }
    var rest = value
    for offset in 0..<count {
      let more: UInt8 = offset < count - 1 ? 0x80 : 0
      let byte = UInt8(truncatingIfNeeded: rest & 0x7f) | more
      place.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      rest >>= 7
    }
    return true
  }

  /// The number of bytes of a packed number.
  private static func byteCount(ofVarint value: UInt64) -> Int {
    (70 - (value | 1).leadingZeroBitCount) / 7
  }

  /// Returns the value of the attribute with the index `attribute` in a packed row.
  package static func value(
    _ attribute: Int,
    in row: UnsafeRawPointer,
    of types: [AttributeType]
  ) -> Value {
    var reader = PackedRowReader(row, types)
    for _ in 0..<attribute { _ = reader.next() }
    return reader.next().map { value($0, types[attribute]) } ?? .null
  }

  /// Returns the values of a row, one for each attribute.
  package static func values(in row: UnsafeRawPointer, of types: [AttributeType]) -> [Value] {
    var reader = PackedRowReader(row, types)
    return types.map { type in reader.next().map { value($0, type) } ?? .null }
  }

  /// Returns the number of bytes of a row.
  package static func byteCount(of row: UnsafeRawPointer, _ types: [AttributeType]) -> Int {
    var reader = PackedRowReader(row, types)
    for _ in types.indices { _ = reader.next() }
    return reader.place - row
  }

  private static func append(varint value: UInt64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: numberByteCountMax) { room in
      guard let begin = room.baseAddress else { return }
      let end = ByteWriter.put(value, at: begin)
      bytes.append(contentsOf: UnsafeBufferPointer(start: begin, count: end - begin))
    }
  }

  /// Reads a number that ``ByteWriter/put(_:countMin:at:)`` wrote, and moves `place` past it.
  @inlinable
  @inline(__always)
  package static func varint(at place: inout UnsafeRawPointer) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = place.load(as: UInt8.self)
      place += 1
      value |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
  }

  /// Reads a signed number, and moves `place` past it.
  @inlinable
  @inline(__always)
  package static func zigzag(at place: inout UnsafeRawPointer) -> Int64 {
    signed(varint(at: &place))
  }

  @inlinable
  static func signed(_ raw: UInt64) -> Int64 {
    Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  @inline(__always)
  private static func beginRow(_ width: Int, in bytes: inout [UInt8]) -> Int {
    let start = bytes.count
    for _ in 0..<(width + 7) >> 3 { bytes.append(0) }
    return start
  }

  /// Marks an attribute of the row that begins at `start` as not null.
  private static func mark(_ attribute: Int, _ start: Int, in bytes: inout [UInt8]) {
    bytes[start + attribute >> 3] |= 1 << UInt8(attribute & 7)
  }

  /// Appends a value, and returns whether it is not null.
  static func append(
    _ value: Value,
    of type: AttributeType,
    to bytes: inout [UInt8]
  ) -> Bool {
    guard let found = value.type else { return false }
    guard found == type else {
      fatalError("A packed row got a value of type \(found) for an attribute of type \(type).")
    }
    switch value {
    case .null: return false
    case .int(let value): append(varint: ByteWriter.zigzag(value), to: &bytes)
    case .double(let value): append(value.bitPattern, to: &bytes)
    case .date(let value): append(value.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .string(var value):
      value.withUTF8 { text in
        append(varint: UInt64(text.count), to: &bytes)
        bytes.append(contentsOf: text)
      }
    case .data(let value):
      append(varint: UInt64(value.count), to: &bytes)
      bytes.append(contentsOf: value)
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }
    return true
  }

  @inline(__always)
  private static func append(_ bits: UInt64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Returns the value that the bytes of a ``PackedRowReader`` represent.
  private static func value(_ bytes: UnsafeRawBufferPointer, _ type: AttributeType) -> Value {
    guard var place = bytes.baseAddress else { return .null }
    func double() -> Double {
      Double(bitPattern: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self)))
    }
    func content() -> UnsafeRawBufferPointer {
      let count = Int(truncatingIfNeeded: varint(at: &place))
      return UnsafeRawBufferPointer(start: place, count: count)
    }
    return switch type {
    case .int: .int(zigzag(at: &place))
    case .double: .double(double())
    case .date: .date(Date(timeIntervalSinceReferenceDate: double()))
    case .bool: .bool(place.load(as: UInt8.self) != 0)
    case .string: .string(String(decoding: content(), as: UTF8.self))
    case .data: .data(Data(content()))
    case .uuid: .uuid(UUID(uuid: place.loadUnaligned(as: uuid_t.self)))
    }
  }
}

/// A reader of a packed row's values, from the first attribute on.
private struct PackedRowReader {
  private let row: UnsafeRawPointer
  private let types: [AttributeType]
  private var attribute = 0
  /// The start of the next value.
  private(set) var place: UnsafeRawPointer

  init(_ row: UnsafeRawPointer, _ types: [AttributeType]) {
    (self.row, self.types) = (row, types)
    place = row + (types.count + 7) >> 3
  }

  /// Returns the bytes of the next attribute's value, or `nil` for null.
  @inline(__always)
  mutating func next() -> UnsafeRawBufferPointer? {
    let index = attribute
    attribute += 1
    guard row.load(fromByteOffset: index >> 3, as: UInt8.self) >> UInt8(index & 7) & 1 == 1 else {
      return nil
    }
    let start = place
    switch types[index] {
    case .int: _ = PackedRow.varint(at: &place)
    case .double, .date: place += 8
    case .bool: place += 1
    case .uuid: place += 16
    case .string, .data:
      let count = PackedRow.varint(at: &place)
      place += Int(truncatingIfNeeded: count)
    }
    return UnsafeRawBufferPointer(start: start, count: place - start)
  }
}

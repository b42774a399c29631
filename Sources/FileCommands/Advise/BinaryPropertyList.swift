/// A value of a binary property list, with the references that keyed archives contain.
///
/// `PropertyListSerialization` does not return these references (`CF$UID`) in a form that can be read on
/// every platform.
enum BinaryValue: Hashable, Sendable {
  case integer(Int64)
  case text(String)
  /// A reference to an object of a keyed archive, by its index.
  case reference(Int)
  case array([BinaryValue])
  case dictionary([String: BinaryValue])
  /// A value of another type, such as a date or data.
  case other

  /// The value of a key; `nil` if this value is not a dictionary, or lacks the key.
  subscript(key: String) -> BinaryValue? {
    if case .dictionary(let members) = self { members[key] } else { nil }
  }

  var elements: [BinaryValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The text; `nil` if the value is not a text.
  var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// Reads binary property lists: the format `bplist00` of `CFBinaryPList.c`.
///
/// Every offset and count is checked, so that invalid bytes neither crash the reader nor keep it busy.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 0
  /// The number of values that may still be read.
  ///
  /// The limit ends the reading of property lists that refer to the same values many times.
  private var left = 100_000

  /// Returns the root value of a property list; `nil` if the bytes are not a valid property list.
  static func value(_ bytes: [UInt8]) -> BinaryValue? {
    guard bytes.starts(with: Array("bplist00".utf8)), bytes.count >= 40 else { return nil }
    var list = BinaryPropertyList(bytes: bytes)
    guard let top = list.readTrailer() else { return nil }
    return list.value(at: top, depth: 0)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads the table of offsets, and returns the index of the root value.
  ///
  /// `nil` if the bytes are not a valid property list.
  private mutating func readTrailer() -> Int? {
    let trailer = bytes.count - 32
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = number(at: trailer + 8, size: 8), let top = number(at: trailer + 16, size: 8),
      let table = number(at: trailer + 24, size: 8), table <= trailer,
      count <= (trailer - table) / offsetSize, top < count
    else { return nil }
    offsets = (0..<count).compactMap { number(at: table + $0 * offsetSize, size: offsetSize) }
    return offsets.count == count ? top : nil
  }

  /// Reads an unsigned number, most significant byte first; `nil` if it is too large or beyond the end.
  private func number(at offset: Int, size: Int) -> Int? {
    guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else { return nil }
    let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }

  private mutating func value(at index: Int, depth: Int) -> BinaryValue? {
    left -= 1
    guard left > 0, depth < 32, offsets.indices.contains(index) else { return nil }
    let offset = offsets[index]
    guard let marker = number(at: offset, size: 1) else { return nil }
    let low = marker & 0xF
    switch marker >> 4 {
    case 1:
      guard low <= 3 else { return .other }
      let size = 1 << low
      // Integers of eight bytes are signed; shorter ones are not.
      guard offset < bytes.count - size else { return nil }
      let bits = bytes[offset + 1..<offset + 1 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return .integer(Int64(bitPattern: bits))
    case 5, 6: return text(at: offset, low, unitSize: marker >> 4 == 5 ? 1 : 2)
    case 8: return number(at: offset + 1, size: low + 1).map { .reference($0) }
    case 0xA:
      guard let indexes = references(at: offset, low, perCount: 1) else { return nil }
      return values(indexes, depth).map { .array($0) }
    case 0xD:
      guard let indexes = references(at: offset, low, perCount: 2) else { return nil }
      return dictionary(indexes, depth)
    default: return .other
    }
  }

  /// Returns the number of elements of an object, and the offset of the first one.
  private func extent(at offset: Int, _ low: Int) -> (count: Int, start: Int)? {
    if low < 0xF { return (low, offset + 1) }
    guard let marker = number(at: offset + 1, size: 1), marker >> 4 == 1, marker & 0xF <= 3,
      let count = number(at: offset + 2, size: 1 << (marker & 0xF)), count <= bytes.count
    else { return nil }
    return (count, offset + 2 + 1 << (marker & 0xF))
  }

  private func text(at offset: Int, _ low: Int, unitSize: Int) -> BinaryValue? {
    guard let (count, start) = extent(at: offset, low), start <= bytes.count,
      count * unitSize <= bytes.count - start
    else { return nil }
    let content = bytes[start..<start + count * unitSize]
    if unitSize == 1 { return .text(String(decoding: content, as: UTF8.self)) }
    let units = (0..<count).map { place in
      UInt16(content[start + 2 * place]) << 8 | UInt16(content[start + 2 * place + 1])
    }
    return .text(String(decoding: units, as: UTF16.self))
  }

  private func references(at offset: Int, _ low: Int, perCount: Int) -> [Int]? {
    guard let (count, start) = extent(at: offset, low) else { return nil }
    let indexes = (0..<count * perCount).compactMap { place in
      number(at: start + place * referenceSize, size: referenceSize)
    }
    return indexes.count == count * perCount ? indexes : nil
  }

  private mutating func values(_ indexes: [Int], _ depth: Int) -> [BinaryValue]? {
    var values: [BinaryValue] = []
    for index in indexes {
      guard let value = value(at: index, depth: depth + 1) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func dictionary(_ indexes: [Int], _ depth: Int) -> BinaryValue? {
    guard let values = values(indexes, depth) else { return nil }
    let count = values.count / 2
    var members: [String: BinaryValue] = [:]
    for place in 0..<count {
      guard let key = values[place].text else { return nil }
      members[key] = values[count + place]
    }
    return .dictionary(members)
  }
}

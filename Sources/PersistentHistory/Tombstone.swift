/// The packed form of the values that a deleted object leaves in history.
///
/// For each value: the attribute's position, a tag for its storage class, the value. A null leaves
/// nothing. The store checks the length of every tombstone when it reads a page; what lies in one is
/// read only when someone asks for it.
package enum Tombstone {
  /// The storage classes of SQLite, as tags.
  package enum Tag: UInt8 {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
  }

  /// Unpacks the values by attribute name; nothing when the bytes are not a tombstone of the entity.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer,
    of entity: Entity
  ) -> [String: Value]? {
    var reader = ByteReader(bytes)
    var values: [String: Value] = [:]
    while !reader.isAtEnd {
      guard let position = reader.byte(), Int(position) < entity.attributes.count else {
        return nil
      }
      let attribute = entity.attributes[Int(position)]
      guard let value = value(from: &reader, as: attribute.type) else { return nil }
      values[attribute.name] = value
    }
    return values
  }

  private static func value(from reader: inout ByteReader, as type: AttributeType) -> Value? {
    guard let tag = reader.byte().flatMap(Tag.init(rawValue:)) else { return nil }
    switch tag {
    case .integer: return reader.zigzag().flatMap { Value(stored: $0, as: type) }
    case .real: return reader.double().flatMap { Value(stored: $0, as: type) }
    case .text, .blob:
      guard let length = reader.varint(), length <= UInt64(Int32.max),
        let bytes = reader.take(Int(length))
      else { return nil }
      return Value(stored: bytes, as: type)
    }
  }
}

extension Value {
  /// The value of a type that is stored as an integer, or nothing.
  @inline(__always)
  package init?(stored integer: Int64, as type: AttributeType) {
    switch type {
    case .int: self = .int(integer)
    case .bool: self = .bool(integer != 0)
    case .double: self = .double(Double(integer))
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: Double(integer)))
    case .string, .data, .uuid: return nil
    }
  }

  /// The value of a type that is stored as a double, or nothing.
  @inline(__always)
  package init?(stored real: Double, as type: AttributeType) {
    switch type {
    case .double: self = .double(real)
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: real))
    case .int, .bool, .string, .data, .uuid: return nil
    }
  }

  /// The value of a type that is stored as text or bytes, or nothing.
  package init?(stored bytes: UnsafeRawBufferPointer, as type: AttributeType) {
    switch type {
    case .string: self = .string(String(decoding: bytes, as: UTF8.self))
    case .data: self = .data(Data(bytes))
    case .uuid:
      guard bytes.count == 16 else { return nil }
      self = .uuid(UUID(bytes: bytes))
    case .int, .bool, .double, .date: return nil
    }
  }
}

extension UUID {
  /// The identity made of the first sixteen of some bytes, which must be there.
  package init(bytes: UnsafeRawBufferPointer) {
    self.init(uuid: bytes.loadUnaligned(as: UUIDBytes.self))
  }
}

/// The sixteen bytes of a UUID as a tuple.
private typealias UUIDBytes = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

/// The packed form of the values that history preserves of a deleted object.
///
/// Each value is stored as the attribute's index, a tag for the value's storage class, and the value.
/// Nulls are not stored. The store checks the length of every tombstone when it reads a page; the
/// contents are decoded on access.
package enum Tombstone {
  /// The storage classes of SQLite, as tags.
  package enum Tag: UInt8 {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
  }

  /// A value in its storage class; text and blobs point into the bytes being read.
  package enum Stored {
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)
  }

  /// Reads the next value and the index of its attribute; returns `nil` if the bytes are invalid.
  package static func next(_ reader: inout ByteReader) -> (attribute: Int, value: Stored)? {
    guard let position = reader.byte(), position < 64,
      let tag = reader.byte().flatMap(Tag.init(rawValue:))
    else { return nil }
    switch tag {
    case .integer: return reader.zigzag().map { (Int(position), .integer($0)) }
    case .real: return reader.double().map { (Int(position), .real($0)) }
    case .text, .blob:
      guard let length = reader.varint(), length <= UInt64(Int32.max),
        let bytes = reader.take(Int(length))
      else { return nil }
      return (Int(position), tag == .text ? .text(bytes) : .blob(bytes))
    }
  }

  /// Decodes the values by attribute name; returns `nil` if the bytes are not a tombstone.
  ///
  /// A value is left out if its attribute is unknown because a newer program added the attribute, or
  /// if the value does not fit the type because a newer program widened the attribute.
  ///
  /// If the entity has no known attributes, the values are named after Core Data's tombstone
  /// columns (`ZTOMBSTONE0`), and have the types that SQLite stores.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer,
    of entity: Entity
  ) -> [String: Value]? {
    var reader = ByteReader(bytes)
    var values: [String: Value] = [:]
    while !reader.isAtEnd {
      guard let (position, stored) = next(&reader) else { return nil }
      if entity.attributes.isEmpty && entity.others.isEmpty {
        values["ZTOMBSTONE\(position)"] = Value(stored)
        continue
      }
      guard let attribute = entity.attribute(ofNumber: position) else { continue }
      if let value = Value(stored, as: attribute.type) {
        values[attribute.name] = value
      } else {
        guard stored.mayBeWider(than: attribute.type) else { return nil }
      }
    }
    return values
  }
}

extension Tombstone.Stored {
  /// Whether a program may have stored the value under a wider type than this program's `type`.
  fileprivate func mayBeWider(than type: AttributeType) -> Bool {
    if case .real = self { type == .int || type == .bool } else { false }
  }
}

extension Value {
  /// Creates a value of a type from a stored value, or returns `nil` if that value does not fit.
  fileprivate init?(_ stored: Tombstone.Stored, as type: AttributeType) {
    switch stored {
    case .integer(let integer): self.init(stored: integer, as: type)
    case .real(let real): self.init(stored: real, as: type)
    case .text(let bytes), .blob(let bytes): self.init(stored: bytes, as: type)
    }
  }

  /// Creates a value as SQLite stored it, when the attribute's type is unknown.
  fileprivate init(_ stored: Tombstone.Stored) {
    switch stored {
    case .integer(let integer): self = .int(integer)
    case .real(let real): self = .double(real)
    case .text(let bytes): self = .string(String(decoding: bytes, as: UTF8.self))
    case .blob(let bytes): self = .data(Data(bytes))
    }
  }
}

extension Value {
  /// Creates a value of a type from a stored integer, or returns `nil` if the integer does not fit.
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

  /// Creates a value of a type from a stored double, or returns `nil` if the double does not fit.
  @inline(__always)
  package init?(stored real: Double, as type: AttributeType) {
    switch type {
    case .double: self = .double(real)
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: real))
    case .int, .bool, .string, .data, .uuid: return nil
    }
  }

  /// Creates a value of a type from stored text or bytes, or returns `nil` if they do not fit.
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
  /// Creates a UUID from the first 16 bytes of a buffer, which must contain at least 16 bytes.
  package init(bytes: UnsafeRawBufferPointer) {
    self.init(uuid: bytes.loadUnaligned(as: UUIDBytes.self))
  }
}

/// The 16 bytes of a UUID as a tuple.
private typealias UUIDBytes = (
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
  UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

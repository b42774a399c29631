import HistoryStore
import HistoryTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts the values of an object into records.
enum RecordDecoder {
  /// Returns a record with the values of a row.
  ///
  /// The row contains one value for each attribute, in the order of the entity's attributes.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` or ``HistoryError/Code/unfitValue``.
  static func record<Record: ObjectRecord>(
    _ type: Record.Type,
    of row: [Value],
    _ entity: Entity
  ) throws(HistoryError) -> Record {
    do {
      return try Record(from: RowDecoder(row: row, entity: entity))
    } catch let error as UnfitProperty {
      throw error.historyError(entity)
    } catch DecodingError.keyNotFound(let key, _) {
      throw .unknownAttribute(key.stringValue, of: entity)
    } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
      DecodingError.valueNotFound(_, let context)
    {
      guard let name = context.codingPath.first?.stringValue else {
        throw .unfitRecord("\(Record.self)")
      }
      throw UnfitProperty(name: name).historyError(entity)
    } catch {
      throw HistoryError(error)
    }
  }
}

extension Value {
  /// Returns the value converted to a property's type, or `nil` if the value does not fit.
  fileprivate func decoded<Property>(as type: Property.Type) -> Property? {
    switch self {
    case .null: nil
    case .string(let value): value as? Property
    case .bool(let value): value as? Property
    case .data(let value): value as? Property
    case .date(let value): value as? Property
    case .uuid(let value): value as? Property
    case .double(let value): value as? Property ?? (Float(value) as? Property)
    case .int(let value):
      // `nil as? Property` succeeds where the property is optional, so only a number is cast.
      (type as? any FixedWidthInteger.Type)
        .flatMap { value.converted(to: $0) }
        .flatMap { $0 as? Property }
    }
  }
}

extension Int64 {
  fileprivate func converted<Number: FixedWidthInteger>(
    to type: Number.Type
  ) -> (any FixedWidthInteger)? {
    Number(exactly: self)
  }
}

/// The decoder of a record from one row.
private struct RowDecoder: Decoder {
  let row: [Value]
  let entity: Entity
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(KeyedValues<Key>(row: row, entity: entity))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unsupported }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unsupported }

  private var unsupported: DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [],
        debugDescription: "A record is decoded from named values: use a keyed container."
      )
    )
  }
}

private struct PropertyDecoder: Decoder {
  let value: Value
  let name: String
  /// The type that is being decoded.
  let type: any Any.Type
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw UnfitProperty(name: name)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw UnfitProperty(name: name)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValue(value: value, name: name, outer: type)
  }

  /// Decodes a property whose type need not be an attribute type itself, such as an enumeration.
  static func decode<Property: Decodable>(
    _ type: Property.Type,
    _ value: Value,
    _ name: String
  ) throws -> Property {
    if let direct = value.decoded(as: type) { return direct }
    do {
      return try Property(from: PropertyDecoder(value: value, name: name, type: type))
    } catch is DecodingError {
      throw UnfitProperty(name: name)
    }
  }
}

private struct SingleValue: SingleValueDecodingContainer {
  let value: Value
  let name: String
  /// The type whose initializer requests the value.
  let outer: any Any.Type
  let codingPath: [any CodingKey] = []

  func decodeNil() -> Bool { value == .null }

  func decode<Property: Decodable>(_ type: Property.Type) throws -> Property {
    // The initializer of `type` requests a `type`: calling it again would recurse forever.
    guard type != outer else {
      guard let direct = value.decoded(as: type) else { throw UnfitProperty(name: name) }
      return direct
    }
    return try PropertyDecoder.decode(type, value, name)
  }
}

private struct KeyedValues<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: [Value]
  let entity: Entity
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] { entity.attributes.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { entity.index(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

  func decode<Property: Decodable>(_ type: Property.Type, forKey key: Key) throws -> Property {
    try PropertyDecoder.decode(type, value(key), key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw UnfitProperty(name: key.stringValue)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw UnfitProperty(name: key.stringValue)
  }

  func superDecoder() -> any Decoder { RowDecoder(row: row, entity: entity) }
  func superDecoder(forKey key: Key) -> any Decoder { RowDecoder(row: row, entity: entity) }

  private func value(_ key: Key) throws -> Value {
    guard let index = entity.index(of: key.stringValue) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: [],
          debugDescription: "\(entity.name) has no attribute \(key.stringValue)."
        )
      )
    }
    return row[index]
  }
}

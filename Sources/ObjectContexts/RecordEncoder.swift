import HistoryStore
import HistoryTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts records into the values of an entity's attributes.
enum RecordEncoder {
  /// Returns the record's values by attribute name; `nil` properties are null.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` or ``HistoryError/Code/unfitValue``.
  static func values(
    of record: some ObjectRecord,
    for entity: Entity
  ) throws(HistoryError) -> [String: Value] {
    let encoder = FlatEncoder()
    do {
      try record.encode(to: encoder)
    } catch let error as UnfitProperty {
      guard !error.name.isEmpty else { throw .unfitRecord("\(type(of: record))") }
      throw error.historyError(entity)
    } catch {
      throw HistoryError(error)
    }
    guard encoder.single == nil else { throw .unfitRecord("\(type(of: record))") }
    for (name, value) in encoder.values.sorted(by: { $0.key < $1.key }) {
      guard let attribute = entity.attributes.first(where: { $0.name == name }) else {
        throw .unknownAttribute(name, of: entity)
      }
      guard let type = value.type else { continue }
      guard let fitting = value.converted(to: attribute.type) else {
        throw .unfitValue(entity: entity.name, attribute: name, type: attribute.type)
      }
      if type != attribute.type { encoder.values[name] = fitting }
    }
    return encoder.values
  }
}

/// An error that names a property whose value no attribute type can represent.
struct UnfitProperty: Error {
  let name: String

  func historyError(_ entity: Entity) -> HistoryError {
    guard let attribute = entity.attributes.first(where: { $0.name == name }) else {
      return .unknownAttribute(name, of: entity)
    }
    return .unfitValue(entity: entity.name, attribute: name, type: attribute.type)
  }
}

extension Value {
  /// Returns the value converted to an attribute's type, or `nil` if the value does not fit.
  ///
  /// The only conversion is from an integer to a double that represents it exactly.
  fileprivate func converted(to type: AttributeType) -> Value? {
    if self.type == type { return self }
    if case .int(let number) = self, type == .double, Int64(exactly: Double(number)) == number {
      return .double(Double(number))
    }
    return nil
  }

  /// Creates the value of a property whose type corresponds directly to an attribute type.
  ///
  /// Returns `nil` for other types, such as enumerations.
  ///
  /// - Throws: ``UnfitProperty`` for an integer that 64 bits cannot represent.
  fileprivate init?(_ value: any Encodable, of property: String) throws {
    switch value {
    case let value as String: self = .string(value)
    case let value as Bool: self = .bool(value)
    case let value as Double: self = .double(value)
    case let value as Float: self = .double(Double(value))
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let value as UUID: self = .uuid(value)
    case let value as any BinaryInteger & Encodable:
      guard let number = Int64(exactly: value) else { throw UnfitProperty(name: property) }
      self = .int(number)
    default: return nil
    }
  }
}

/// Encodes a record as a keyed container of single values, one for each property.
private final class FlatEncoder: Encoder {
  var values: [String: Value] = [:]
  /// The property whose value is being encoded, or `nil` while the record itself is encoded.
  private let property: String?
  /// The value that the property encoded into a single-value container.
  fileprivate var single: Value?
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(property: String? = nil) { self.property = property }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedProperties<Key>(encoder: self, outer: property))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unsupported(property: property ?? "") }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleProperty(encoder: self, property: property ?? "")
  }

  /// Encodes the value of a property under the property's name.
  func put(_ value: some Encodable, for name: String) throws {
    if let direct = try Value(value, of: name) {
      values[name] = direct
      return
    }
    let nested = FlatEncoder(property: name)
    try value.encode(to: nested)
    guard let single = nested.single else { throw UnfitProperty(name: name) }
    values[name] = single
  }
}

private struct KeyedProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: FlatEncoder
  /// The property that is being encoded, or `nil` if the record itself is being encoded.
  ///
  /// Only the record itself may have keyed values. If the value of a property has keyed values, as
  /// a nested structure does, encoding throws: an attribute stores a single value.
  let outer: String?
  let codingPath: [any CodingKey] = []

  private func put(_ value: some Encodable, _ key: Key) throws {
    if let outer { throw UnfitProperty(name: outer) }
    try encoder.put(value, for: key.stringValue)
  }

  mutating func encodeNil(forKey key: Key) { encoder.values[key.stringValue] = .null }
  mutating func encode(_ value: some Encodable, forKey key: Key) throws { try put(value, key) }

  /// Writes null for `nil`, so that an update clears the attribute.
  mutating func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    if let value { try put(value, key) } else { encodeNil(forKey: key) }
  }
  mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try either(value, key) }
  mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try either(value, key) }

  private func either(_ value: (some Encodable)?, _ key: Key) throws {
    if let value { try put(value, key) } else { encoder.values[key.stringValue] = .null }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    FlatEncoder(property: key.stringValue).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    Unsupported(property: key.stringValue)
  }

  mutating func superEncoder() -> any Encoder { encoder }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct SingleProperty: SingleValueEncodingContainer {
  let encoder: FlatEncoder
  let property: String
  let codingPath: [any CodingKey] = []

  mutating func encodeNil() { encoder.single = .null }

  mutating func encode(_ value: some Encodable) throws {
    if let direct = try Value(value, of: property) {
      encoder.single = direct
      return
    }
    let nested = FlatEncoder(property: property)
    try value.encode(to: nested)
    guard let single = nested.single else { throw UnfitProperty(name: property) }
    encoder.single = single
  }
}

/// A container of several values, which the encoder rejects because no attribute can store them.
private struct Unsupported: UnkeyedEncodingContainer {
  let property: String
  let codingPath: [any CodingKey] = []
  let count = 0

  mutating func encodeNil() throws { throw UnfitProperty(name: property) }
  mutating func encode(_ value: some Encodable) throws { throw UnfitProperty(name: property) }
  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    FlatEncoder(property: property).container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { FlatEncoder(property: property) }
}

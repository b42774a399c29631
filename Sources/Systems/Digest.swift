package import PersistentHistory
import Traces

/// A 64-bit digest that is the same in every process (FNV-1a: Fowler, Noll and Vo).
package struct Digest {
  /// The digest of what was added so far.
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Starts with nothing added.
  package init() {}

  mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// Adds a whole number.
  package mutating func add(_ number: Int) {
    withUnsafeBytes(of: number.littleEndian) { for byte in $0 { add(byte) } }
  }

  mutating func add(_ number: Double) { add(Int(bitPattern: UInt(number.bitPattern))) }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0)
  }

  /// Adds a value of an attribute.
  package mutating func add(_ value: Value) {
    switch value {
    case .null: add(0)
    case .int(let value): add(Int(value))
    case .double(let value): add(value)
    case .string(let value): add(value)
    case .data(let value): for byte in value { add(byte) }
    case .date(let value): add(value.timeIntervalSinceReferenceDate)
    case .bool(let value): add(value ? 1 : 2)
    case .uuid(let value): add(value.uuidString)
    }
  }

  /// Adds a write that has begun.
  mutating func add(_ write: PlannedWrite) {
    add(write.context)
    switch write.author {
    case .own: add(1)
    case .absent: add(2)
    case .other(let name): add(name)
    }
    for change in write.changes {
      add(Int(change.type.rawValue))
      add([change.object: change.values])
    }
  }

  /// Adds objects in the order of their names.
  mutating func add(_ objects: Objects) {
    for (name, values) in objects.sorted(by: { $0.key < $1.key }) {
      add(name.description)
      for (attribute, value) in values.sorted(by: { $0.key < $1.key }) {
        add(attribute)
        add(value)
      }
    }
  }
}

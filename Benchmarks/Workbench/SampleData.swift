import BenchmarkFloor
import PersistentHistory

/// The data of all benchmarks: rows of seven columns and about 55 bytes, with key and version.
enum SampleData {
  /// The entity whose objects fill the store, and whose changes are the history.
  static let item = "Item"
  /// The entity whose rows the benchmarks of batch requests insert and delete.
  static let slip = "Slip"
  /// The number of items in a store, whatever the size of its history.
  static let itemCount = 10_000
  /// The columns of quantity and price, which updates set.
  static let updatedColumns: UInt64 = 0b1100

  static func model() throws -> Model {
    let attributes = [
      Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
      Attribute("kind", .int), Attribute("quantity", .int), Attribute("price", .double),
      Attribute("changed", .date),
    ]
    return try Model([Entity(item, attributes), Entity(slip, attributes)])
  }

  /// Returns the rows to be written, the same for every contender.
  static func items(_ count: Int) -> [SampleItem] { (0..<count).map(SampleItem.init) }
}

/// The values of one row, without key and version.
struct SampleItem {
  var name: String
  var kind: Int64 = 1
  var quantity: Int64
  var price: Double
  var changed: Date

  /// Creates the row for a number; the name has sixteen letters, so that it lies on the heap.
  init(_ number: Int) {
    let mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    let digits = String(mixed, radix: 16)
    name = String(repeating: "0", count: 16 - digits.count) + digits
    quantity = Int64(number & 1023)
    price = Double(number) * 0.25
    changed = Date(timeIntervalSinceReferenceDate: 7e8 + Double(number))
  }

  /// The values in the order of the attributes.
  var values: [Value] {
    [.string(name), .int(kind), .int(quantity), .double(price), .date(changed)]
  }

  /// The same row as a C struct.
  var floorItem: FloorItem {
    var item = FloorItem()
    withUnsafeMutableBytes(of: &item.name) { $0.copyBytes(from: name.utf8) }
    item.kind = kind
    item.quantity = quantity
    item.price = price
    item.changed = changed.timeIntervalSinceReferenceDate
    return item
  }
}

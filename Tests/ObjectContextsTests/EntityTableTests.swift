import HistoryStore
import HistoryTypes
import TestSupport
import Testing

@testable import ObjectContexts

@Suite struct EntityTableTests {
  private static let types: [AttributeType] = [
    .string, .int, .double, .data, .date, .bool, .uuid, .string, .int,
  ]

  /// Returns a value of a type, or null; texts and data have up to 200 bytes.
  private static func value(_ type: AttributeType, _ random: inout SeededRandom) -> Value {
    let bytes = (0..<Int.random(in: 0...200, using: &random)).map { UInt8($0 & 0x7f) }
    let bits = UInt64.random(in: 0...UInt64.max, using: &random)
    let number = Int64(bitPattern: bits) >> Int64.random(in: 0...63, using: &random)
    guard bits % 5 != 0 else { return .null }
    return switch type {
    case .string: .string(String(decoding: bytes, as: UTF8.self))
    case .int: .int(number)
    case .double: .double(Double(number) / 3)
    case .data: .data(Data(bytes))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .bool: .bool(number & 1 == 1)
    case .uuid: .uuid(UUID())
    }
  }

  /// A table and the same rows in a dictionary.
  private struct Pair {
    let types: [AttributeType]
    var table: EntityTable
    var rows: [Int64: (version: Int64, values: [Value])] = [:]

    init(_ types: [AttributeType] = EntityTableTests.types) {
      self.types = types
      table = EntityTable(types: types)
    }

    mutating func put(_ key: Int64, _ version: Int64, _ values: [Value]) {
      table.put(key, version: version, values[...])
      rows[key] = (version, values)
    }

    mutating func put(_ batch: RowBatch, _ values: [Int64: [Value]]) {
      table.put(batch)
      for row in batch { rows[row.key] = (row.version, values[row.key] ?? []) }
    }

    mutating func set(_ columns: UInt64, _ values: [Value], _ version: Int64, _ key: Int64) {
      table.set(columns, values, version: version, of: key)
      guard var row = rows[key] else { return }
      let set = row.values.indices.filter { columns >> UInt64($0) & 1 == 1 }
      for (index, value) in zip(set, values) { row.values[index] = value }
      rows[key] = (version, row.values)
    }

    func check() {
      #expect(table.count == rows.count && Set(table.keys) == Set(rows.keys))
      var seen = 0
      table.visitRows { key, values in
        seen += 1
        #expect(rows[key]?.values == values)
      }
      #expect(seen == rows.count)
    }

    func check(_ key: Int64) {
      let row = rows[key]
      #expect(table.contains(key) == (row != nil))
      #expect(table.version(of: key) == row?.version && table.row(of: key) == row?.values)
      for index in types.indices {
        #expect(table.value(index, of: key) == row?.values[index])
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `A table equals a dictionary of rows`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var pair = Pair()
    let keys: [Int64] = (1...60) + [.min, -1, 0, 1 << 40, .max]
    for step in 1...1500 as ClosedRange<Int64> {
      let key = keys[Int.random(in: keys.indices, using: &random)]
      let values = Self.types.map { Self.value($0, &random) }
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: pair.put(key, step % 7 == 0 ? -step : step, values)
      case 2:
        #expect(pair.table.remove(key) == (pair.rows.removeValue(forKey: key) != nil))
      case 3 where step % 100 == 0:
        pair.table.removeAll()
        pair.rows = [:]
      default:
        let columns = UInt64.random(in: 0..<1 << 9, using: &random)
        let given = values.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { values[$0] }
        pair.set(columns, given, step, key)
      }
      pair.check(key)
      if step % 50 == 0 { pair.check() }
    }
    pair.check()
  }

  /// Attributes of all types, as many as an entity may have.
  private static let wide = (0..<Model.attributeCountMax).map { types[$0 % types.count] }

  private static func wideValues(_ random: inout SeededRandom) -> [Value] {
    wide.map { type in
      // Some texts are longer than what is gathered of a row before it is appended.
      guard type == .string, Int.random(in: 0..<40, using: &random) == 0 else {
        return value(type, &random)
      }
      return .string(String(repeating: "ü", count: 700))
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `Rows of a store fill an empty table and refresh a full one`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryFolder()
    let names = Self.wide.indices.map { "a\($0)" }
    let entity = Entity("Wide", zip(names, Self.wide).map { Attribute($0, $1) })
    let store = try Store(path: folder.path("store"), model: try Model([entity]))
    let writer = ObjectContext(store: store)
    var values: [Int64: [Value]] = [:]
    let objects = try (0..<40).map { _ in
      let row = Self.wideValues(&random)
      return (try writer.insert("Wide", Dictionary(uniqueKeysWithValues: zip(names, row))), row)
    }
    try writer.save()
    for (object, row) in objects { values[object.id.key] = row }
    var pair = Pair(Self.wide)
    pair.put(try store.rows(1), values)
    pair.check()
    for _ in 0..<5 {
      for (object, _) in objects where Bool.random(using: &random) {
        let row = Self.wideValues(&random)
        for (name, value) in zip(names, row) { try object.set(value, for: name) }
        values[object.id.key] = row
      }
      try writer.save()
      for (object, _) in objects where Int.random(in: 0..<5, using: &random) == 0 {
        pair.table.remove(object.id.key)
        pair.rows[object.id.key] = nil
      }
      let batch = try store.rows(1)
      pair.put(batch, values)
      pair.check()
      for key in batch.keys {
        pair.check(key)
        pair.set(1 << 63 | 1, [Self.wideValues(&random)[0], Self.wideValues(&random)[63]], 9, key)
      }
      pair.check()
      pair.put(batch, values)
      pair.check()
    }
    pair.table.removeAll()
    pair.rows = [:]
    pair.put(try store.rows(1), values)
    pair.check()
  }

  @Test func `Records around the greatest size that they state are replaced and moved`() {
    var pair = Pair([.string, .int])
    func put(_ key: Int64, _ count: Int, _ version: Int64) {
      let text = String(repeating: "x", count: count)
      pair.put(key, version, [.string(text), .int(Int64(count))])
    }
    for key in 0..<40 as Range<Int64> { put(key, 990 + Int(key), 1) }
    pair.check()
    for key in 0..<40 as Range<Int64> { put(key, 1029 - Int(key), 2) }
    pair.check()
    for key in stride(from: 0, to: 40, by: 3) as StrideTo<Int64> {
      pair.table.remove(key)
      pair.rows[key] = nil
    }
    pair.check()
    for key in 0..<40 as Range<Int64> { pair.check(key) }
  }

  @Test func `A copy of a table does not change with the original`() {
    var pair = Pair()
    let row = Self.types.map { _ in Value.null }
    for key in 1...20 as ClosedRange<Int64> { pair.put(key, 1, row) }
    let copy = pair
    for key in 1...20 as ClosedRange<Int64> { pair.set(1, ["another text"], 2, key) }
    copy.check()
    pair.check()
  }
}

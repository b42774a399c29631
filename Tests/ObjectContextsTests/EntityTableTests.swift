import Foundation
import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import TestSupport
import Testing

@testable import ObjectContexts

@Suite struct EntityTableTests {
  private static let types: [AttributeType] = [
    .string, .int, .double, .data, .date, .bool, .uuid, .string, .int,
  ]

  /// Returns a value of a type, or null; texts and data have up to 200 bytes.
  private static func value(_ type: AttributeType, _ source: inout ChoiceSource) -> Value {
    guard source.bool(probability: 0.8) else { return .null }
    switch type {
    case .string, .data:
      let bytes = (0..<source.int(in: 0...200)).map { UInt8($0 & 0x7f) }
      return type == .data ? .data(Data(bytes)) : .string(String(decoding: bytes, as: UTF8.self))
    case .bool: return .bool(source.bool())
    case .int, .double, .date, .uuid:
      let number = source.integer(in: .min ... .max, spread: .nearSimplest)
      return value(type, number)
    }
  }

  private static func value(_ type: AttributeType, _ number: Int64) -> Value {
    switch type {
    case .double: .double(Double(number) / 3)
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .uuid:
      .uuid(withUnsafeBytes(of: (number, ~number)) { UUID(uuid: $0.load(as: uuid_t.self)) })
    default: .int(number)
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

  @Test(.property(cases: 7, seed: 1))
  func `A table equals a dictionary of rows`() async throws {
    let keys: [Int64] = (1...60) + [.min, -1, 0, 1 << 40, .max]
    try await property { source in
      var pair = Pair()
      var steps = Repetition("step", 0...1_000, length: .mostlyLongest)
      while steps.next(&source) {
        let key = keys[source.index(below: keys.count)]
        Self.change(&pair, key, version: Int64(steps.count), &source)
        pair.check(key)
        if steps.count % 50 == 0 { pair.check() }
      }
      pair.check()
    }
  }

  /// Puts, sets or removes a row, or removes all rows.
  private static func change(
    _ pair: inout Pair,
    _ key: Int64,
    version: Int64,
    _ source: inout ChoiceSource
  ) {
    switch source.weighted([200, 100, 500, 1]) {
    case 0: pair.put(key, version % 7 == 0 ? -version : version, types.map { value($0, &source) })
    case 1: #expect(pair.table.remove(key) == (pair.rows.removeValue(forKey: key) != nil))
    case 2:
      let columns = UInt64(source.int(in: 0...(1 << types.count) - 1))
      let set = types.indices.filter { columns >> UInt64($0) & 1 == 1 }
      pair.set(columns, set.map { value(types[$0], &source) }, version, key)
    default:
      pair.table.removeAll()
      pair.rows = [:]
    }
  }

  @Test func `A table of many rows shrinks when most of them are removed`() throws {
    var pair = Pair([.string, .int])
    for key in 1...5_000 as ClosedRange<Int64> { pair.put(key, 1, [.string("\(key)"), .int(key)]) }
    let entries = try entryCount(of: pair.table)
    let removed = (1...5_000).filter { $0 % 500 != 0 }.map(Int64.init)
    pair.table.remove(removed[..<100])
    for key in removed[100...] { pair.table.remove(key) }
    for key in removed { pair.rows[key] = nil }
    pair.check()
    for key in 1...5_000 as ClosedRange<Int64> { pair.check(key) }
    #expect(try entries > 5_000 && entryCount(of: pair.table) <= 1024)
  }

  private func entryCount(of table: EntityTable) throws -> Int {
    try #require(Mirror(reflecting: table).descendant("entries") as? any Collection).count
  }

  /// Attributes of all types, as many as an entity may have.
  private static let wide = (0..<Model.attributeCountMax).map { types[$0 % types.count] }

  private static func wideValue(_ type: AttributeType, _ source: inout ChoiceSource) -> Value {
    // Some texts are longer than what is gathered of a row before it is appended.
    guard type == .string, source.bool(probability: 1 / 40) else { return value(type, &source) }
    return .string(String(repeating: "ü", count: 700))
  }

  private static func wideValues(_ source: inout ChoiceSource) -> [Value] {
    source.span("row") { source in wide.map { wideValue($0, &source) } }
  }

  @Test(.property(cases: 3, seed: 1))
  func `Rows of a store fill an empty table and refresh a full one`() async throws {
    try await property { source in try Self.refresh(&source) }
  }

  private static func refresh(_ source: inout ChoiceSource) throws {
    let folder = try TemporaryFolder()
    let names = wide.indices.map { "a\($0)" }
    let entity = Entity("Wide", zip(names, wide).map { Attribute($0, $1) })
    let store = try Store(path: folder.path("store"), model: try Model([entity]))
    let writer = ObjectContext(store: store)
    var values: [Int64: [Value]] = [:]
    let objects = try source.array("object", 1...44, length: .mostlyLongest) { source in
      let row = wideValues(&source)
      return (try writer.insert("Wide", Dictionary(uniqueKeysWithValues: zip(names, row))), row)
    }
    try writer.save()
    for (object, row) in objects { values[object.id.key] = row }
    var pair = Pair(wide)
    pair.put(try store.rows(1), values)
    pair.check()
    var rounds = Repetition("round", 1...6, length: .mostlyLongest)
    while rounds.next(&source) {
      for (object, _) in objects where source.bool(label: "changes") {
        let row = wideValues(&source)
        for (name, value) in zip(names, row) { try object.set(value, for: name) }
        values[object.id.key] = row
      }
      try writer.save()
      for (object, _) in objects where source.bool(probability: 0.2, label: "removes") {
        pair.table.remove(object.id.key)
        pair.rows[object.id.key] = nil
      }
      let batch = try store.rows(1)
      pair.put(batch, values)
      pair.check()
      for key in batch.keys {
        pair.check(key)
        let ends = [wideValue(wide[0], &source), wideValue(wide[63], &source)]
        pair.set(1 << 63 | 1, ends, 9, key)
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

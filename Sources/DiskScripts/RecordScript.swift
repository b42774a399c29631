import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of objects as `Codable` records, with properties of supported and refused types.
struct RecordScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  private static let types: [(String, AttributeType)] = [
    ("text", .string), ("flag", .bool), ("real", .double), ("float", .double), ("date", .date),
    ("data", .data), ("uuid", .uuid), ("int", .int), ("int8", .int), ("int16", .int),
    ("int32", .int), ("int64", .int), ("uint", .int), ("uint8", .int), ("uint16", .int),
    ("uint32", .int), ("uint64", .int), ("kind", .string), ("level", .int),
  ]

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let attributes = Self.types.map { Attribute($0.0, $0.1) }
    let model = try model([Entity("Full", attributes)])
    let path = folder.file("records")
    let saved = try Store(path: path, model: model, configuration: configuration())
    try keep(saved)
    try narrow(saved)
    try refuse(saved)
  }

  private func full() -> Full {
    var record = Full()
    func isSet() -> Bool { seed.draw(3) > 0 }
    if isSet() { record.text = seed.pick(["", "a", "é\u{0}"]) }
    if isSet() { record.flag = seed.draw(2) == 0 }
    if isSet() { record.real = seed.pick([-1e300, 0.5, 2]) }
    if isSet() { record.float = seed.pick([-0.5, 0, 4]) }
    if isSet() { record.date = Date(timeIntervalSinceReferenceDate: Double(seed.draw(9))) }
    if isSet() { record.data = Data([UInt8(seed.draw(256))]) }
    if isSet() { record.uuid = store.id.uuid }
    if isSet() { record.int = seed.pick([.min, 0, .max]) }
    if isSet() { record.int8 = seed.pick([.min, 0, .max]) }
    if isSet() { record.int16 = seed.pick([.min, 0, .max]) }
    if isSet() { record.int32 = seed.pick([.min, 0, .max]) }
    if isSet() { record.int64 = seed.pick([.min, 0, .max]) }
    if isSet() { record.uint = seed.pick([0, 7]) }
    if isSet() { record.uint8 = seed.pick([0, .max]) }
    if isSet() { record.uint16 = seed.pick([0, .max]) }
    if isSet() { record.uint32 = seed.pick([0, .max]) }
    if isSet() { record.uint64 = seed.pick([0, UInt64(Int64.max)]) }
    if isSet() { record.kind = seed.pick([.plain, .rich]) }
    if isSet() { record.level = seed.pick([.low, .high]) }
    return record
  }

  /// Saves random records, reads them in another context, and updates the objects from other records.
  private func keep(_ saved: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(saved, author: "app", name: "view")
    var records: [Int64: Full] = [:]
    for _ in 0..<12 {
      let record = full()
      let object = try context.insert(record)
      records[object.id.key] = record
      expect(
        try object.record(Full.self) == record,
        "the record of an unsaved object differs from the inserted one: \(record)"
      )
    }
    try context.save()
    for round in 0..<2 {
      let other = ObjectContext.retaining(saved, author: "other", name: "view")
      let found = try other.objects("Full")
      expect(found.count == records.count, "\(found.count) of \(records.count) records are found")
      for object in found {
        guard let record = records[object.id.key] else { continue }
        expect(
          try object.record(Full.self) == record,
          "the record of a saved object differs from the inserted one: \(record)"
        )
        guard round == 0 else { continue }
        let changed = full()
        try object.update(changed)
        expect(
          try object.record(Full.self) == changed,
          "the record of an updated object differs from the new one: \(changed)"
        )
        records[object.id.key] = changed
      }
      try other.save()
    }
    let objects = try context.objects("Full")
    objects.first?.delete()
    guard let gone = objects.first else { return }
    expect(.unknownObject, of: "a record of a deleted object") { () throws(HistoryError) in
      _ = try gone.record(Full.self)
    }
    expect(.unknownObject, of: "an update of a deleted object") { () throws(HistoryError) in
      try gone.update(Full())
    }
    context.rollback()
  }

  /// Reads objects as records with property types that cannot represent some stored values.
  private func narrow(_ saved: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(saved, author: "app", name: "view")
    let values: [(Values, Bool)] = [
      (["int": 300, "text": "a"], false), (["int": -1, "text": "a"], false),
      (["text": "a"], false), (["int": 7], false), (["int": 7, "text": "a"], true),
      (["int": 7, "text": "a", "kind": "none"], false),
      (["int": 7, "text": "a", "level": 9], false),
    ]
    for (values, fits) in values {
      let object = try context.insert("Full", values)
      do throws(HistoryError) {
        let record = try object.record(Narrow.self)
        expect(
          fits && record.int == 7 && record.text == "a",
          "\(values) are read as the record \(record)"
        )
      } catch {
        expect(
          !fits && error.code == .unfitValue,
          "reading \(values) as a record fails with the wrong error: \(error)"
        )
      }
    }
    let object = try context.insert("Full", ["int": 7, "text": "a"])
    let wrong: [(HistoryError.Code, any ObjectRecord.Type)] = [
      (.unknownAttribute, Unknown.self), (.unfitValue, Flag.self), (.unfitValue, Listed.self),
      (.unfitValue, Keyed.self), (.unfitValue, ListedWhole.self), (.unfitValue, SingleWhole.self),
      (.unfitValue, NestedList.self), (.unfitValue, NestedKeys.self),
    ]
    for (code, type) in wrong {
      expect(code, of: "to read a record \(type)") { () throws(HistoryError) in
        _ = try object.record(type)
      }
    }
    context.rollback()
  }

  /// Inserts records whose values the attributes cannot store; all inserts must be refused.
  private func refuse(_ saved: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(saved, author: "app", name: "view")
    let wrong: [(HistoryError.Code, any ObjectRecord)] = [
      (.unfitValue, Wide()), (.unfitValue, Flag()), (.unfitValue, Listed()), (.unfitValue, Keyed()),
      (.unknownAttribute, Unknown()), (.unknownEntity, RecordWithoutEntity()),
      (.unfitValue, NestedList()),
      (.unfitValue, NestedKeys()), (.unfitValue, ListedWhole()), (.unfitValue, SingleWhole()),
    ]
    for (code, record) in wrong {
      expect(code, of: "to insert \(record)") { () throws(HistoryError) in
        _ = try context.insert(record)
      }
    }
    expect(!context.hasChanges, "a record that was refused is in the context")
    let (double, wrapping) = (try context.insert(Whole()), try context.insert(Wrapping()))
    let (real, kind) = (try double["real"], try wrapping["kind"])
    expect(real == 3.0, "an integer is stored in a double attribute as \(real ?? .null)")
    expect(kind == "rich", "a wrapped value is stored as \(kind ?? .null)")
    expect(
      try wrapping.record(Wrapping.self) == Wrapping(),
      "a record with a wrapped value is read as a different record"
    )
    context.rollback()
  }
}

// MARK: Records

private enum Kind: String, Codable { case plain, rich }
private enum Level: Int, Codable { case low, high }

/// A record with a property of every supported type.
private struct Full: ObjectRecord, Hashable {
  var text: String?
  var flag: Bool?
  var real: Double?
  var float: Float?
  var date: Date?
  var data: Data?
  var uuid: UUID?
  var int: Int?
  var int8: Int8?
  var int16: Int16?
  var int32: Int32?
  var int64: Int64?
  var uint: UInt?
  var uint8: UInt8?
  var uint16: UInt16?
  var uint32: UInt32?
  var uint64: UInt64?
  var kind: Kind?
  var level: Level?
}

/// A record of the entity that this script uses.
private protocol FullRecord: ObjectRecord {}

extension FullRecord {
  static var entityName: String { "Full" }
}

private struct Narrow: FullRecord {
  var int: UInt8
  var text: String
  var kind: Kind?
  var level: Level?
}

private struct Unknown: FullRecord { var nothing = 1 }
private struct Flag: FullRecord { var text = true }
private struct Listed: FullRecord { var text = ["a"] }
private struct Keyed: FullRecord { var text = ["a": 1] }
private struct Wide: FullRecord { var int = UInt64.max }
private struct Whole: FullRecord { var real = 3 }
private struct RecordWithoutEntity: ObjectRecord { var text = "a" }

/// A property that encodes itself as the single value that it wraps.
private struct Wrapped: Codable, Hashable {
  var kind = Kind.rich

  init() {}

  init(from decoder: any Decoder) throws {
    kind = try decoder.singleValueContainer().decode(Kind.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(kind)
  }
}

private struct Wrapping: FullRecord, Hashable { var kind = Wrapped() }

/// A record that is encoded and decoded as a list, without keys.
private struct ListedWhole: FullRecord {
  init() {}

  init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(1)
  }
}

/// A record that is encoded and decoded as a single value, without keys.
private struct SingleWhole: FullRecord {
  init() {}

  init(from decoder: any Decoder) throws { _ = try decoder.singleValueContainer() }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(1)
  }
}

private enum Keys: String, CodingKey { case text, int }

/// A record that encodes a list under one of its keys.
private struct NestedList: FullRecord {
  init() {}

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Keys.self)
    _ = try keys.nestedUnkeyedContainer(forKey: .text)
  }

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Keys.self)
    try keys.encodeNil(forKey: .text)
    var list = keys.nestedUnkeyedContainer(forKey: .int)
    try list.encode("a")
  }
}

/// A record that encodes nested keys under one of its keys.
private struct NestedKeys: FullRecord {
  init() {}

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Keys.self)
    _ = try keys.nestedContainer(keyedBy: Keys.self, forKey: .text)
  }

  func encode(to encoder: any Encoder) throws {
    var keys = encoder.container(keyedBy: Keys.self)
    var nested = keys.nestedContainer(keyedBy: Keys.self, forKey: .text)
    try nested.encode("a", forKey: .text)
  }
}

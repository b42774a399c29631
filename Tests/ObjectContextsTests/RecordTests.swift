import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Operations of contexts with records, the typed values of objects.
@Suite(.inEveryLayout) struct `A record` {
  private let file: StoreFile

  init() throws { file = try StoreFile() }

  @Test func `A record is inserted, saved and read back by another context`() throws {
    let context = try file.context()
    let due = Date(timeIntervalSinceReferenceDate: 86_400)
    try context.insert(Item(title: "Milk", count: 2, price: 1.5, due: due))
    try context.insert(Item(title: "Tea", count: 3))
    try context.save()
    let other = try file.context("widget")
    let items = try other.records(Item.self, sortedBy: [ObjectOrder("title")])
    #expect(
      items == [
        Item(title: "Milk", count: 2, price: 1.5, due: due), Item(title: "Tea", count: 3),
      ]
    )
    let many = try other.records(Item.self, where: .compare("count", .greater, 2))
    #expect(many.map(\.title) == ["Tea"])
  }

  @Test func `An update with a record sets only different values`() throws {
    let context = try file.context()
    let object = try context.insert(Item(title: "Milk", count: 2, price: 1.5))
    try context.save()
    try object.update(Item(title: "Milk", count: 2, price: nil))
    #expect(try object["price"] == .null)
    try context.save()
    let change = try #require(try file.open().history().last?.changes.first)
    #expect(change.updatedProperties == ["price"])
    try object.update(Item(title: "Milk", count: 2))
    #expect(!context.hasChanges)
    // The two titles look the same and have different bytes.
    try object.set("caf\u{e9}", for: "title")
    try context.save()
    try object.update(Item(title: "cafe\u{301}", count: 2))
    try context.save()
    #expect(try object["title"]?.string.map { Array($0.utf8).count } == 6)
  }

  @Test func `Unsaved edits are part of the record`() throws {
    let context = try file.context()
    let object = try context.insert(Item(title: "a", count: 1))
    try object.set("b", for: "title")
    #expect(try object.record(Item.self) == Item(title: "b", count: 1))
  }

  @Test func `Enumerations and smaller numbers are encoded as their values`() throws {
    let context = try file.context()
    let object = try context.insert(Priced(title: .tea, count: 7, price: 2))
    #expect(try object["title"] == "tea" && object["count"] == 7 && object["price"] == .double(2))
    #expect(try object.record(Priced.self) == Priced(title: .tea, count: 7, price: 2))
  }

  @Test func `A value that encodes another one as itself is read back`() throws {
    let context = try file.context()
    let record = Wrapping(title: Wrapped(title: .tea))
    let object = try context.insert(record)
    #expect(try object["title"] == "tea")
    #expect(try object.record(Wrapping.self) == record)
    try object.set("coffee", for: "title")
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "title", type: .string)) {
      try object.record(Wrapping.self)
    }
  }

  @Test(arguments: [7, 0, nil])
  func `A property that decodes an optional number keeps the number`(number: Int?) throws {
    let context = try file.context()
    let record = Counted(count: Tally(number: number))
    let object = try context.insert("Item", ["title": "Milk"])
    try object.update(record)
    #expect(try object.record(Counted.self) == record)
  }

  @Test func `A value of the wrong type for a record is refused with the attribute's name`() throws
  {
    let context = try file.context()
    #expect(throws: HistoryError.unknownEntity("Stranger", in: context.store.model)) {
      try context.insert(Stranger(title: "a"))
    }
    let label = HistoryError.unknownAttribute("label", of: "Tag", known: ["name"])
    #expect(throws: label) {
      try context.insert(Labelled(label: "a"))
    }
    #expect(throws: HistoryError.unfitValue(entity: "Tag", attribute: "name", type: .string)) {
      try context.insert(Numbered(name: 1))
    }
    #expect(throws: HistoryError.unfitValue(entity: "Tag", attribute: "name", type: .string)) {
      try context.insert(Listed(name: ["a"]))
    }
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "count", type: .int)) {
      try context.insert(Huge(count: .max))
    }
    #expect(!context.hasChanges)
  }

  @Test func `A value that a record cannot hold is refused with the attribute's name`() throws {
    let context = try file.context()
    let empty = try context.insert("Item", [:])
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "title", type: .string)) {
      try empty.record(Item.self)
    }
    let large = try context.insert("Item", ["title": "tea", "count": 300, "price": 1.0])
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "count", type: .int)) {
      try large.record(Priced.self)
    }
    let other = try context.insert("Item", ["title": "coffee", "count": 3, "price": 1.0])
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "title", type: .string)) {
      try other.record(Priced.self)
    }
    let tag = try context.insert("Tag", ["name": "a"])
    #expect(throws: HistoryError.unknownAttribute("label", of: "Tag", known: ["name"])) {
      try tag.record(Labelled.self)
    }
    tag.delete()
    #expect(throws: HistoryError.unknownObject(tag.id)) { try tag.record(Labelled.self) }
    #expect(throws: HistoryError.unknownObject(tag.id)) { try tag.update(Numbered(name: 1)) }
  }
}

private struct Item: ObjectRecord, Equatable {
  var title: String
  var count: Int
  var price: Double?
  var due: Date?
}

private struct Priced: ObjectRecord, Equatable {
  enum Title: String, Codable { case milk, tea }
  static let entityName = "Item"
  var title: Title
  var count: UInt8
  var price: Float
}

private struct Wrapping: ObjectRecord, Equatable {
  static let entityName = "Item"
  var title: Wrapped
}

private struct Wrapped: Codable, Equatable {
  var title: Priced.Title

  init(title: Priced.Title) { self.title = title }

  init(from decoder: any Decoder) throws {
    title = try decoder.singleValueContainer().decode(Priced.Title.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(title)
  }
}

private struct Counted: ObjectRecord, Equatable {
  static let entityName = "Item"
  var count: Tally
}

private struct Tally: Codable, Equatable {
  var number: Int?

  init(number: Int?) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int?.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

private struct Stranger: ObjectRecord { var title: String }

private struct Labelled: ObjectRecord {
  static let entityName = "Tag"
  var label: String
}

private struct Numbered: ObjectRecord {
  static let entityName = "Tag"
  var name: Int
}

private struct Listed: ObjectRecord {
  static let entityName = "Tag"
  var name: [String]
}

private struct Huge: ObjectRecord {
  static let entityName = "Item"
  var count: UInt64
}

import Foundation
import HistoryTypes
import Testing

@Suite struct ModelTests {
  @Test(
    arguments: [
      "", "1a", "_key", "a b", "a\"b", "Item\"; DROP TABLE history_member; --", "a'b", "a;b",
      "naïve",
      "a\u{0}b", "history_x", "HISTORY_member", "sqlite_master", "Sqlite_x", "a-b", "a:b", "a!",
      "a\nb",
      String(repeating: "a", count: 101),
    ])
  func `A reserved name or one that needs quotes is refused by name`(name: String) {
    #expect(throws: ModelError.badName(name)) { try Model([Entity(name, [])]) }
    #expect(throws: ModelError.badName("Item.\(name)")) {
      try Model([Entity("Item", [Attribute(name, .int)])])
    }
  }

  @Test(arguments: ["a", "Z", "select", "Item_2", "a__", String(repeating: "a", count: 100)])
  func `A letter followed by letters, digits and underscores is a name`(name: String) throws {
    let model = try Model([Entity(name, [Attribute(name, .int)])])
    #expect(model.number(of: name) == 1)
    #expect(model.entity(1)?.index(of: name) == 0)
  }

  @Test func `A duplicate name is refused, whatever its case`() {
    #expect(throws: ModelError.twice("item")) {
      try Model([Entity("Item", []), Entity("item", [])])
    }
    #expect(throws: ModelError.twice("Item.TITLE")) {
      try Model([Entity("Item", [Attribute("title", .int), Attribute("TITLE", .int)])])
    }
  }

  @Test func `An entity has at most as many attributes as a bitmap has bits`() throws {
    let attributes = (1...65).map { Attribute("a\($0)", .int) }
    #expect(throws: ModelError.tooManyAttributes("Item", 65)) {
      try Model([Entity("Item", attributes)])
    }
    let model = try Model([Entity("Item", Array(attributes.dropLast()))])
    #expect(model.entities[0].names(in: 1 << 63 | 1) == ["a1", "a64"])
  }

  @Test func `A model without an entity is refused`() {
    #expect(throws: ModelError.noEntity) { try Model([]) }
  }

  @Test func `Entities are numbered from one, and other numbers are unknown`() throws {
    let model = try Model([Entity("Item", []), Entity("Tag", [])])
    #expect(model.entity(2)?.name == "Tag")
    for number in [0, 3, -1, Int32.min, Int32.max] { #expect(model.entity(number) == nil) }
    #expect(model.number(of: "Nothing") == nil)
  }

  @Test func `The preserved attributes are a bitmap`() {
    let entity = Entity(
      "Item",
      [
        Attribute("a", .int, preservesValueInHistoryOnDeletion: true), Attribute("b", .int),
        Attribute("c", .int, preservesValueInHistoryOnDeletion: true),
      ]
    )
    #expect(entity.preserved == 0b101)
    #expect(entity.names(in: entity.preserved) == ["a", "c"])
  }

  @Test func `A model is encoded, and validated when it is decoded`() throws {
    let model = try Model([
      Entity("Item", [Attribute("a", .uuid, preservesValueInHistoryOnDeletion: true)])
    ])
    let coded = try JSONEncoder().encode(model)
    #expect(try JSONDecoder().decode(Model.self, from: coded) == model)
    let bad = String(decoding: coded, as: UTF8.self).replacingOccurrences(of: "Item", with: "a b")
    #expect(throws: ModelError.badName("a b")) {
      try JSONDecoder().decode(Model.self, from: Data(bad.utf8))
    }
  }

  @Test func `A link entity has an attribute and an index for each order`() throws {
    func link(_ position: String?, _ inverse: String?) -> Entity {
      Entity(
        "Tagging",
        linking: ("task", to: "Task"),
        with: ("tag", to: "Tag"),
        orderedBy: position,
        inverseOrderedBy: inverse
      )
    }
    let ends = [Entity("Task", []), Entity("Tag", [])]
    let none = link(nil, nil)
    #expect(none.attributes.map(\.name) == ["task", "tag"] && none.indexes.isEmpty)
    #expect(none == Entity("Tagging", linking: ("task", to: "Task"), with: ("tag", to: "Tag")))
    let both = link("position", "taskPosition")
    #expect(both.attributes.map(\.name) == ["task", "tag", "position", "taskPosition"])
    #expect(
      both.attributes.map { $0.reference?.orderedBy } == ["position", "taskPosition", nil, nil]
    )
    #expect(both.indexes == [["task", "position"], ["tag", "taskPosition"]])
    let model = try Model(ends + [both])
    #expect(try JSONDecoder().decode(Model.self, from: JSONEncoder().encode(model)) == model)
    #expect(link(nil, "place").indexes == [["tag", "place"]])
    #expect(throws: ModelError.unfitPosition("Tagging.task", "place")) {
      try Model(ends + [link("place", "place")])
    }
    #expect(throws: ModelError.twice("Tagging.tag")) { try Model(ends + [link("tag", nil)]) }
  }

  @Test func `Indexes and required attributes are encoded only where there are any`() throws {
    let item = Entity(
      "Item",
      [Attribute("a", .string, isOptional: false), Attribute("b", .int)],
      indexes: [["b"], [.descending("a", collation: .caseInsensitive), .ascending("b")]],
      uniquenessConstraints: [["a"], ["b", "a"]]
    )
    let coded = try JSONEncoder().encode(item)
    #expect(try JSONDecoder().decode(Entity.self, from: coded) == item)
    let plain = Entity("Item", [Attribute("b", .int)])
    let text = String(decoding: try JSONEncoder().encode(plain), as: UTF8.self)
    for key in ["indexes", "isOptional", "uniqueness"] { #expect(!text.contains(key)) }
    #expect(throws: ModelError.unknownIndexedAttribute("Item", "c", nearest: nil)) {
      try Model([Entity("Item", plain.attributes, uniquenessConstraints: [["b"], ["c"]])])
    }
    #expect(throws: ModelError.badIndex("Item", [])) {
      try Model([Entity("Item", plain.attributes, uniquenessConstraints: [[]])])
    }
  }

  @Test func `An index over a name that is no attribute, or over none, is refused`() {
    func model(_ indexes: [[ObjectOrder]]) throws -> Model {
      try Model([
        Entity("Item", [Attribute("name", .string), Attribute("due", .date)], indexes: indexes)
      ])
    }
    let unknown = ModelError.unknownIndexedAttribute("Item", "nmae", nearest: "name")
    #expect(throws: unknown) { try model([["due"], ["due", "nmae"]]) }
    #expect(unknown.description.hasSuffix("no such attribute. Did you mean \"name\"?"))
    #expect(throws: ModelError.badIndex("Item", [])) { try model([[]]) }
    let twice: [ObjectOrder] = ["due", .descending("due")]
    #expect(throws: ModelError.badIndex("Item", twice)) { try model([twice]) }
    #expect(
      ModelError.badIndex("Item", twice).description
        == "The entity \"Item\" has an index or a uniqueness constraint (due, due descending) with one "
        + "attribute twice: name each once."
    )
    #expect(throws: ModelError.badIndex("Item", ["due"])) { try model([["due"], ["due"]]) }
    #expect(
      ModelError.badIndex("Item", ["due"]).description.hasSuffix("(due) twice: declare it once.")
    )
    #expect(throws: Never.self) { try model([["due"], [.descending("due")]]) }
  }

  @Test func `The preserved bits are computed from the attributes, not read from the file`() throws
  {
    let text = """
      {"name":"Item","preserved":6,"attributes":[
        {"name":"a","type":"int","preservesValueInHistoryOnDeletion":true}]}
      """
    let entity = try JSONDecoder().decode(Entity.self, from: Data(text.utf8))
    #expect(entity.preserved == 1)
  }

  @Test(
    arguments: [
      (.noEntity, "A model needs at least one entity."),
      (
        .badName("a b"),
        "\"a b\" cannot name an entity or attribute: use a letter, then letters, digits or "
          + "underscores (at most 100 characters), and no prefix history_ or sqlite_."
      ),
      (.twice("A"), "The model declares \"A\" twice, ignoring case: rename one."),
      (.tooManyAttributes("A", 65), "The entity \"A\" has 65 attributes; at most 64 are allowed."),
    ] as [(ModelError, String)]
  )
  func `Messages state the problem and a suggestion`(error: ModelError, message: String) {
    #expect(error.description == message)
  }
}

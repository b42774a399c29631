import Foundation
import HistoryTypes
import Testing

@Suite struct ModelDifferenceTests {
  private let plain = Model(unchecked: [
    Entity("Item", [Attribute("title", .string), Attribute("count", .int)]), Entity("Tag", []),
  ])

  private func differences(
    _ entities: [Entity],
    from older: Model? = nil
  ) throws -> [ModelDifference] {
    try Model(entities, version: 2).differences(from: older ?? plain)
  }

  @Test func `A model whose order differs has no differences`() throws {
    let reordered = [
      Entity("Tag", []), Entity("Item", [Attribute("count", .int), Attribute("title", .string)]),
    ]
    #expect(try differences(reordered).isEmpty)
  }

  @Test func `Differences of indexes and requirements are found and named`() throws {
    let older = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string), Attribute("count", .int, isOptional: false),
          Attribute("due", .date),
        ],
        indexes: [["title"], ["count"]],
        uniquenessConstraints: [["title", "due"], ["count"]]
      )
    ])
    let found = try differences(
      [
        Entity(
          "Item",
          [
            Attribute("headline", .string, renamingIdentifier: "title"), Attribute("count", .int),
            Attribute("due", .date, isOptional: false), Attribute("rank", .int, isOptional: false),
            Attribute("mark", .int, isOptional: false, defaultValue: 1),
          ],
          indexes: [["headline"], [.descending("count"), "due"]],
          uniquenessConstraints: [["headline", "due"], ["mark"]]
        )
      ],
      from: older
    )
    #expect(
      found.map(\.description) == [
        "Item.title was renamed to headline", "Item.count became optional",
        "Item.due is required, and existing objects may have no value",
        "Item.rank was added with the default null",
        "Item.rank is required, and existing objects may have no value",
        "Item.mark was added with the default 1",
        "an index of Item over count descending, due was added",
        "the index of Item over count was removed", "mark of Item became unique",
        "count of Item is no longer unique",
      ]
    )
    #expect(
      found.filter { !$0.isLightweight } == [
        .madeRequired(entity: "Item", attribute: "due"),
        .madeRequired(entity: "Item", attribute: "rank"),
      ]
    )
  }

  @Test func `Every kind of difference is found and named`() throws {
    let older = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string), Attribute("count", .int), Attribute("old", .int),
          Attribute("state", .int), Attribute("code", .string),
        ]
      ), Entity("Tag", []), Entity("Gone", []),
    ])
    let found = try differences(
      [
        Entity(
          "Thing",
          [
            Attribute("headline", .string, renamingIdentifier: "title"),
            Attribute("count", .double), Attribute("state", .int, defaultValue: 3),
            Attribute("code", .data), Attribute("rating", .int, defaultValue: 5),
          ],
          renamingIdentifier: "Item"
        ), Entity("Tag", []), Entity("Note", []),
      ],
      from: older
    )
    #expect(
      found.map(\.description) == [
        "the entity Item was renamed to Thing", "Thing.title was renamed to headline",
        "Thing.count was widened from int to double",
        "the default of Thing.state was changed from null to 3",
        "Thing.code was changed from string to data",
        "Thing.rating was added with the default 5", "Thing.old was removed",
        "the entity Note was added", "the entity Gone was removed",
      ]
    )
    #expect(
      found.filter { !$0.isLightweight } == [
        .retypedAttribute(entity: "Thing", attribute: "code", from: .string, to: .data),
        .removedAttribute(entity: "Thing", attribute: "old"), .removedEntity("Gone"),
      ]
    )
  }

  @Test func `A preserved value is a difference in both directions`() throws {
    let preserved = try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int),
        ]
      ), Entity("Tag", []),
    ])
    #expect(
      preserved.differences(from: plain) == [
        .changedPreservation(entity: "Item", attribute: "title", isPreserved: true)
      ]
    )
    #expect(
      plain.differences(from: preserved).map(\.description) == [
        "deletes no longer preserve Item.title"
      ]
    )
  }

  @Test func `Several renames are followed by the first name or by the previous one`() throws {
    func model(_ name: String, was identity: String?) throws -> Model {
      try Model([Entity("Item", [Attribute(name, .int, renamingIdentifier: identity)])])
    }
    let (first, second) = (try model("a", was: nil), try model("b", was: "a"))
    for third in [try model("c", was: "a"), try model("c", was: "b")] {
      #expect(
        third.differences(from: second) == [.renamedAttribute(entity: "Item", from: "b", to: "c")]
      )
    }
    #expect(second.differences(from: first).count == 1)
    #expect(try model("b", was: nil).differences(from: second).isEmpty)
  }

  @Test func `A new attribute may have the former name of a renamed one`() throws {
    let newer = [
      Entity(
        "Item",
        [
          Attribute("title", .int, renamingIdentifier: "title2"),
          Attribute("headline", .string, renamingIdentifier: "title"), Attribute("count", .int),
        ]
      ), Entity("Tag", []),
    ]
    #expect(
      try differences(newer) == [
        .addedAttribute(entity: "Item", attribute: "title", defaultValue: .null),
        .renamedAttribute(entity: "Item", from: "title", to: "headline"),
      ]
    )
    #expect(throws: ModelError.sameIdentity("Item.headline", "title")) {
      try Model([
        Entity(
          "Item",
          [Attribute("title", .int), Attribute("headline", .string, renamingIdentifier: "title")]
        )
      ])
    }
  }

  @Test func `A model keeps its version, identities and defaults when it is coded`() throws {
    let id = UUID()
    let model = try Model(
      [
        Entity(
          "Thing",
          [
            Attribute("a", .int, defaultValue: -5), Attribute("b", .double, defaultValue: 2.5),
            Attribute("c", .string, defaultValue: "it's; \"x\" y\nz", renamingIdentifier: "cc"),
            Attribute("d", .data, defaultValue: .data(Data([0, 255]))),
            Attribute("e", .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 7))),
            Attribute("f", .bool, defaultValue: true),
            Attribute("g", .uuid, defaultValue: .uuid(id)),
          ],
          renamingIdentifier: "Item"
        )
      ],
      version: 3
    )
    let coded = try JSONEncoder().encode(model)
    #expect(try JSONDecoder().decode(Model.self, from: coded) == model)
    let old = #"[{"name":"A","attributes":[]}]"#
    #expect(
      try JSONDecoder().decode(Model.self, from: Data(old.utf8)) == Model([Entity("A", [])])
    )
  }

  @Test func `A default value must fit its attribute, and a version starts at 1`() {
    for (value, type) in [
      (1, .string), (.double(.nan), .double), (.double(.infinity), .double), ("a\0", .string),
      (true, .int),
    ] as [(Value, AttributeType)] {
      #expect(throws: ModelError.unfitDefault("A.a", type)) {
        try Model([Entity("A", [Attribute("a", type, defaultValue: value)])])
      }
    }
    #expect(throws: ModelError.badVersion(0)) { try Model([Entity("A", [])], version: 0) }
  }

  @Test func `Column bitmaps are mapped between a program's order and the file's`() throws {
    let entity = Entity(
      "Item",
      [Attribute("a", .int), Attribute("b", .int)],
      renamingIdentifier: nil,
      isDeclared: true,
      numbers: [2, 0],
      others: [1: Attribute("c", .int)]
    )
    let mapping = try #require(ColumnMapping(entity))
    #expect(mapping.numbers(of: 0b01) == 0b100)
    #expect(mapping.numbers(of: 0b10) == 0b001)
    #expect(mapping.numbers(of: 0b100) == 0b010)
    for bit in 0..<64 { #expect(mapping.indices(of: mapping.numbers(of: 1 << bit)) == 1 << bit) }
    #expect(entity.attribute(ofNumber: 2)?.name == "a")
    #expect(entity.attribute(ofNumber: 1)?.name == "c")
    #expect(entity.othersInOrder.map { $0?.name } == ["c"])
    #expect(ColumnMapping(plain.entities[0]) == nil)
  }
}

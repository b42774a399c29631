import HistoryTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Models with ordered references, and models that must be refused.
enum OrderModels {
  /// Returns the model of ``OrderScript``.
  ///
  /// Both references of `Task` are ordered, each by an attribute of its own; that of `Note` is not.
  static func model(
    orderedBy position: String? = "position",
    version: Int = 1
  ) throws(ModelError) -> Model {
    try Model(
      [
        Entity("List", [Attribute("name", .string)]),
        Entity(
          "Task",
          [
            Attribute("title", .string), Attribute("list", to: "List", orderedBy: position),
            Attribute("parent", to: "Task", orderedBy: "rank"), Attribute("position", .double),
            Attribute("rank", .double), Attribute("place", .double),
          ]
        ), Entity("Note", [Attribute("list", to: "List")]),
      ],
      version: version
    )
  }

  private static let list = Entity("List", [Attribute("name", .string)])
  private static let position = Attribute("position", .double)

  private static func task(_ attributes: [Attribute]) -> [Entity] {
    [list, Entity("Task", attributes)]
  }

  /// Returns a reference with a type or default value that no reference may have.
  private static func reference(_ type: AttributeType, _ value: Value) -> Attribute {
    Attribute(
      "list",
      type,
      isOptional: true,
      preservesValueInHistoryOnDeletion: false,
      defaultValue: value,
      renamingIdentifier: nil,
      reference: Reference(to: "List")
    )
  }

  /// Invalid orders and references: the expected error, and the entities.
  private static let refusedReferences: [(ModelError, [Entity])] = [
    (
      .unknownPosition("Task.list", "positoin", nearest: "position"),
      task([Attribute("list", to: "List", orderedBy: "positoin"), position])
    ),
    (
      .unknownPosition("Task.list", "xyzzyxyzzy", nearest: nil),
      task([Attribute("list", to: "List", orderedBy: "xyzzyxyzzy"), position])
    ),
    (
      .unfitPosition("Task.list", "position"),
      task([Attribute("list", to: "List", orderedBy: "position"), Attribute("position", .int)])
    ),
    (
      .unfitPosition("Task.list", "position"),
      task([
        Attribute("list", to: "List", orderedBy: "position"),
        Attribute("old", to: "List", orderedBy: "position"), position,
      ])
    ),
    (.unfitPosition("Task.list", "list"), task([Attribute("list", to: "List", orderedBy: "list")])),
    (
      .unfitPosition("Tagging.task", "position"),
      task([position]) + [
        Entity(
          "Tagging",
          linking: ("task", to: "Task"),
          with: ("list", to: "List"),
          orderedBy: "position",
          inverseOrderedBy: "position"
        )
      ]
    ), (.unfitReference("Task.list"), task([reference(.string, .null)])),
    (.unfitReference("Task.list"), task([reference(.int, 1)])),
    (
      .requiredNullified("Task.list"),
      task([Attribute("list", to: "List", isOptional: false)])
    ),
    (
      .unknownReference("Task.list", "Lisst", nearest: "List"),
      task([Attribute("list", to: "Lisst")])
    ),
    (
      .unknownReference("Task.list", "Xyzzyxyzzy", nearest: nil),
      task([Attribute("list", to: "Xyzzyxyzzy")])
    ),
  ]

  /// Invalid indexes and uniqueness constraints: the expected error, and the entities.
  private static let refusedIndexes: [(ModelError, [Entity])] = [
    (
      .unknownIndexedAttribute("Note", "positoin", nearest: "position"),
      [Entity("Note", [position], indexes: [["positoin"]])]
    ),
    (
      .unknownIndexedAttribute("Note", "xyzzyxyzzy", nearest: nil),
      [Entity("Note", [position], uniquenessConstraints: [["xyzzyxyzzy"]])]
    ), (.badIndex("Note", []), [Entity("Note", [position], indexes: [[]])]),
    (
      .badIndex("Note", ["position", .descending("position")]),
      [Entity("Note", [position], indexes: [["position", .descending("position")]])]
    ),
    (
      .badIndex("Note", ["position"]),
      [Entity("Note", [position], indexes: [["position"], ["position"]])]
    ),
    (
      .sameIdentity("Other", "Note"),
      [Entity("Note", [position]), Entity("Other", [], renamingIdentifier: "Note")]
    ), (.badName("a b"), [Entity("Note", [], renamingIdentifier: "a b")]),
    (
      .badName("Note.a b"),
      [Entity("Note", [Attribute("a", .int, renamingIdentifier: "a b")])]
    ),
  ]

  /// Checks the errors of all invalid models, and the encoding of a valid and an invalid one.
  ///
  /// Returns one line for each fault. The number `place`, from 0, selects the invalid model and the
  /// version of the valid model that are encoded and decoded.
  static func faults(encoding place: Int) -> [String] {
    let all = refusedReferences + refusedIndexes
    var faults = encodingFaults(all[place % all.count], version: 1 + place % 2)
    for (error, entities) in all {
      do throws(ModelError) {
        _ = try Model(entities)
        faults.append("a model is accepted that must be refused with: \(error)")
      } catch let found {
        if found != error { faults.append("a model is refused with \(found), not with: \(error)") }
        if let fault = fault(inTextOf: found) { faults.append(fault) }
      }
    }
    return faults
  }

  private static func encodingFaults(
    _ refused: (error: ModelError, entities: [Entity]),
    version: Int
  ) -> [String] {
    var faults: [String] = []
    do {
      let encoded = try JSONEncoder().encode(Model(unchecked: refused.entities))
      _ = try JSONDecoder().decode(Model.self, from: encoded)
      faults.append("an encoded model is accepted that must be refused with: \(refused.error)")
    } catch let found {
      if found as? ModelError != refused.error {
        faults.append("an encoded model is refused with \(found), not with: \(refused.error)")
      }
    }
    let model = try? model(version: version)
    let encoded = try? JSONEncoder().encode(model)
    let decoded = encoded.flatMap { try? JSONDecoder().decode(Model.self, from: $0) }
    if model == nil || decoded != model {
      faults.append("an encoded model with ordered references is decoded as another model")
    }
    return faults
  }

  /// Checks that the text of an error has the invalid names, and ends with a suggestion.
  private static func fault(inTextOf error: ModelError) -> String? {
    let names: [String] =
      switch error {
      case .unknownPosition(let name, let position, let nearest):
        [name, position, nearest ?? "add it"]
      case .unfitPosition(let name, let position): [name, position, "double"]
      case .unfitReference(let name): [name, "integer"]
      case .requiredNullified(let name): [name, "optional"]
      case .unknownReference(let name, let entity, let nearest):
        [name, entity, nearest ?? "add it"]
      case .unknownIndexedAttribute(let entity, let name, let nearest):
        [entity, name, nearest ?? "add the attribute"]
      case .badIndex(let entity, let index):
        [
          entity,
          index.isEmpty ? "at least one" : index.count > 1 ? "name each once" : "declare it once",
        ]
      case .sameIdentity(let name, let identity): [name, identity]
      case .badName(let name): [name]
      default: []
      }
    let text = error.description
    let hasNames = names.allSatisfy { text.contains($0) }
    let isWhole = text.hasSuffix(".") || text.hasSuffix("?")
    return hasNames && isWhole ? nil : "the error \(names) has a wrong text: \(text)"
  }
}

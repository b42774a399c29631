import HistoryTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ModelScriptVersions {
  /// An attribute of `Item`, with its name in each model version.
  ///
  /// The name is `nil` in versions that lack the attribute.
  struct Field: Sendable {
    let names: [String?]
    let initial: Value
    var isPreserved = false
    /// The first model version in which the attribute is a double instead of an integer.
    ///
    /// The value is `.max` if the attribute has the same type in all versions.
    var widened = Int.max

    /// Returns a value made from `number`, of the type that the attribute has in a model version.
    ///
    /// The value is null if `number` is 0.
    func value(_ number: Int, in version: Int) -> Value {
      if number == 0 { return .null }
      return switch initial {
      case .bool: .bool(number < 5)
      case .string: .string("h\(number)")
      default: version >= widened ? .double(Double(number) / 2) : .int(Int64(number))
      }
    }

    /// Returns the given value as a program with the newest model reads it.
    func stored(_ value: Value) -> Value {
      guard widened < .max, case .int(let number) = value else { return value }
      return .double(Double(number))
    }

    /// Returns the given value as a program with a model version reads it.
    ///
    /// If the attribute is an integer in that version, the program reads a fraction as null.
    func read(_ value: Value, in version: Int) -> Value {
      guard widened < .max, version < widened, case .double(let number) = value else {
        return value
      }
      return Int64(exactly: number).map(Value.int) ?? .null
    }
  }

  static let fields = [
    Field(names: ["title", "headline", "headline"], initial: "", isPreserved: true),
    Field(names: ["count", "count", "count"], initial: .null, widened: 3),
    Field(names: [nil, "rating", "rating"], initial: 5, isPreserved: true),
    Field(names: [nil, nil, "title"], initial: true),
  ]
  /// The index in ``fields`` of the attribute `count`.
  static let count = 1

  /// Three versions of a model; a store changes from each version to the next without a migration.
  let all: [Model]
  /// A model that differs from the third version, but has the same version number.
  let other: Model
  /// A version to which a store must be migrated explicitly: opening an older store with it fails.
  let migrated: Model

  init?() {
    let headline = Attribute(
      "headline",
      .string,
      preservesValueInHistoryOnDeletion: true,
      defaultValue: "",
      renamingIdentifier: "title"
    )
    let rating = Attribute("rating", .int, preservesValueInHistoryOnDeletion: true, defaultValue: 5)
    let late = Attribute("title", .bool, defaultValue: true, renamingIdentifier: "title3")
    let title = Attribute(
      "title",
      .string,
      preservesValueInHistoryOnDeletion: true,
      defaultValue: ""
    )
    let label = Entity("Label", [Attribute("name", .string)], renamingIdentifier: "Tag")
    let note = Entity("Note", Self.noteAttributes(isLater: false))
    let laterNote = Entity("Note", Self.noteAttributes(isLater: true))
    do {
      all = [
        try Model([
          Entity("Item", [title, Attribute("count", .int)]),
          Entity("Tag", [Attribute("name", .string)]),
        ]),
        try Model(
          [Entity("Item", [rating, headline, Attribute("count", .int)]), note, label],
          version: 2
        ),
        try Model(
          [
            Entity("Item", [late, rating, headline, Attribute("count", .double)]), laterNote, label,
          ],
          version: 3
        ),
      ]
      other = try Model([Entity("Item", [headline])], version: 3)
      migrated = try Model(
        [
          Entity("Item", [Attribute("count", .string), rating]),
          Entity("Word", [Attribute("text", .string)]),
        ],
        version: 4
      )
    } catch {
      return nil
    }
  }

  /// The attributes of `Note`, with defaults of every type.
  ///
  /// In a later version, one default value differs, and deletes preserve one attribute in history.
  private static func noteAttributes(isLater: Bool) -> [Attribute] {
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    return [
      Attribute("text", .string, defaultValue: isLater ? "é" : "e"),
      Attribute("real", .double, defaultValue: 0.25),
      Attribute("data", .data, defaultValue: .data(Data([0, 9, 255]))),
      Attribute("date", .date, defaultValue: .date(date)),
      Attribute(
        "uuid",
        .uuid,
        preservesValueInHistoryOnDeletion: isLater,
        defaultValue: .uuid(uuid)
      ),
    ]
  }

  /// Invalid models: the expected error, the entities and the version number.
  static let refused: [(ModelError, [Entity], Int)] = {
    let text = Attribute("text", .string)
    let many = (0...Model.attributeCountMax).map { Attribute("a\($0)", .int) }
    let twins = [text, Attribute("other", .string, renamingIdentifier: "text")]
    return [
      (.noEntity, [], 1), (.badName("1st"), [Entity("1st", [text])], 1),
      (.badName("Item.a b"), [Entity("Item", [Attribute("a b", .int)])], 1),
      (.twice("Item.TEXT"), [Entity("Item", [text, Attribute("TEXT", .int)])], 1),
      (.tooManyAttributes("Item", many.count), [Entity("Item", many)], 1),
      (.badVersion(0), [Entity("Item", [text])], 0),
      (.sameIdentity("Item.other", "text"), [Entity("Item", twins)], 1),
      (
        .unfitDefault("Item.text", .string),
        [Entity("Item", [Attribute("text", .string, defaultValue: 1)])],
        1
      ),
    ]
  }()
}

import HistoryTypes
import PropertyTesting
import Traces

extension PlanModels {
  /// The delete rules of the references in a generated model with relations.
  struct Rules: Sendable {
    /// The rule of the optional reference from a tag to an item.
    var tag: DeleteRule
    /// The rule of the required reference from a note to an item; never `nullify`.
    var note: DeleteRule
    /// The rule of the optional reference from a note to a tag.
    var label: DeleteRule
    /// The rule of the optional reference between items; `nil` if items have no such reference.
    var parent: DeleteRule?
    /// Whether the notes of one item must have different texts.
    var hasUniqueNotes = false
  }

  /// Returns a model of items, tags with unique names, and notes, with references between them.
  static func related(_ rules: Rules) -> Model {
    var item = [
      Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
      Attribute("count", .int),
    ]
    if let parent = rules.parent {
      item.append(Attribute("parent", to: "Item", deleteRule: parent))
    }
    return make([
      Entity("Item", item),
      Entity(
        "Tag",
        [
          Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("item", to: "Item", deleteRule: rules.tag), Attribute("rank", .int),
        ],
        uniquenessConstraints: [["name"]]
      ),
      Entity(
        "Note",
        [
          Attribute("text", .string, preservesValueInHistoryOnDeletion: true),
          Attribute(
            "item",
            to: "Item",
            deleteRule: rules.note,
            isOptional: false,
            preservesValueInHistoryOnDeletion: true
          ),
          Attribute(
            "tag",
            to: "Tag",
            deleteRule: rules.label,
            preservesValueInHistoryOnDeletion: true
          ),
        ],
        uniquenessConstraints: rules.hasUniqueNotes ? [["item", "text"]] : []
      ),
    ])
  }

  /// Draws the delete rules of a model with relations.
  static func related(_ source: inout ChoiceSource) -> Model {
    let rules = DeleteRule.allCases
    func rule(_ source: inout ChoiceSource) -> DeleteRule {
      rules[source.weighted([3, 4, 2], label: "rule")]
    }
    return related(
      Rules(
        tag: rule(&source),
        note: source.bool(probability: 0.3, label: "deny") ? .deny : .cascade,
        label: rule(&source),
        parent: source.bool(probability: 0.3, label: "parent") ? rule(&source) : nil,
        hasUniqueNotes: source.bool(probability: 0.3, label: "unique notes")
      )
    )
  }
}

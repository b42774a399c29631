import HistoryTypes
import Traces

/// The references between existing objects, as the writes of a plan in progress have set them.
struct PlanLinks: Sendable {
  private struct Column: Sendable {
    let attribute: String
    let entity: String
    let rule: DeleteRule
  }

  /// The attributes of each entity that are references.
  private var columns: [String: [Column]] = [:]
  /// For each object, the objects to which it refers, by the attribute of the reference.
  private var links: [ObjectName: [String: ObjectName]] = [:]
  /// Whether a change passed to `note` deletes an object to which a `deny` reference refers.
  private var isDenied = false

  init(_ model: Model) {
    for entity in model.entities {
      let columns = entity.attributes.compactMap { attribute in
        attribute.reference.map {
          Column(attribute: attribute.name, entity: $0.entity, rule: $0.deleteRule)
        }
      }
      if !columns.isEmpty { self.columns[entity.name] = columns }
    }
  }

  /// Whether the model has no references.
  var isEmpty: Bool { columns.isEmpty }

  /// Returns whether a store would refuse the changes that were passed to `note`.
  ///
  /// The reason is a delete that a delete rule forbids, or a reference to a missing object.
  func isRefused(_ live: Set<ObjectName>) -> Bool {
    isDenied || links.values.contains { !$0.values.allSatisfy(live.contains) }
  }

  /// Applies a change to the references and to the set of existing objects, by the delete rules.
  mutating func note(_ change: PlannedChange, _ live: inout Set<ObjectName>) {
    switch change.type {
    case .delete: remove(change.object, &live)
    case .update where !live.contains(change.object): break
    case .insert, .update:
      live.insert(change.object)
      for column in columns[change.object.entity] ?? [] {
        guard let value = change.values[column.attribute] else { continue }
        let other = value.int.map { ObjectName(column.entity, $0) }
        links[change.object, default: [:]][column.attribute] = other
      }
    }
  }

  private mutating func remove(_ object: ObjectName, _ live: inout Set<ObjectName>) {
    guard live.remove(object) != nil else { return }
    links[object] = nil
    for other in links.keys.sorted() {
      for column in columns[other.entity] ?? [] where links[other]?[column.attribute] == object {
        switch column.rule {
        case .nullify: links[other]?[column.attribute] = nil
        case .cascade: remove(other, &live)
        case .deny: isDenied = true
        }
      }
    }
  }
}

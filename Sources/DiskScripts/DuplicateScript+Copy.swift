import HistoryTypes

/// A copy of a store's objects, from which duplicates are removed by plain code.
struct ObjectCopy {
  /// The values of each object by entity, key and attribute; a missing value is null.
  var rows: [String: [Int64: [String: Value]]] = [:]

  static let entities = [
    Entity(
      "List",
      [
        Attribute("name", .string), Attribute("code", .int), Attribute("above", to: "List"),
        Attribute("root", to: "List", deleteRule: .deny, isOptional: false),
      ]
    ),
    Entity("Item", [Attribute("list", to: "List", deleteRule: .cascade)]),
    Entity("Note", [Attribute("list", to: "List", deleteRule: .deny, isOptional: false)]),
    Entity(
      "Slot",
      [Attribute("list", to: "List", deleteRule: .cascade), Attribute("place", .int)],
      uniquenessConstraints: [["list", "place"]]
    ),
    Entity("Tag", [Attribute("name", .string)]),
    Entity("Tagging", linking: ("list", to: "List"), with: ("tag", to: "Tag")),
  ]

  var lists: [Int64] { keys("List") }

  func keys(_ entity: String) -> [Int64] { rows[entity, default: [:]].keys.sorted() }

  /// Removes all but the oldest of each group of equal objects that contains a candidate.
  ///
  /// Objects are equal if they have the same values of `attributes`, none of which is null.
  /// `candidates` contains keys of objects.
  ///
  /// The attribute `total`, if given, of the oldest object gets the sum of the group's values.
  ///
  /// - Returns: The number of the groups.
  mutating func removeDuplicates(
    of entity: String,
    among candidates: Set<Int64>,
    by attributes: [String],
    adding total: String? = nil
  ) -> Int {
    var groups: [[Value]: [Int64]] = [:]
    for key in keys(entity) {
      let values = attributes.map { rows[entity]?[key]?[$0] ?? .null }
      if !values.contains(.null) { groups[values, default: []].append(key) }
    }
    let found = groups.values.filter { $0.count > 1 && !candidates.isDisjoint(with: $0) }
    for group in found {
      if let total {
        let sum = group.compactMap { rows[entity]?[$0]?[total]?.int }.reduce(0, +)
        rows[entity]?[group[0]]?[total] = .int(sum)
      }
      for loser in group.dropFirst() {
        if entity == "List" { redirect(from: loser, to: group[0], except: group.dropFirst()) }
        rows[entity]?[loser] = nil
      }
    }
    return found.count
  }

  private mutating func redirect(
    from loser: Int64,
    to winner: Int64,
    except losers: ArraySlice<Int64>
  ) {
    for entity in Self.entities {
      for attribute in entity.attributes where attribute.reference?.entity == "List" {
        let partner = entity.uniquenessConstraints.first?.last
        for key in keys(entity.name) where rows[entity.name]?[key]?[attribute.name] == .int(loser) {
          let isList = entity.name == "List"
          if isList && losers.contains(key) { continue }
          if isList && key == winner && attribute.isOptional {
            rows[entity.name]?[key]?[attribute.name] = .null
          } else if let partner, isTaken(rows[entity.name]?[key]?[partner], entity, of: winner) {
            rows[entity.name]?[key] = nil
          } else {
            rows[entity.name]?[key]?[attribute.name] = .int(winner)
          }
        }
      }
    }
  }

  /// Returns whether an object of `entity` refers to `list` and has `value`; `false` for null.
  ///
  /// The value is that of the last attribute in the first uniqueness constraint of the entity.
  private func isTaken(_ value: Value?, _ entity: Entity, of list: Int64) -> Bool {
    guard let value, value != .null, let partner = entity.uniquenessConstraints.first?.last else {
      return false
    }
    return rows[entity.name, default: [:]].values.contains {
      $0["list"] == .int(list) && $0[partner] == value
    }
  }
}

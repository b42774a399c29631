/// The text of a plan that is equal for plans which differ only in names and in the seed.
///
/// Actors, consumers, authors and the keys of objects get names in the order of their first use in the
/// commands; those that only the header has follow. The order of the actors in the header is left out.
package struct CanonicalPlan: Hashable, Sendable, CustomStringConvertible {
  /// The lines of the plan, with the new names.
  package let description: String

  /// Renames the parts of a plan.
  ///
  /// - Complexity: linear in the plan's text.
  package init(_ plan: Plan) {
    var names = Names()
    let commands = plan.commands.map { names.renamed(PlanCodec.json(of: $0)) }
    var header = PlanCodec.json(of: plan.header).members ?? [:]
    header["seed"] = nil
    // Authors get their names in the order of the new names of their actors.
    let actors = header["actors"]?.elements ?? []
    let places = actors.map { names.number(ofActor: $0.members?["id"]?.text ?? "") }
    header["actors"] = .array(zip(actors, places).sorted { $0.1 < $1.1 }.map(\.0))
    let renamed = names.renamed(.object(header))
    description = ([renamed] + commands).map(\.line).joined(separator: "\n")
  }

  /// The new names, by the old ones.
  private struct Names {
    private var actors: [String: String] = [:]
    private var authors: [String: String] = [:]
    private var keys: [String: Int64] = [:]

    private static let actorKeys: Set = ["actor", "id", "consumer", "consumers"]
    private static let authorKeys: Set = [
      "author", "authors", "allAuthors", "batchAuthors", "protectedAuthors", "ignores",
    ]

    /// Returns the number in the new name of an actor.
    mutating func number(ofActor id: String) -> Int {
      Int(Self.name(id, "actor", &actors).split(separator: "-")[1]) ?? 0
    }

    mutating func renamed(_ value: JSONValue, key: String = "") -> JSONValue {
      switch value {
      case .string(let text): .string(renamed(text, key))
      case .array(let elements): .array(elements.map { renamed($0, key: key) })
      case .object(let members): object(members, key)
      case .null, .bool, .integer, .number: value
      }
    }

    private mutating func object(_ members: [String: JSONValue], _ key: String) -> JSONValue {
      // The values of attributes may look like names, but are none.
      if key == "set" || key == "values" { return .object(members) }
      var renamed: [String: JSONValue] = [:]
      for (key, value) in members.sorted(by: { $0.key < $1.key }) {
        renamed[key] = self.renamed(value, key: key)
      }
      return .object(renamed)
    }

    private mutating func renamed(_ text: String, _ key: String) -> String {
      if Self.actorKeys.contains(key) { return Self.name(text, "actor", &actors) }
      if Self.authorKeys.contains(key) { return Self.name(text, "author", &authors) }
      guard key == "object", let object = ObjectName(text) else { return text }
      let next = Int64(keys.count + 1)
      let number = keys[text, default: next]
      keys[text] = number
      return ObjectName(object.entity, number).description
    }

    private static func name(
      _ text: String,
      _ kind: String,
      _ names: inout [String: String]
    ) -> String {
      if let known = names[text] { return known }
      let name = "\(kind)-\(names.count + 1)"
      names[text] = name
      return name
    }
  }
}

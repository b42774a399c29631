/// A normalized text of a plan, which is equal for plans that show the same bug in the same way.
///
/// Actors, consumers, contexts and authors get new names, numbered in the order of their first use
/// in the commands. Names that no command uses are numbered last. The text omits objects, values,
/// the model, protected authors and the seed. It also omits the transaction numbers of writes that
/// repeat the history of a store file. The header lists the actors in the order of their new names.
/// A command that moves the clock keeps only the direction.
package struct CanonicalPlan: Hashable, Sendable, CustomStringConvertible {
  /// The lines of the plan, with the new names of its actors, consumers, contexts and authors.
  package let description: String

  /// Creates the normalized text of a plan.
  ///
  /// If `showsOperations` is `false`, the text does not distinguish inserts, updates and deletes.
  ///
  /// - Complexity: linear in the plan's text.
  package init(_ plan: Plan, showsOperations: Bool) {
    var names = Names(omitted: showsOperations ? Self.omitted : Self.omitted.union(["op"]))
    let commands = plan.commands.map { names.renamed(PlanCodec.json(of: $0)) }
    var header = PlanCodec.json(of: plan.header).members ?? [:]
    // Authors get their names in the order of the new names of their actors.
    let actors = header["actors"]?.elements ?? []
    let places = actors.map { names.number(ofActor: $0.members?["id"]?.text ?? "") }
    header["actors"] = .array(zip(actors, places).sorted { $0.1 < $1.1 }.map(\.0))
    let renamed = names.renamed(.object(header))
    description = ([renamed] + commands).map(\.line).joined(separator: "\n")
  }

  private static let omitted: Set = [
    "seed", "model", "protectedAuthors", "object", "objects", "entity", "values", "set",
    "transaction",
  ]

  /// The new names of a plan's actors, contexts and authors, by their old names.
  private struct Names {
    /// The JSON keys whose values are left out of the text.
    let omitted: Set<String>
    private var actors: [String: String] = [:]
    private var authors: [String: String] = [:]
    private var contexts: [String: String] = [:]

    private static let actorKeys: Set = ["actor", "id", "consumer", "consumers"]
    private static let authorKeys: Set = [
      "author", "allAuthors", "batchAuthors", "ignores",
    ]

    init(omitted: Set<String>) { self.omitted = omitted }

    /// Returns the number in an actor's new name, such as 1 for `actor-1`.
    ///
    /// If the actor does not have a new name yet, it gets the next one.
    mutating func number(ofActor id: String) -> Int {
      Int(Self.name(id, "actor", &actors).split(separator: "-")[1]) ?? 0
    }

    mutating func renamed(_ value: JSONValue, key: String = "") -> JSONValue {
      switch value {
      case .string(let text): .string(renamed(text, key))
      case .array(let elements): .array(renamed(elements, key))
      case .object(let members): object(members)
      case .integer(let number) where key == "advance": .integer(number.signum())
      case .number(let number) where key == "advance": .integer(number < 0 ? -1 : 1)
      case .null, .bool, .integer, .number: value
      }
    }

    /// Renames the elements of an array, and then removes consecutive duplicates.
    private mutating func renamed(_ elements: [JSONValue], _ key: String) -> [JSONValue] {
      var renamed: [JSONValue] = []
      for element in elements {
        let next = self.renamed(element, key: key)
        if renamed.last != next { renamed.append(next) }
      }
      return renamed
    }

    private mutating func object(_ members: [String: JSONValue]) -> JSONValue {
      var renamed: [String: JSONValue] = [:]
      for (key, value) in members.sorted(by: { $0.key < $1.key }) where !omitted.contains(key) {
        renamed[key] = self.renamed(value, key: key)
      }
      return .object(renamed)
    }

    private mutating func renamed(_ text: String, _ key: String) -> String {
      if Self.actorKeys.contains(key) { return Self.name(text, "actor", &actors) }
      if Self.authorKeys.contains(key) { return Self.name(text, "author", &authors) }
      return key == "context" ? Self.name(text, "context", &contexts) : text
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

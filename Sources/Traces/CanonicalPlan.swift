/// The normalized text of a plan: plans that show the same bug in the same way have equal texts.
///
/// Actors, consumers, contexts and authors are renamed in the order of their first use in the
/// commands; those that no command uses come last. Objects, values, the model, protected authors,
/// the seed and the order of the actors in the header are left out. An advance of the clock keeps
/// only its direction.
package struct CanonicalPlan: Hashable, Sendable, CustomStringConvertible {
  /// The lines of the plan, with the new names.
  package let description: String
  private let commands: [JSONValue]

  /// Renames the parts of a plan.
  ///
  /// If `showsOperations` is `false`, inserts, updates and deletes count as the same operation.
  ///
  /// - Complexity: linear in the plan's text.
  package init(_ plan: Plan, showsOperations: Bool) {
    var names = Names(omitted: showsOperations ? Self.omitted : Self.omitted.union(["op"]))
    commands = plan.commands.map { names.renamed(PlanCodec.json(of: $0)) }
    var header = PlanCodec.json(of: plan.header).members ?? [:]
    // Authors get their names in the order of the new names of their actors.
    let actors = header["actors"]?.elements ?? []
    let places = actors.map { names.number(ofActor: $0.members?["id"]?.text ?? "") }
    header["actors"] = .array(zip(actors, places).sorted { $0.1 < $1.1 }.map(\.0))
    let renamed = names.renamed(.object(header))
    description = ([renamed] + commands).map(\.line).joined(separator: "\n")
  }

  /// Returns whether the commands of another plan occur in this plan, in the same order and with other
  /// commands between them, if the names of the other plan are replaced.
  ///
  /// The headers are not compared.
  ///
  /// - Complexity: The search ends without a result after ``searchSteps`` comparisons of two commands,
  ///   and then returns `false`.
  package func contains(_ part: CanonicalPlan) -> Bool {
    var steps = Self.searchSteps
    return place(part.commands[...], commands[...], Renaming(), &steps)
  }

  /// The maximum number of comparisons of two commands in a search of ``contains(_:)``.
  private static let searchSteps = 10_000

  private func place(
    _ part: ArraySlice<JSONValue>,
    _ whole: ArraySlice<JSONValue>,
    _ names: Renaming,
    _ steps: inout Int
  ) -> Bool {
    guard let command = part.first else { return true }
    for (place, candidate) in zip(whole.indices, whole) where part.count <= whole.endIndex - place {
      steps -= 1
      guard steps >= 0 else { return false }
      var names = names
      if names.map(command, to: candidate),
        self.place(part.dropFirst(), whole[(place + 1)...], names, &steps)
      {
        return true
      }
    }
    return false
  }

  /// Names of one plan, each with a different name of another plan.
  private struct Renaming {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []

    /// Returns whether two values are equal after replacing names, and adds the names that this needs.
    mutating func map(_ one: JSONValue, to other: JSONValue) -> Bool {
      switch (one, other) {
      case (.string(let one), .string(let other)): map(one, to: other)
      case (.array(let one), .array(let other)):
        one.count == other.count && zip(one, other).allSatisfy { map($0, to: $1) }
      case (.object(let one), .object(let other)):
        one.count == other.count
          && one.sorted { $0.key < $1.key }.allSatisfy { key, value in
            other[key].map { map(value, to: $0) } ?? false
          }
      default: one == other
      }
    }

    private mutating func map(_ one: String, to other: String) -> Bool {
      guard let kind = Names.kind(of: one) else { return one == other }
      if let known = names[one] { return known == other }
      guard Names.kind(of: other) == kind, taken.insert(other).inserted else { return false }
      names[one] = other
      return true
    }
  }

  private static let omitted: Set = [
    "seed", "model", "protectedAuthors", "object", "entity", "values", "set",
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

    /// Returns `actor`, `author` or `context` for a new name; `nil` for any other text.
    static func kind(of text: String) -> Substring? {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, ["actor", "author", "context"].contains(parts[0]),
        Int(parts[1]) != nil
      else { return nil }
      return parts[0]
    }

    /// Returns the number in the new name of an actor.
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

    /// Renames the elements of an array, and leaves out an element that equals the one before.
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

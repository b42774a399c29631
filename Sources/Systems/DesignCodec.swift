package import Traces

/// Reads and writes tracking designs as JSON: one object with a key for each decision.
///
///     {"design": 1, "name": "my-app", "like": "kit-2-readme", "position": "number"}
///
/// Decisions that the object lacks are copied from the design that `like` names. Without `like`,
/// every decision is required.
package enum DesignCodec {
  /// The version of the format, which is the value of the key `design`.
  package static let version = 1

  /// The JSON keys of a design's file, except those of most decisions.
  ///
  /// The keys of decisions are the names in ``DesignDecision/all``. Of these, only `bound` is listed
  /// here, because it is written in another way than the others; see ``encode(_:)``.
  private enum Key {
    static let bySignal = "strategy"
    static let bound = "bound"
    static let byCommand = "boundByCommand"
    static let idleAuthor = "idleAuthor"
    static let own = ["design", "name", "sentence", "like"]
    static let all = own + [bySignal, byCommand, idleAuthor] + DesignDecision.all.map(\.name)
  }

  /// Reads a design.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> TrackingDesign {
    let table = try WordTable(text, as: "the design")
    try table.check(version: version, key: "design")
    try table.allow(Key.all)
    guard let name = table["name"], !name.isEmpty else {
      throw table.error("name", "the design has no \"name\"", "Write \"name\": \"my-app\".")
    }
    var design = try base(table)
    design.name = name
    design.sentence =
      table["sentence"] ?? table["like"].map { "A design like \($0)." } ?? "A custom design."
    for decision in DesignDecision.all {
      guard let word = table[decision.name] else { continue }
      try table.check(word, of: decision.name, isOneOf: decision.choices.map(\.word))
      decision.set(word, in: &design)
    }
    try readRequests(table, &design)
    return design
  }

  private static func base(_ table: WordTable) throws(FormatError) -> TrackingDesign {
    let known = TrackingDesign.all + [.corner]
    guard let like = table["like"] else {
      let missing = DesignDecision.all.first { table[$0.name] == nil }
      guard let missing else { return .corner.named("", "") { $0.boundByCommand = nil } }
      throw table.error(
        nil,
        "the design has neither \"like\" nor \"\(missing.name)\"",
        "Write \"like\": \"kit-2-readme\" to copy missing decisions from that design, or write every decision."
      )
    }
    try table.check(like, of: "like", isOneOf: known.map(\.name))
    return known.first { $0.name == like } ?? .corner
  }

  /// Reads `strategy`, `boundByCommand` and `idleAuthor`, which are not in ``DesignDecision/all``.
  ///
  /// `boundByCommand` is the bound of the purges that a plan's commands request. `idleAuthor` is an
  /// author that every process lists although no process uses it.
  private static func readRequests(
    _ table: WordTable,
    _ design: inout TrackingDesign
  ) throws(FormatError) {
    if let word = table[Key.bySignal] {
      guard let strategy = CleanStrategy(planned: word) else {
        throw table.error(
          Key.bySignal,
          "there is no strategy \"\(word)\"",
          "Use one of these, with any numbers: "
            + TrackingDesign.strategyWords.joined(separator: ", ") + "."
        )
      }
      design.strategy = strategy
    }
    if let word = table[Key.byCommand] {
      let words = PurgeBound.allCases.map(\.rawValue) + ["none"]
      try table.check(word, of: Key.byCommand, isOneOf: words)
      design.boundByCommand = PurgeBound(rawValue: word)
    }
    if let author = table[Key.idleAuthor] { design.idleAuthor = author.isEmpty ? nil : author }
  }

  /// Returns a design as JSON text, with one line for each decision.
  package static func encode(_ design: TrackingDesign) -> String {
    var rows = [("name", design.name), ("sentence", design.sentence)]
    rows += design.choices.map { decision, word in
      // The bound of purges after a pass may differ from that of purges by command, which has its
      // own key.
      (decision.name, decision.name == Key.bound ? design.bound.rawValue : word)
    }
    rows.append((Key.bySignal, design.strategy.word))
    rows.append((Key.byCommand, design.boundByCommand?.rawValue ?? "none"))
    rows.append((Key.idleAuthor, design.idleAuthor ?? ""))
    return WordTable.text(version: version, key: "design", rows)
  }
}

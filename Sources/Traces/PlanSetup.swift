package import HistoryTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A user's own configuration, for which plans are generated: actors, consumers and limits.
package struct PlanSetup: Hashable, Sendable {
  /// The entities of the store; `nil` if each plan gets a generated model.
  package var model: Model?
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The authors of background contexts and batch requests, by actor; the default is the actor's author.
  package var backgroundAuthors: [ActorID: String] = [:]
  /// The consumers: members that read history but have no in-memory contexts.
  package var consumers: [ActorID] = []
  /// Authors that only write, with batch requests, and never register as members.
  package var batchAuthors: [String] = []
  /// The authors whose transactions are never purged; a trailing `*` matches any suffix.
  package var protectedAuthors: [String] = []
  /// The retention limits, which cut off members that are too far behind; `nil` for none.
  package var retention: PlannedRetention?
  /// The trigger of passes (fetch, merge and record); the default is `commands`.
  package var drive = Drive.commands
  /// The durability of commits; `nil` if it is drawn for each plan.
  package var synchronous: PlannedSynchronous?
  /// Whether actors without a purge strategy use the default of PersistentHistoryTrackingKit.
  ///
  /// This applies only if the system under test is a version of PersistentHistoryTrackingKit.
  package var hasKitDefaults = false

  package init(actors: [PlannedActor]) {
    self.actors = actors
  }

  /// Returns a plan's header for this configuration, with the model `other` if ``model`` is `nil`.
  package func header(model other: Model) -> PlanHeader {
    var header = PlanHeader(model: model ?? other, actors: actors)
    header.consumers = consumers
    header.batchAuthors = batchAuthors
    header.protectedAuthors = protectedAuthors
    header.retention = retention
    header.drive = drive
    header.synchronous = synchronous ?? .normal
    return header
  }
}

/// Decodes a user's own configuration: one JSON object, which may span several lines.
package enum SetupCodec {
  /// The version of the configuration format.
  ///
  /// The parameter names and their defaults are those of PersistentHistoryTrackingKit ("the kit").
  ///
  /// Version 1 is still read, with its own keys and defaults. In version 1, an actor merges the
  /// imports of a CloudKit mirror unless the actor's configuration ignores the mirror's author.
  package static let version = 2

  private static let keys = [
    "config", "model", "actors", "consumers", "batchAuthors", "protectedAuthors", "retention",
    "drive", "synchronous",
  ]

  /// Reads a configuration.
  ///
  /// - Throws: ``FormatError`` with the line, the problem and a suggestion.
  package static func decode(_ text: String) throws(FormatError) -> PlanSetup {
    let place = Place(line: nil, keyLines: lines(of: text))
    let fields = try Fields(try parse(text), as: "the configuration", at: place)
    let isOld = fields.members["config"] == .integer(1)
    if !isOld { try PlanCodec.checkVersion("config", is: version, in: fields) }
    try fields.allow(keys)
    _ = try fields.need("actors", "a list of objects", \.elements)
    var setup = PlanSetup(actors: [])
    setup.protectedAuthors = try fields.strings(ifAny: "protectedAuthors") ?? []
    if isOld {
      try checkOld(fields)
      setup.actors = try PlanCodec.actors(fields)
    } else {
      try KitActors.read(fields, into: &setup)
    }
    guard !setup.actors.isEmpty else {
      throw place.of("actors").error(
        "the configuration has no actors",
        "Add at least one: \(isOld ? #"{"id":"app","author":"app"}"# : #"{"currentAuthor":"app"}"#)."
      )
    }
    setup.model = try model(fields)
    setup.consumers = try PlanCodec.consumers(fields)
    setup.batchAuthors = try fields.strings(ifAny: "batchAuthors") ?? []
    setup.retention = try PlanCodec.retention(fields)
    setup.drive = try fields.choice("drive", default: .commands)
    setup.synchronous =
      fields.has("synchronous")
      ? try fields.choice("synchronous", as: PlannedSynchronous.self) : nil
    try PlanCodec.checkNames(setup.actors.map(\.id) + setup.consumers, place.of("actors"))
    return setup
  }

  /// Throws if a configuration of version 1 uses a parameter name that only version 2 has.
  ///
  /// The parameter names of version 2 are those of PersistentHistoryTrackingKit.
  private static func checkOld(_ fields: Fields) throws(FormatError) {
    let new = ["currentAuthor", "includingCloudKitMirroring", "cleanStrategy", "backgroundAuthor"]
    for actor in try fields.objects("actors", as: "actor") {
      guard let key = new.first(where: actor.has) else { continue }
      throw actor.place.of(key).error(
        "\(actor.what) has the key \"\(key)\", but the configuration has version 1",
        "Write \"config\": 2, and use the parameter names of version 2 in all actors."
      )
    }
  }

  private static func model(_ fields: Fields) throws(FormatError) -> Model? {
    guard fields.has("model") else { return nil }
    let model = try PlanCodec.model(fields)
    guard let bare = model.entities.first(where: \.attributes.isEmpty) else { return model }
    throw fields.place.of("model").error(
      "the entity \"\(bare.name)\" has no attributes, so a plan cannot write its objects",
      "Give it one: {\"name\":\"title\",\"type\":\"string\"}."
    )
  }

  /// Parses a text that must be exactly one JSON value.
  static func parse(
    _ text: String,
    _ advice: String = "A configuration is one object: {\"config\":\(version),\"actors\":[...]}."
  ) throws(FormatError) -> JSONValue {
    // Some decoders accept more than JSON, such as a comma before a closing bracket.
    let wrongLine = JSONSyntax.wrongLine(of: text)
    if wrongLine == nil,
      let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    {
      return value
    }
    throw FormatError(
      line: wrongLine,
      problem: "this is not JSON",
      advice: advice
    )
  }

  /// Returns the number of the line in which each JSON key first occurs.
  static func lines(of text: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      for key in keys(in: line) where lines[key] == nil { lines[key] = index + 1 }
    }
    return lines
  }

  /// Returns the quoted texts in a line that are followed by a colon.
  private static func keys(in line: Substring) -> [String] {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.indices.dropFirst().dropLast().filter { index in
      parts[index + 1].first { !$0.isWhitespace } == ":"
    }.map { String(parts[$0]) }
  }
}

/// Decodes the actors of a configuration in the parameter names of PersistentHistoryTrackingKit.
///
/// Absent parameters have the defaults of PersistentHistoryTrackingKit.
enum KitActors {
  /// The keys of a JSON object that describes an actor.
  private static let keys = [
    "id", "currentAuthor", "launched", "allAuthors", "includingCloudKitMirroring", "batchAuthors",
    "ignores", "contexts", "backgroundAuthor", "page", "cleanStrategy", "maximumDuration",
    "cursors", "hooks",
  ]
  /// Keys of configurations of version 1, each with its name in PersistentHistoryTrackingKit.
  private static let renamed = ["author": "currentAuthor", "strategy": "cleanStrategy"]
  /// The parameters of PersistentHistoryTrackingKit that a configuration must not set.
  ///
  /// The lab tests only their defaults.
  private static let fixed = [
    "container", "viewContext", "userDefaults", "uniqueString", "logger", "logLevel", "autoStart",
    "merger", "deduplicator",
  ]
  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  private static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"

  /// Reads the actors, and adds the CloudKit mirror and the background authors that the actors name.
  static func read(_ fields: Fields, into setup: inout PlanSetup) throws(FormatError) {
    let all = try fields.objects("actors", as: "actor")
    for fields in all {
      try check(fields)
      let (actor, includesMirror) = try decode(fields)
      setup.actors.append(actor)
      setup.backgroundAuthors[actor.id] = try fields.string(ifAny: "backgroundAuthor")
      // If an actor includes a mirror, the plan has a mirror, whose imports are protected.
      if includesMirror, !matchesMirror(setup.protectedAuthors) {
        setup.protectedAuthors.append("NSCloudKitMirroringDelegate.*")
      }
    }
    if matchesMirror(setup.protectedAuthors) { try excludeMirror(all, &setup) }
    completeAuthors(&setup)
    setup.hasKitDefaults = true
  }

  /// Makes each actor that does not include the CloudKit mirror ignore the mirror's author.
  private static func excludeMirror(
    _ all: [Fields],
    _ setup: inout PlanSetup
  ) throws(FormatError) {
    for (index, fields) in all.enumerated() {
      let includes = try fields.bool("includingCloudKitMirroring", default: false)
      guard !includes, setup.actors[index].ignores?.contains(mirrorAuthor) != true else { continue }
      setup.actors[index].ignores = (setup.actors[index].ignores ?? []) + [mirrorAuthor]
    }
  }

  /// Sets absent `allAuthors` to the authors of all actors and of their background contexts.
  private static func completeAuthors(_ setup: inout PlanSetup) {
    guard !setup.backgroundAuthors.isEmpty else { return }
    let authors =
      setup.actors.map { $0.author ?? $0.id.name }
      + setup.actors.compactMap { setup.backgroundAuthors[$0.id] }
    for index in setup.actors.indices where setup.actors[index].allAuthors == nil {
      setup.actors[index].allAuthors = authors.reduce(into: []) { unique, author in
        if !unique.contains(author) { unique.append(author) }
      }
    }
  }

  private static func matchesMirror(_ authors: [String]) -> Bool {
    authors.contains { author in
      author == mirrorAuthor || author.hasSuffix("*") && mirrorAuthor.hasPrefix(author.dropLast())
    }
  }

  private static func check(_ fields: Fields) throws(FormatError) {
    for (old, new) in renamed.sorted(by: { $0.key < $1.key }) where fields.has(old) {
      throw fields.place.of(old).error(
        "\(fields.what) has the key \"\(old)\", which only version 1 has",
        "Write \"\(new)\", as in PersistentHistoryTrackingKit."
      )
    }
    for key in fixed where fields.has(key) {
      throw fields.place.of(key).error(
        "\(fields.what) has the key \"\(key)\", which the lab does not support",
        "Remove the key: the lab tests only the default of PersistentHistoryTrackingKit."
      )
    }
    try fields.allow(keys)
  }

  private static func decode(
    _ fields: Fields
  ) throws(FormatError) -> (actor: PlannedActor, includesMirror: Bool) {
    var members = fields.members
    let author = try fields.string(ifAny: "currentAuthor")
    if !fields.has("id") {
      guard let author else {
        throw fields.place.error(
          "\(fields.what) has neither \"currentAuthor\" nor \"id\"",
          "Write {\"currentAuthor\":\"app\"}."
        )
      }
      members["id"] = .string(author)
    }
    members["author"] = members.removeValue(forKey: "currentAuthor")
    let read = [
      "includingCloudKitMirroring", "backgroundAuthor", "cleanStrategy", "maximumDuration",
    ]
    for key in read { members[key] = nil }
    var actor = try PlanCodec.actor(Fields(members, as: fields.what, at: fields.place))
    actor.strategy = try fields.find(
      "cleanStrategy",
      "a strategy of PersistentHistoryTrackingKit such as \".none\", \".byNotification(times: 1)\" or "
        + "\".byDuration(seconds: 604800)\", or a word of the system such as \"whenMerged\"",
      strategy
    )
    actor.maximumDuration = try fields.find(
      "maximumDuration",
      "a number of seconds, 0 or more, such as 604800 or \"60 * 60 * 24 * 7\""
    ) { value in
      let number = value.text.flatMap { product(words($0[...])) }
      let seconds = value.double ?? number.flatMap(Double.init)
      return seconds.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    }
    return (actor, try fields.bool("includingCloudKitMirroring", default: false))
  }

  /// Converts a strategy from the syntax of PersistentHistoryTrackingKit to plan syntax.
  ///
  /// The result is `nil` if the strategy is not valid.
  ///
  /// A string without a dot at its start is returned unchanged.
  private static func strategy(_ value: JSONValue) -> String? {
    guard let text = value.text else { return nil }
    guard text.hasPrefix(".") else { return text }
    let words = words(text.dropFirst())
    if words == "none" { return words }
    for (name, label) in [("byNotification", "times"), ("byDuration", "seconds")] {
      let start = "\(name)(\(label):"
      guard words.hasPrefix(start), words.hasSuffix(")") else { continue }
      let factors = String(words.dropFirst(start.count).dropLast())
      guard let number = product(factors) else { return nil }
      return "\(name)/\(number)"
    }
    return nil
  }

  private static func words(_ text: Substring) -> String { text.filter { !$0.isWhitespace } }

  /// Returns the product of whole numbers such as `60*60*24`, or a decimal fraction, as text.
  private static func product(_ text: String) -> String? {
    var product: Int64 = 1
    for factor in text.split(separator: "*", omittingEmptySubsequences: false) {
      guard let number = Int64(factor.filter { $0 != "_" }), number >= 0 else {
        return Double(text).map { "\($0)" }
      }
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: number)
      guard !isTooLarge else { return nil }
      product = next
    }
    return String(product)
  }
}

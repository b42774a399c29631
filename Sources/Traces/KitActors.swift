internal import HistoryTypes

/// Decodes the actors of a configuration in the parameter names of PersistentHistoryTrackingKit.
///
/// Parameters that are left out have the kit's defaults.
enum KitActors {
  /// The keys of an actor.
  private static let keys = [
    "id", "currentAuthor", "launched", "allAuthors", "includingCloudKitMirroring", "batchAuthors",
    "ignores", "contexts", "backgroundAuthor", "page", "cleanStrategy", "cursors", "hooks",
  ]
  /// The keys of version 1 that have another name in the kit.
  private static let renamed = ["author": "currentAuthor", "strategy": "cleanStrategy"]
  /// The kit's parameters that the lab does not vary.
  private static let fixed = [
    "container", "viewContext", "userDefaults", "maximumDuration", "uniqueString", "logger",
    "logLevel", "autoStart", "merger", "deduplicator",
  ]
  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  private static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"

  /// Reads the actors, and adds the mirror and the background authors that they name.
  static func read(_ fields: Fields, into setup: inout PlanSetup) throws(FormatError) {
    let all = try fields.objects("actors", as: "actor")
    for fields in all {
      try check(fields)
      let (actor, includesMirror) = try decode(fields)
      setup.actors.append(actor)
      setup.backgroundAuthors[actor.id] = try fields.string(ifAny: "backgroundAuthor")
      // A process includes the mirror only where there is one.
      if includesMirror, !matchesMirror(setup.protectedAuthors) {
        setup.protectedAuthors.append("NSCloudKitMirroringDelegate.*")
      }
    }
    if matchesMirror(setup.protectedAuthors) { try excludeMirror(all, &setup) }
    completeAuthors(&setup)
  }

  /// Makes the actors that do not include the mirror ignore its imports.
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

  /// Adds the background authors to the default of `allAuthors`, which is all that actors write as.
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
        "\(fields.what) has the key \"\(old)\" of version 1",
        "Write \"\(new)\", the kit's name."
      )
    }
    for key in fixed where fields.has(key) {
      throw fields.place.of(key).error(
        "\(fields.what) has \"\(key)\", which the lab does not vary",
        "Leave it out: the kit's default is tested."
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
    for key in ["includingCloudKitMirroring", "backgroundAuthor", "cleanStrategy"] {
      members[key] = nil
    }
    var actor = try PlanCodec.actor(Fields(members, as: fields.what, at: fields.place))
    actor.strategy = try fields.find(
      "cleanStrategy",
      "a strategy of the kit such as \".none\", \".byNotification(times: 1)\" or "
        + "\".byDuration(seconds: 604800)\", or a word of the system such as \"whenMerged\"",
      strategy
    )
    return (actor, try fields.bool("includingCloudKitMirroring", default: false))
  }

  /// Returns a strategy as plans write it; `nil` for text that starts like the kit's and is not.
  private static func strategy(_ value: JSONValue) -> String? {
    guard let text = value.text else { return nil }
    guard text.hasPrefix(".") else { return text }
    let words = text.dropFirst().filter { !$0.isWhitespace }
    if words == "none" { return words }
    for (name, label) in [("byNotification", "times"), ("byDuration", "seconds")] {
      let start = "\(name)(\(label):"
      guard words.hasPrefix(start), words.hasSuffix(")") else { continue }
      guard let number = product(words.dropFirst(start.count).dropLast()) else { return nil }
      return "\(name)/\(number)"
    }
    return nil
  }

  /// Returns the product of whole numbers such as `60*60*24`, or a number with a fraction, as text.
  private static func product(_ text: Substring) -> String? {
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

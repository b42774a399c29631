internal import HistoryTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Decodes a user's own configuration: one JSON object, which may span several lines.
package enum SetupCodec {
  /// The version of the configuration format, in the kit's parameter names and with its defaults.
  ///
  /// Version 1 is still read, with its own keys and defaults: there, an actor merges a mirror's
  /// imports unless it ignores them.
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
        "Name at least one: \(isOld ? #"{"id":"app","author":"app"}"# : #"{"currentAuthor":"app"}"#)."
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

  /// Rejects the kit's parameter names in version 1, whose defaults differ.
  private static func checkOld(_ fields: Fields) throws(FormatError) {
    let new = ["currentAuthor", "includingCloudKitMirroring", "cleanStrategy", "backgroundAuthor"]
    for actor in try fields.objects("actors", as: "actor") {
      guard let key = new.first(where: actor.has) else { continue }
      throw actor.place.of(key).error(
        "\(actor.what) has the key \"\(key)\" of version 2 in a configuration of version 1",
        "Write \"config\": 2, and the kit's parameter names throughout."
      )
    }
  }

  private static func model(_ fields: Fields) throws(FormatError) -> Model? {
    guard fields.has("model") else { return nil }
    let model = try PlanCodec.model(fields)
    guard let bare = model.entities.first(where: \.attributes.isEmpty) else { return model }
    throw fields.place.of("model").error(
      "the entity \"\(bare.name)\" has no attributes, so that nothing can be written to it",
      "Give it one: {\"name\":\"title\",\"type\":\"string\"}."
    )
  }

  private static func parse(_ text: String) throws(FormatError) -> JSONValue {
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
      advice: "A configuration is one object: {\"config\":\(version),\"actors\":[...]}."
    )
  }

  /// Returns the first line of each key.
  private static func lines(of text: String) -> [String: Int] {
    var lines: [String: Int] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      for key in keys(in: line) where lines[key] == nil { lines[key] = index + 1 }
    }
    return lines
  }

  /// Returns the quoted texts of a line that are followed by a colon.
  private static func keys(in line: Substring) -> [String] {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.indices.dropFirst().dropLast().filter { index in
      parts[index + 1].first { !$0.isWhitespace } == ":"
    }.map { String(parts[$0]) }
  }
}

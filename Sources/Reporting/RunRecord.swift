package import Measuring

/// What `run.json` says about a run: enough to do it again and to know what came of it.
///
/// The key `run` carries the version of the format. A reader accepts its own version and older ones, and
/// refuses a newer one with a sentence.
package struct RunRecord: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The version of the format.
  package private(set) var run = RunRecord.formatVersion
  /// What was done: `check`, `bench`.
  package var verb: String
  /// The command line, word by word.
  package var commandLine: [String]
  /// Where, with what and when.
  package var environment: RunEnvironment
  /// What came of it: `valid`, `invalid`, `unknown`; nil while the run goes on, or was cut short.
  package var verdict: String?
  /// The same in a sentence; nil while the run goes on.
  package var because: String?

  /// Which part of a run it is that is split over several machines; nil for a whole one.
  package var shard: Shard?

  /// Makes the record of a run that begins.
  package init(
    verb: String,
    commandLine: [String],
    environment: RunEnvironment,
    shard: Shard? = nil
  ) {
    self.verb = verb
    self.commandLine = commandLine
    self.environment = environment
    self.shard = shard
  }

  private enum CodingKeys: String, CodingKey {
    case run
    case verb
    case commandLine
    case environment
    case verdict
    case because
    case shard
  }

  /// Decodes a record of a known version.
  ///
  /// - Throws: `DecodingError`, for another version too.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    run = try container.version(of: "a run", newest: Self.formatVersion, forKey: .run)
    verb = try container.decode(String.self, forKey: .verb)
    commandLine = try container.decode([String].self, forKey: .commandLine)
    environment = try container.decode(RunEnvironment.self, forKey: .environment)
    verdict = try container.decodeIfPresent(String.self, forKey: .verdict)
    because = try container.decodeIfPresent(String.self, forKey: .because)
    shard = try container.decodeIfPresent(Shard.self, forKey: .shard)
  }
}

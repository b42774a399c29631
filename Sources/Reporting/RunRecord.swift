package import Measuring

/// The contents of `run.json`: everything needed to repeat a run, and its verdict.
///
/// The key `run` contains the version of the format. Older versions are accepted; a newer one is
/// rejected with an error message.
package struct RunRecord: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The version of the format.
  package private(set) var run = RunRecord.formatVersion
  /// The command of the run, such as `check` or `bench`.
  package var verb: String
  /// The command line as a list of words.
  package var commandLine: [String]
  /// The machine, the versions and the time of the run.
  package var environment: RunEnvironment
  /// `valid`, `invalid` or `unknown`; `nil` while the run continues, or if it was interrupted.
  package var verdict: String?
  /// The explanation of the verdict in a sentence; `nil` while the run continues.
  package var because: String?

  /// The part of a run that is split over several machines, or `nil` for a whole run.
  package var shard: Shard?

  /// Creates the record of a new run.
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
  /// - Throws: `DecodingError`, also for an unknown version.
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

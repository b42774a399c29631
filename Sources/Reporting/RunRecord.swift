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

/// Describes the environment of a run.
package enum RunConditions {
  /// Returns the facts of an environment for the footer of a page.
  package static func facts(of environment: RunEnvironment) -> [ReportPage.Fact] {
    let gigabytes = Double(environment.memory) / 1_073_741_824
    return [
      .init("Machine", environment.machine),
      .init("Processors", String(environment.processors)),
      .init("Load before", environment.load.map(NumberText.significant) ?? "not known"),
      .init("Memory", NumberText.significant(gigabytes) + " GiB"),
      .init("System", environment.system),
      .init("Swift", environment.swift + (environment.optimized ? ", release" : ", debug")),
      .init("SQLite", environment.sqlite),
      .init("Commit", environment.commit ?? "not known"),
      .init("Time", environment.time.readable),
      .init("Seed", "0x" + String(environment.seed, radix: 16)),
    ]
  }
}

/// One part of a run that is split over several machines.
///
/// It is written as `2/4`: the second of four parts.
package struct Shard: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The number of the part, from 1.
  package var index: Int
  /// The number of parts.
  package var count: Int

  /// Creates a part, or returns `nil` if the index is not between 1 and the count.
  package init?(_ index: Int, of count: Int) {
    guard count > 0, (1...count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Parses `2/4`, or returns `nil`.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], of: numbers[1])
  }

  /// The part as text, such as `2/4`.
  package var description: String { "\(index)/\(count)" }

  /// Returns whether the list element at a position, counted from 0, belongs to this part.
  package func holds(_ place: Int) -> Bool { place % count == index - 1 }

  /// Returns the part that a job scheduler assigned to this process, or `nil` for none.
  ///
  /// The schedulers are Slurm arrays, Kubernetes indexed jobs, and GitHub's matrix strategies,
  /// whose `strategy.job-index` and `strategy.job-total` a workflow must export; they start
  /// counting at different numbers.
  package static func scheduled(in environment: [String: String]) -> Shard? {
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    if let id = number("SLURM_ARRAY_TASK_ID"), let count = number("SLURM_ARRAY_TASK_COUNT") {
      return Shard(id - (number("SLURM_ARRAY_TASK_MIN") ?? 0) + 1, of: count)
    }
    if let index = number("JOB_COMPLETION_INDEX"), let count = number("JOB_COMPLETIONS") {
      return Shard(index + 1, of: count)
    }
    if let index = number("STRATEGY_JOB_INDEX"), let count = number("STRATEGY_JOB_TOTAL") {
      return Shard(index + 1, of: count)
    }
    return nil
  }
}

/// The state of a result, expressed by a sign and a word, never by colour alone.
package enum VerdictState: String, Sendable, Hashable, Codable {
  /// The claim holds.
  case good
  /// The claim is violated.
  case bad
  /// The claim could not be decided.
  case unknown
  /// A measured fact without a judgement.
  case measured

  /// The sign before the word.
  package var sign: String {
    switch self {
    case .good: "\u{2713}"
    case .bad: "\u{2717}"
    case .unknown: "?"
    case .measured: "\u{2022}"
    }
  }

  /// The default word for the state.
  package var word: String {
    switch self {
    case .good: "holds"
    case .bad: "broken"
    case .unknown: "undecided"
    case .measured: "measured"
    }
  }
}

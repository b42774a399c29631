import Foundation
import HistoryTypes
package import Measuring

/// The contents of `run.json`: everything needed to repeat a run, and its verdict.
///
/// The key `run` contains the version of the format. Older versions are accepted; a newer version is
/// rejected with an error message.
package struct RunRecord: Sendable, Hashable, Codable {
  /// The version of the format that this program writes.
  package static let formatVersion = 1

  /// The version of the format in which the record was written.
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

  /// The part of a run that is split over several machines; `nil` for a whole run.
  package var shard: Shard?
  /// The version of the program that ran; `nil` in records of older programs.
  package var lab: String?
  /// Whether a signal ended the run before its work was done; `nil` means no.
  package var endedEarly: Bool?
  /// The parts from which the run was merged; `nil` for a run of one process.
  package var parts: [RunPart]?

  package init(
    verb: String,
    commandLine: [String],
    environment: RunEnvironment,
    shard: Shard? = nil,
    lab: String? = nil
  ) {
    self.verb = verb
    self.commandLine = commandLine
    self.environment = environment
    self.shard = shard
    self.lab = lab
  }

  /// Whether a signal ended the run before its work was done.
  ///
  /// Records of older programs state this only in the explanation of the verdict.
  package var isEndedEarly: Bool {
    endedEarly ?? (lab == nil && because?.contains("ended early") == true)
  }

  private enum CodingKeys: String, CodingKey {
    case run
    case verb
    case commandLine
    case environment
    case verdict
    case because
    case shard
    case lab
    case endedEarly
    case parts
  }

  /// Decodes a record of a known format version.
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
    lab = try container.decodeIfPresent(String.self, forKey: .lab)
    endedEarly = try container.decodeIfPresent(Bool.self, forKey: .endedEarly)
    parts = try container.decodeIfPresent([RunPart].self, forKey: .parts)
  }
}

/// Describes the environment of a run.
package enum RunConditions {
  /// Returns the facts of a run's environment, and one fact for each part from which the run was
  /// merged.
  package static func facts(of results: BenchmarkResults) -> [ReportPage.Fact] {
    facts(of: results.environment)
      + (results.parts ?? []).map { .init("Part \($0.part)", sentence(of: $0)) }
  }

  /// Returns a sentence about the machine, the time and the verdict of a part of a run.
  private static func sentence(of part: RunPart) -> String {
    let environment = part.environment
    let load = environment.load.map { "load \(NumberText.significant($0))" } ?? "load not known"
    return "\(environment.machine), \(environment.processors.counted("processor")), \(load), "
      + "\(environment.time.readable): \(part.verdict ?? "not finished"), \(part.because ?? "no reason")"
  }

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
/// A part is written as `2/4`: the second of four parts.
package struct Shard: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The number of this part of the run, from 1 to ``count``.
  package var index: Int
  /// The number of parts of the whole run.
  package var count: Int

  /// Creates a part; `nil` if the index is not between 1 and the count.
  package init?(_ index: Int, of count: Int) {
    guard count > 0, (1...count).contains(index) else { return nil }
    self.index = index
    self.count = count
  }

  /// Parses one part of a run, such as `2/4` for the second of four; `nil` for any other text.
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

  /// Returns the part that a job scheduler assigned to this process; `nil` if no scheduler did.
  ///
  /// The schedulers are Slurm arrays, Kubernetes indexed jobs, and GitHub's matrix strategies. A
  /// workflow on GitHub must export `strategy.job-index` and `strategy.job-total`. The schedulers start
  /// counting at different numbers.
  ///
  /// - Throws: `ScheduleError` if the scheduler's numbers do not determine a part.
  package static func scheduled(
    in environment: [String: String]
  ) throws(ScheduleError) -> Shard? {
    if environment["SLURM_ARRAY_TASK_ID"] != nil { return try slurmTask(environment) }
    let pairs = [
      ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"), ("STRATEGY_JOB_INDEX", "STRATEGY_JOB_TOTAL"),
    ]
    for (index, count) in pairs {
      guard environment[index] != nil, environment[count] != nil else { continue }
      let number = try Self.number(index, environment)
      let total = try Self.number(count, environment)
      guard let shard = Shard(number + 1, of: total) else {
        throw ScheduleError(
          "\(index)=\(number) is out of range: with \(count)=\(total) it must be 0 to \(total - 1)"
        )
      }
      return shard
    }
    return nil
  }

  /// Returns the part for a task of a Slurm array such as `0-3`, `1-4` or `0-6:2`.
  private static func slurmTask(
    _ environment: [String: String]
  ) throws(ScheduleError) -> Shard {
    func number(_ name: String, else value: Int?) throws(ScheduleError) -> Int {
      let name = "SLURM_ARRAY_TASK_" + name
      if let value, environment[name, default: ""].isEmpty { return value }
      return try Self.number(name, environment)
    }
    let id = try number("ID", else: nil)
    let count = try number("COUNT", else: nil)
    let first = try number("MIN", else: 0)
    let step = max(1, try number("STEP", else: 1))
    let last = try number("MAX", else: first + (count - 1) * step)
    guard count != 1 else {
      throw ScheduleError(
        "Slurm's array has only the task \(id), so the number of parts is unknown"
      )
    }
    guard first + (count - 1) * step == last else {
      throw ScheduleError(
        "Slurm's array of \(count) tasks from \(first) to \(last) has gaps, so the number of parts is "
          + "unknown"
      )
    }
    let (place, rest) = (id - first).quotientAndRemainder(dividingBy: step)
    guard rest == 0, let shard = Shard(place + 1, of: count) else {
      throw ScheduleError("task \(id) is not one of Slurm's array from \(first) to \(last)")
    }
    return shard
  }

  private static func number(
    _ name: String,
    _ environment: [String: String]
  ) throws(ScheduleError) -> Int {
    guard let text = environment[name] else { throw ScheduleError("\(name) is not set") }
    guard let number = Int(text), number.magnitude < 1 << 31 else {
      throw ScheduleError("\(name) is \"\(text)\", not a number")
    }
    return number
  }
}

/// An error in the numbers by which a job scheduler assigns a part of a run.
package struct ScheduleError: Error, Hashable {
  /// The error without a full stop, such as `SLURM_ARRAY_TASK_COUNT is not set`.
  package var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The state of a result; a page shows it as a colour, a sign and a word.
package enum VerdictState: String, Sendable, Hashable, Codable {
  /// The claim that was checked, such as an invariant or a goal, holds.
  case good
  /// The claim that was checked, such as an invariant or a goal, is violated.
  case bad
  /// The check could not decide whether its claim, such as an invariant or a goal, holds.
  case unknown
  /// The result is a measured fact without a judgement.
  case measured

  /// The sign that a page shows before the word of the verdict, such as a tick before `holds`.
  package var sign: String {
    switch self {
    case .good: "\u{2713}"
    case .bad: "\u{2717}"
    case .unknown: "?"
    case .measured: "\u{2022}"
    }
  }

  /// The word that a page shows for the verdict, unless a ``VerdictTile`` has a word of its own.
  package var word: String {
    switch self {
    case .good: "holds"
    case .bad: "broken"
    case .unknown: "undecided"
    case .measured: "measured"
    }
  }
}

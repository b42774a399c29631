import Foundation
import Reporting
import Systems

/// The options that several verbs share, so that they mean the same everywhere.
enum CommonOption {
  /// The default folder that contains the folders of runs.
  static let runsFolder = "Reports/runs"

  /// The default path of the results database.
  static let historyFile = "Reports/history.sqlite"

  static let seed = Option(
    "seed",
    .seed,
    defaultText: "random, and printed",
    "The number that everything random comes from; decimal, or hexadecimal after 0x."
  )
  static let output = Option(
    "output",
    .path("DIR"),
    default: runsFolder,
    defaultText: runsFolder,
    "The folder in which this run gets its own folder."
  )
  static let onDisk = Option(
    "on-disk",
    .path("FOLDER"),
    defaultText: "in memory",
    "Keeps the stores under test as real files below FOLDER."
  )
  static let history = Option(
    "history",
    .path("FILE"),
    default: historyFile,
    defaultText: "history.sqlite in Reports",
    "The results' database, in which runs are kept."
  )
  static let shard = Option(
    "shard",
    .shard,
    defaultText: "everything",
    "Does the I-th of N equal parts, which report merge joins; auto asks the machine's scheduler."
  )
  static let json = Flag("json", "Prints the results as JSON.")
  static let markdown = Flag("markdown", "Prints the results as Markdown tables.")
}

extension CommonOption {
  /// The timeout for an answer of a program under test, in seconds.
  static let timeout = Option(
    "timeout",
    .decimal("SECONDS", 0.05...86_400),
    default: ExternalProgram.secondsByDefault,
    defaultText: ExternalProgram.secondsByDefault.short,
    "How long an answer of an external system is waited for."
  )
}

/// A choice of the part of a run to do.
enum ShardChoice: Hashable, Sendable {
  case part(Shard)
  /// The part that a scheduler assigned to this process.
  case scheduled

  /// Returns the chosen part.
  ///
  /// - Throws: A usage error if `auto` is given and no scheduler has assigned a part.
  func shard(
    in environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(LabError) -> Shard {
    switch self {
    case .part(let shard): return shard
    case .scheduled:
      if let shard = Shard.scheduled(in: environment) { return shard }
      throw .usage(
        "--shard auto: no scheduler says which part this is. Set SLURM_ARRAY_TASK_ID and _COUNT, "
          + "JOB_COMPLETION_INDEX and JOB_COMPLETIONS, or STRATEGY_JOB_INDEX and STRATEGY_JOB_TOTAL, or "
          + "give I/N."
      )
    }
  }
}

extension ValueReader where Value == ShardChoice {
  /// A reader of `2/4` or `auto`.
  static let shard = ValueReader(
    placeholder: "I/N",
    expectation: "a part and how many there are, such as 2/4, or auto"
  ) { text in
    text == "auto" ? .scheduled : Shard(text).map { .part($0) }
  }
}

extension ParsedArguments {
  /// Returns the chosen part of the run; `nil` for the whole run.
  func shard() throws(LabError) -> Shard? {
    try value(CommonOption.shard).map { (choice) throws(LabError) in try choice.shard() }
  }
}

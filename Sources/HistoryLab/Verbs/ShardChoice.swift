import Foundation
import Reporting

/// Which part of a run is asked for.
enum ShardChoice: Hashable, Sendable {
  case part(Shard)
  /// The part that a scheduler has given to this process.
  case scheduled

  /// The part.
  ///
  /// - Throws: a usage error when no scheduler has said which part this is.
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
  /// `2/4`, or `auto`.
  static let shard = ValueReader(
    placeholder: "I/N",
    expectation: "a part and how many there are, such as 2/4, or auto"
  ) { text in
    text == "auto" ? .scheduled : Shard(text).map { .part($0) }
  }
}

extension ParsedArguments {
  /// The part of a run that is asked for, or nothing for all of it.
  func shard() throws(LabError) -> Shard? {
    try value(CommonOption.shard).map { (choice) throws(LabError) in try choice.shard() }
  }
}

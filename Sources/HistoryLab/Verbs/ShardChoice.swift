import Foundation
import Reporting

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

import Foundation
import Programs
package import Reporting

/// Default values that several verbs share.
package enum CommonOption {
  /// The default folder that contains the folders of runs.
  package static let runsFolder = "Reports/runs"

  /// The default path of the results database.
  package static let historyFile = "Reports/history.sqlite"
}

// These options are declared once, because an option must mean the same in all verbs.

extension Option<UInt64> {
  package static var seed: Option {
    Option(
      wrappedValue: 0,
      "seed",
      .seed,
      shown: "random, and printed",
      "The seed of all random choices; decimal, or hexadecimal after 0x.",
      draw: { $0.drawSeed() }
    )
  }
}

extension Option<String> {
  package static var output: Option {
    Option(
      wrappedValue: CommonOption.runsFolder,
      "output",
      .path("DIR"),
      "Creates the run's folder in DIR."
    )
  }

  /// The folder of runs from which a verb reads.
  package static var runs: Option {
    Option(
      wrappedValue: CommonOption.runsFolder,
      "output",
      .path("DIR"),
      "The folder in which each run creates its own folder."
    )
  }

  package static var history: Option {
    Option(
      wrappedValue: CommonOption.historyFile,
      "history",
      .path("FILE"),
      shown: "history.sqlite in Reports",
      "The database in which the results of runs are kept."
    )
  }
}

extension Option<String?> {
  /// The system that runs a given plan.
  ///
  /// `nil` selects the system that the plan's file names, or `tracker` if the file names none.
  package static var systemOfPlan: Option {
    Option(
      "system",
      .system,
      shown: "the one that the file names, else tracker",
      "The system to run the plan on; external:COMMAND is a program that /bin/sh runs."
    )
  }

  package static var onDisk: Option {
    Option(
      "on-disk",
      .path("FOLDER"),
      shown: "in memory",
      "Keeps the stores under test as real files below FOLDER."
    )
  }
}

extension Option<Int> {
  package static var jobs: Option {
    Option(
      wrappedValue: 1,
      "jobs",
      .integer("N", 1...256),
      shown: "one for each processor",
      "Runs N plans at the same time, which does not change the results.",
      draw: { $0.processors }
    )
  }
}

extension ValueReader where Value == Int {
  /// The value parser of `--size`: a size of history, in transactions of ten changes.
  package static let historySize = integer("N", 100...1_000_000)

  /// The value parser of `--plans`: a number of random plans.
  package static let plans = integer("N", 1...10_000_000)

  /// The value parser of `--commands`: the maximum number of commands of a random plan.
  package static let commands = integer("N", 1...100_000)
}

extension Option<Int> {
  /// The size of the history that a benchmark uses.
  package static var historySize: Option {
    Option(
      wrappedValue: 10_000,
      "size",
      .historySize,
      "The size of history, in transactions of ten changes."
    )
  }
}

extension Argument<String> {
  package static var storeFile: Argument {
    Argument(
      .text("FILE", "a store file"),
      "A store of this library or a Core Data file, which is only read."
    )
  }
}

extension ValueReader where Value == String {
  /// Accepts the path of a plan file, or of a counterexample file, which contains a plan.
  package static let planFile = text("FILE", "a plan or a counterexample file")
}

extension Option<Double> {
  /// The timeout in seconds for each answer of a program under test.
  package static var timeout: Option {
    Option(
      wrappedValue: ExternalProgram.secondsByDefault,
      "timeout",
      .decimal("SECONDS", 0.05...86_400),
      "Waits at most SECONDS for each answer of an external system."
    )
  }

  package static var tolerance: Option {
    Option(
      wrappedValue: 1,
      "tolerance",
      .decimal("PERCENT", 0...100),
      "Allows counts to differ by PERCENT."
    )
  }
}

extension Option<[String]> {
  package static var onlyBenchmarks: Option {
    Option(
      "only",
      each: .text("NAME", "a name, or its beginning"),
      shown: "all",
      "Measures only the benchmarks whose names begin with NAME."
    )
  }
}

extension Option<ShardChoice?> {
  package static var shard: Option {
    Option(
      "shard",
      .shard,
      shown: "everything",
      "Runs part I of N equal parts, to be joined by report merge; auto takes I and N from the job "
        + "scheduler."
    )
  }
}

extension Flag {
  package static var json: Flag { Flag("json", "Prints the results as JSON.") }
}

extension ValueReader where Value == String {
  /// Accepts a system's name as text; the verb must check that the system exists.
  package static let system = text("NAME", "a system's name, as list systems shows them")
}

extension ValueReader where Value == Double {
  package static let minutes = decimal("M", 0.01...10_080)

  /// The value parser of `--older-than`: an age of transactions.
  package static let days = decimal("DAYS", 0...1_000_000)
}

/// The output options of a list: a table for the terminal (the default), Markdown or JSON.
package struct FormatOptions: VerbOptions {
  @Flag("markdown", "Prints the results as Markdown tables.") package var markdown
  @Flag(.json) package var json

  package init() {}

  package var exclusive: [[String]] { [["markdown", "json"]] }

  package var format: CatalogueFormat { json ? .json : markdown ? .markdown : .text }
}

/// The choice of one part of a run that is split over several processes.
package enum ShardChoice: Hashable, Sendable {
  case part(Shard)
  /// The part that a job scheduler has assigned to this process.
  case scheduled

  /// Returns the chosen part.
  ///
  /// - Throws: A usage error if `auto` is given and no scheduler has assigned a part.
  package func shard(
    in environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(LabError) -> Shard {
    switch self {
    case .part(let shard): return shard
    case .scheduled:
      do throws(ScheduleError) {
        if let shard = try Shard.scheduled(in: environment) { return shard }
      } catch {
        throw .usage(
          "--shard auto: \(error.reason). Submit the whole array, such as --array=0-3. To run one part "
            + "again, give its number, counted from 1, and the number of parts, such as --shard 2/4."
        )
      }
      throw .usage(
        "--shard auto: no job scheduler has set the part's number. Set SLURM_ARRAY_TASK_ID and "
          + "SLURM_ARRAY_TASK_COUNT, JOB_COMPLETION_INDEX and JOB_COMPLETIONS, or STRATEGY_JOB_INDEX and "
          + "STRATEGY_JOB_TOTAL, or give the part, such as --shard 2/4."
      )
    }
  }
}

extension ShardChoice? {
  /// Returns the chosen part; `nil` selects the whole run.
  package func shard() throws(LabError) -> Shard? {
    guard let self else { return nil }
    return try self.shard()
  }
}

extension ValueReader where Value == ShardChoice {
  /// Parses values of `--shard`, such as `2/4` or `auto`.
  package static let shard = ValueReader(
    placeholder: "I/N",
    expectation: "a part and the number of parts, such as 2/4, or auto"
  ) { text in
    text == "auto" ? .scheduled : Shard(text).map { .part($0) }
  }
}

import Foundation
import HistoryStore
import HistoryTypes
import Measuring

/// How costs grow with the number of processes that use one store at the same time.
enum Processes {
  static let all = [
    BenchmarkSubject(
      "growth processes",
      part: "Growth",
      operation: "with processes",
      "1 to 16 processes each commit one row after the other to the same store without a pause, and then "
        + "as many read all of its history; each sample is the time of one commit, or of one process's "
        + "reading. Fairness compares the processes when the first one has finished: the fewest commits of "
        + "a process, divided by those of the first; the floor is not measured."
    ) { own in
      let sizes = own.repetitionDivisor == 1 ? [1, 2, 4, 8, 16] : [1, 2, 3]
      let work = LongWork(title: "running processes", unit: "sizes", total: sizes.count)
      return try sizes.flatMap { size in
        let rows = try rows(size, own)
        try own.advance(work, 1)
        return rows
      }
    }.sized(in: "processes")
  ]

  private static let writing = "commit beside other writers"
  private static let reading = "reading all history beside other readers"

  private static func rows(_ size: Int, _ own: OwnSetting) throws -> [SampledRow] {
    guard let command = HelperProcess.command else {
      let reason = "the benchmark starts history-lab again; run it with the command history-lab"
      return [writing, reading].map {
        SampledRow(contender: $0, metric: .wall, outcome: .notMeasured(reason), historySize: size)
      }
    }
    let path = try own.scratch.makeFolder("copy-processes-\(size)") + "/store.sqlite"
    _ = try Store(
      path: path,
      model: try SampleData.model(),
      configuration: StoreTemplate.configuration
    )
    let writers = Crowd(try commits(command, path, size, own))
    return [
      row(writing, .wall, writers.durations, size),
      row(writing, .fairness, [writers.fairness], size),
      row(reading, .wall, try readings(command, path, size), size),
    ]
  }

  private static func row(
    _ contender: String,
    _ metric: Metric,
    _ samples: [Double],
    _ size: Int
  ) -> SampledRow {
    SampledRow(contender: contender, metric: metric, outcome: .samples(samples), historySize: size)
  }

  /// Runs several processes that commit at the same time.
  ///
  /// - Returns: for each process, the times at which its commits finished, in nanoseconds.
  private static func commits(
    _ command: String,
    _ path: String,
    _ size: Int,
    _ own: OwnSetting
  ) throws -> [[UInt64]] {
    let count = max(20, 500 / own.repetitionDivisor)
    let running = try (0..<size).map { _ in
      try HelperProcess.start(command, .commit, [path, "\(count)", "0"])
    }
    return try running.map { process in
      var times: [UInt64] = []
      try process.finish { numbers in
        if numbers.count == 3 { times.append(UInt64(bitPattern: numbers[1])) }
      }
      return times
    }
  }

  /// Runs several processes that read the same history; returns the reading times in nanoseconds.
  private static func readings(_ command: String, _ path: String, _ size: Int) throws -> [Double] {
    let running = try (0..<size).map { _ in try HelperProcess.start(command, .stream, [path]) }
    return try running.flatMap { process in
      var times: [Double] = []
      try process.finish { numbers in
        if numbers.count == 4 { times.append(Double(numbers[2])) }
      }
      return times
    }
  }
}

/// The commits of several processes, from the time during which all processes were committing.
struct Crowd {
  /// The durations of the commits, in nanoseconds.
  let durations: [Double]
  /// The fewest commits of a process divided by the most of any process.
  ///
  /// The value is 1 if all processes have equal numbers, and 0 if there are no commits.
  let fairness: Double

  /// Selects the commits of the time in which all processes were committing.
  ///
  /// `times` has the times at which each process finished each of its commits, in order. The
  /// selected time starts when every process has finished its first commit. It ends when one
  /// process has finished its last commit. Other commits are ignored, because the processes do not
  /// start at the same time.
  init(_ times: [[UInt64]]) {
    let start = times.compactMap(\.first).max() ?? 0
    let end = times.compactMap(\.last).min() ?? 0
    let counted = times.map { $0.filter { (start...max(start, end)).contains($0) } }
    durations = times.flatMap { times in
      zip(times, times.dropFirst()).filter { $0 >= start && $1 <= end }.map { Double($1 - $0) }
    }
    let most = counted.map(\.count).max() ?? 0
    fairness = most == 0 ? 0 : Double(counted.map(\.count).min() ?? 0) / Double(most)
  }
}

extension Metric {
  /// The fewest commits of a process divided by the most of any, while all processes commit.
  fileprivate static let fairness = Metric(name: "fairness", kind: .wall, unit: "of the most")
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A limit for a figure derived from a benchmark.
package struct BenchmarkGoal: Sendable, Hashable {
  /// The figures that a goal can limit.
  package enum Figure: Sendable, Hashable {
    /// The cost relative to the cost of another contender in the same rounds.
    case ratio(to: String, Metric = .wall)
    /// The wall time relative to that of the fastest of several other contenders in the same rounds.
    case ratioToFastest(of: [String])
    /// The wall time at the largest history size relative to that at the size `from`, in the same
    /// rounds.
    case growth(from: Int)
    /// A quantile of the samples; 1 is the maximum.
    case quantile(Double, Metric = .wall)
  }

  /// The name of the goal in reports, such as `batch insert of 1 row, Swift / C`.
  package var measure: String
  /// The title of the benchmark, such as `Store.fetch after token, 10 new`.
  ///
  /// In the results, the titles of rows also end with the conditions that all benchmarks share,
  /// such as `warm, tmpfs`. This title lacks them.
  package var benchmark: String
  /// The measured program, such as this project's store, whose figure is compared with the limit.
  package var contender: String
  /// The figure that is compared with the limit.
  package var figure: Figure
  /// The greatest allowed value of ``figure``, in its unit, or `nil` to report the value only.
  package var limit: Double?
  /// The known obstacle to reaching the goal, or `nil` if none was measured.
  package var obstacle: Obstacle?

  /// A reason why a run can fail to reach the goal, found by measurements.
  package struct Obstacle: Sendable, Hashable {
    /// The reason why the goal can be missed, in sentences, with measured numbers if there are any.
    package var text: String
    /// Another measured program of the benchmark that also meets the obstacle; `nil` if none does.
    ///
    /// A report of a missed goal also gives this contender's cost, relative to the contender with
    /// which the goal compares.
    package var contender: String?

    package init(_ text: String, contender: String? = nil) {
      self.text = text
      self.contender = contender
    }
  }

  package init(
    _ measure: String,
    benchmark: String,
    contender: String,
    _ figure: Figure,
    atMost limit: Double?
  ) {
    self.measure = measure
    self.benchmark = benchmark
    self.contender = contender
    self.figure = figure
    self.limit = limit
  }

  /// The unit of the figure and its limit; empty for a ratio.
  package var unit: String {
    if case .quantile(_, let metric) = figure { metric.unit } else { "" }
  }

  /// Returns whether a row belongs to the goal's benchmark, measured under the usual conditions.
  ///
  /// These are four authors, the packed layout, warm caches and `synchronous=NORMAL`.
  package func isAbout(_ row: BenchmarkRow) -> Bool {
    // Checked first because a title is built at each access, and most rows are of another subject.
    guard row.axis == nil, benchmark.hasPrefix(row.subject) else { return false }
    let title = row.title
    return title == benchmark || title.hasPrefix(benchmark + ", ")
  }
}

/// The outcome of a goal in a run.
package struct GoalOutcome: Sendable, Hashable {
  /// The possible results of comparing a measured value with a goal's limit.
  package enum Verdict: String, Sendable, Codable {
    case reached
    case missed = "not reached"
    /// The goal has no limit, so its figure is only reported.
    case reported = "reported"
    case notMeasured = "not measured"
  }

  package var goal: BenchmarkGoal
  /// The measured value that the goal limits or reports, such as a ratio; `nil` if not measured.
  package var value: Double?
  /// The confidence interval of ``value``, or `nil` for a count, a quantile or a missing value.
  package var interval: Interval?
  /// The ratio of processor times that corresponds to ``value``.
  ///
  /// `nil` if ``value`` is not a ratio of times, or if processor time was not measured. A busy
  /// machine disturbs processor time less than wall time.
  package var processorValue: Double?
  /// The history sizes whose results give ``value``, largest first; empty without such results.
  package var historySizes: [Int] = []
  /// The reason why ``value`` is `nil`; `nil` if it was measured, or if the reason is not known.
  package var reason: String?
  /// The relative cost, in this run, of another contender that also meets the goal's obstacle.
  ///
  /// ``BenchmarkGoal/Obstacle/contender`` names that contender. The cost is relative to the
  /// contender with which the goal compares. `nil` if none is named, or if this ratio of times was
  /// not measured.
  package var obstacleInterval: Interval?

  /// The result of comparing ``value`` with the goal's limit.
  package var verdict: Verdict {
    guard let value else { return .notMeasured }
    guard let limit = goal.limit else { return .reported }
    return value <= limit ? .reached : .missed
  }
}

/// A judge that computes the figures of goals, each at the largest history of its benchmark.
package struct GoalJudge: Sendable {
  package let results: BenchmarkResults

  package init(_ results: BenchmarkResults) { self.results = results }

  /// Returns the outcomes of goals, in the order of the goals.
  package func outcomes(of goals: [BenchmarkGoal]) -> [GoalOutcome] { goals.map(outcome) }

  private func outcome(of goal: BenchmarkGoal) -> GoalOutcome {
    switch goal.figure {
    case .ratio(let other, let metric): ratio(goal, to: other, metric)
    case .ratioToFastest(let others): ratioToFastest(goal, of: others)
    case .growth(let size): growth(goal, from: size)
    case .quantile(let share, let metric): quantile(goal, share, metric)
    }
  }

  private func ratio(_ goal: BenchmarkGoal, to other: String, _ metric: Metric) -> GoalOutcome {
    guard let row = rows(goal, goal.contender, metric).last,
      let floor = rows(goal, other, metric).last(where: { $0.historySize == row.historySize })
    else { return nothing(goal) }
    var outcome = GoalOutcome(goal: goal, historySizes: [row.historySize])
    if metric.kind == .exact {
      outcome.value = row.summary.flatMap { mine in floor.summary.map { mine.p50 / $0.p50 } }
    } else {
      outcome.interval = row.ratio(to: floor)?.interval
      outcome.value = outcome.interval?.estimate
      outcome.processorValue = processorRatio(row, floor)
      if let contender = goal.obstacle?.contender {
        outcome.obstacleInterval =
          rows(goal, contender, metric)
          .last { $0.historySize == row.historySize }?.ratio(to: floor)?.interval
      }
    }
    return outcome
  }

  /// Returns the outcome of comparing the goal's contender with the fastest of several others.
  ///
  /// Of its cost ratios to each of the others, the ratio to the fastest is the greatest. The
  /// outcome is "not measured" if one of the ratios is missing.
  private func ratioToFastest(_ goal: BenchmarkGoal, of others: [String]) -> GoalOutcome {
    let outcomes = others.map { ratio(goal, to: $0, .wall) }
    guard outcomes.allSatisfy({ $0.value != nil }) else { return nothing(goal) }
    return outcomes.max { ($0.value ?? 0) < ($1.value ?? 0) } ?? nothing(goal)
  }

  private func growth(_ goal: BenchmarkGoal, from size: Int) -> GoalOutcome {
    let rows = rows(goal, goal.contender, .wall)
    guard let most = rows.last, let least = rows.first(where: { $0.historySize == size }),
      least.historySize < most.historySize
    else { return nothing(goal) }
    let interval = most.ratio(to: least)?.interval
    return GoalOutcome(
      goal: goal,
      value: interval?.estimate,
      interval: interval,
      processorValue: processorRatio(most, least),
      historySizes: [most.historySize, least.historySize]
    )
  }

  /// Returns the ratio of processor times for two wall-time rows; `nil` if a time was not measured.
  private func processorRatio(_ row: BenchmarkRow, _ floor: BenchmarkRow) -> Double? {
    func onProcessor(_ row: BenchmarkRow) -> BenchmarkRow? {
      results.rows.first {
        $0.title == row.title && $0.contender == row.contender
          && $0.historySize == row.historySize && $0.metric == .cpu
      }
    }
    guard let mine = onProcessor(row), let other = onProcessor(floor) else { return nil }
    return mine.ratio(to: other)?.interval.estimate
  }

  private func quantile(_ goal: BenchmarkGoal, _ share: Double, _ metric: Metric) -> GoalOutcome {
    guard let row = rows(goal, goal.contender, metric).last else { return nothing(goal) }
    return GoalOutcome(
      goal: goal,
      value: SortedSamples(row.samples).quantile(share),
      historySizes: [row.historySize]
    )
  }

  /// Returns the rows of a goal that have samples, smallest history first.
  private func rows(
    _ goal: BenchmarkGoal,
    _ contender: String,
    _ metric: Metric
  ) -> [BenchmarkRow] {
    results.rows.filter {
      $0.contender == contender && $0.metric == metric && !$0.samples.isEmpty && goal.isAbout($0)
    }.sorted { $0.historySize < $1.historySize }
  }

  private func nothing(_ goal: BenchmarkGoal) -> GoalOutcome {
    let reasons = results.rows.filter { $0.contender == goal.contender && goal.isAbout($0) }
      .compactMap(\.notMeasured)
    let isThere = results.rows.contains(where: goal.isAbout)
    let other = isThere ? "a result that the goal needs is not in this run" : "not in this run"
    return GoalOutcome(goal: goal, reason: reasons.first ?? other)
  }
}

extension BenchmarkRow {
  /// Estimates the cost of this row relative to another row that was measured in the same rounds.
  ///
  /// Both rows have two samples per round. The estimate uses the same method as ``ratio``.
  ///
  /// - Returns: The ratio, or `nil` if the rows were not measured in the same rounds or a sample is
  ///   zero.
  package func ratio(to other: BenchmarkRow) -> RatioEstimate? {
    guard samples.count == other.samples.count, samples.count >= 2,
      samples.count.isMultiple(of: 2), seed == other.seed,
      (samples + other.samples).allSatisfy({ $0 > 0 })
    else { return nil }
    let differences: [Double] = zip(samples, other.samples).map { log($0) - log($1) }
    var rounds: [Double] = []
    for first in stride(from: 0, to: differences.count, by: 2) {
      rounds.append((differences[first] + differences[first + 1]) / 2)
    }
    return RatioEstimate(
      to: other.contender,
      logRatios: rounds,
      bootstrap: Bootstrap(seed: seed)
    )
  }
}

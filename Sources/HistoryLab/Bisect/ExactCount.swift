import Basics
import Commands
import HistoryBenchmarks
import HistoryTypes
import Measuring

/// A benchmark's count, such as its VM steps, that is the same in every run of one program.
///
/// `bench run --exact-only` counts it.
struct ExactCount: Sendable {
  /// The benchmark, with the condition in which it runs.
  ///
  /// For example, `purge 1000` runs in the usual conditions, and `purge 1000 at full` with
  /// `synchronous=FULL`.
  private let subject: BenchmarkSubject
  /// The benchmark's name for `bench run --only`: for `purge 1000 at full`, it is `purge 1000`.
  private let name: String
  let metric: String
  /// The size of history, in transactions.
  let historySize: Int

  /// Finds a benchmark by its name or by the title of one of its rows.
  ///
  /// `historySize` must be one of the sizes at which `bench run --quick` measures the benchmark.
  /// The default is the largest of them.
  ///
  /// - Throws: a usage error for an unknown name, which suggests the nearest one, and for any other
  ///   size.
  init(
    _ text: String,
    metric: String,
    historySize: Int?,
    in composition: Composition
  ) throws(LabError) {
    let times = [Metric.wall.name, Metric.cpu.name]
    let metrics = composition.catalogue.names(.metrics).filter { !times.contains($0) }
    guard metrics.contains(metric) else {
      throw composition.unknown("count", metric, metrics, try: "list metrics")
    }
    let pairs = Subjects.all.flatMap { base in
      Subjects.measured([base], at: [nil] + BenchmarkAxis.allCases).map { (base.name, $0) }
    }
    let named = pairs.first { $0.1.name.lowercased() == text.lowercased() }
    // The title of a condition begins with the title of its benchmark.
    let titled = pairs.filter { $0.1.isTitled(text) }.max { $0.1.title.count < $1.1.title.count }
    guard let (name, subject) = named ?? titled else {
      throw composition.unknown("benchmark", text, Subjects.all.map(\.name), try: "bench list")
    }
    (self.name, self.subject, self.metric) = (name, subject, metric)
    var run = BenchmarkRun(
      subjects: [subject],
      historySizes: BenchmarkRun.quickSizes,
      seed: Self.seed,
      budget: .rounds(1)
    )
    run.isQuick = true
    let sizes = run.sizes(of: subject)
    guard let size = historySize ?? sizes.last, sizes.contains(size) else {
      throw .usage(
        "--size: \(subject.name) is only counted at \(sizes.map(\.grouped).joinedWithAnd) transactions."
      )
    }
    self.historySize = size
  }

  /// The seed of all runs, always the same, so that runs differ only in the commit.
  private static let seed: UInt64 = 1

  /// A phrase that names the metric, the benchmark with its condition, and the size of history.
  var sentence: String {
    "\(metric) of \(subject.title), \(historySize.counted("transaction"))"
  }

  /// Returns the arguments of the command that prints the count in a JSON document.
  ///
  /// `output` is the folder in which the command creates the folder of its run.
  func words(output: String) -> [String] {
    [
      "bench", "run", "--quick", "--exact-only", "--json", "--seed", String(Self.seed),
      "--only", name, "--axis", subject.axis?.name ?? "base", "--output", output,
    ]
  }

  /// Returns the count in the results of a build; `nil` if the results do not contain the count.
  func value(in results: BenchmarkResults) -> Double? {
    let row = results.rows.first { row in
      row.contender == BenchmarkSubject.ours && row.isExact && row.metric.name == metric
        && row.historySize == historySize && row.axis == subject.axis?.name
        && subject.isTitled(row.title)
    }
    return row?.samples.max()
  }
}

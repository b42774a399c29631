import Measuring

extension ResultsExport {
  /// The JSON of Google Benchmark, with rows for the law and its error where one was fitted
  /// (https://github.com/google/benchmark/blob/main/docs/user_guide.md, `--benchmark_format=json`).
  ///
  /// - Throws: `EncodingError`, for a number that is none.
  package func googleBenchmark() throws -> String {
    let timed = rows.filter { $0.row.metric == .wall }
    var benchmarks: [GoogleRow] = []
    var families: [String] = []
    for (row, summary) in timed {
      let family = "\(row.title)/\(row.contender)"
      if !families.contains(family) { families.append(family) }
      let isKnown = benchmarks.filter { $0.runName.hasPrefix(family + "/") }.count
      benchmarks.append(
        GoogleRow(
          name: Self.name(row),
          family: families.firstIndex(of: family) ?? 0,
          instance: isKnown,
          iterations: summary.count,
          real: summary.p50,
          cpu: processorTime(beside: row) ?? summary.p50
        )
      )
    }
    return try JSONText.snakeCased(
      GoogleDocument(
        context: GoogleContext(results.environment),
        benchmarks: benchmarks + families.flatMap(law)
      )
    )
  }

  private func processorTime(beside row: BenchmarkRow) -> Double? {
    rows.first {
      $0.row.title == row.title && $0.row.contender == row.contender
        && $0.row.historySize == row.historySize && $0.row.metric == .cpu
    }?.summary.p50
  }

  private func law(_ family: String) -> [GoogleRow] {
    guard
      let row = rows.first(where: { "\($0.row.title)/\($0.row.contender)" == family })?.row,
      let curve = results.curve(title: row.title, contender: row.contender, metric: .wall)
    else { return [] }
    let verdict = ComplexityJudge(seed: results.environment.seed).judge(curve)
    guard verdict.complexity != .inconclusive, let fit = verdict.fit else { return [] }
    return [
      GoogleRow(
        family,
        law: Self.law(fit.model),
        coefficient: fit.model == .flat ? fit.fixed : fit.rate
      ),
      GoogleRow(family, error: fit.error.squareRoot()),
    ]
  }

  /// A law as Google Benchmark writes it.
  private static func law(_ model: CostModel) -> String {
    switch model {
    case .flat: "(1)"
    case .logarithmic: "lgN"
    case .linear: "N"
    case .linearithmic: "NlgN"
    case .quadratic: "N^2"
    }
  }
}

private struct GoogleDocument: Encodable {
  let context: GoogleContext
  let benchmarks: [GoogleRow]
}

private struct GoogleContext: Encodable {
  let date: String
  let hostName: String
  let executable = "history-lab"
  let numCpus: Int
  let mhzPerCpu = 0
  let cpuScalingEnabled = false
  let caches: [String] = []
  let loadAvg: [Double]
  let libraryBuildType: String

  init(_ environment: RunEnvironment) {
    date = environment.time.description
    hostName = environment.machine
    numCpus = environment.processors
    loadAvg = environment.load.map { [$0] } ?? []
    libraryBuildType = environment.optimized ? "release" : "debug"
  }
}

private struct GoogleRow: Encodable {
  let name: String
  let runName: String
  let runType: String
  var aggregateName: String?
  var familyIndex = 0
  var perFamilyInstanceIndex = 0
  let repetitions = 1
  var repetitionIndex: Int?
  let threads = 1
  var iterations: Int?
  var realTime: Double?
  var cpuTime: Double?
  var realCoefficient: Double?
  var cpuCoefficient: Double?
  var bigO: String?
  var rms: Double?
  var timeUnit: String? = "ns"

  init(name: String, family: Int, instance: Int, iterations: Int, real: Double, cpu: Double) {
    self.name = name
    runName = name
    runType = "iteration"
    familyIndex = family
    perFamilyInstanceIndex = instance
    repetitionIndex = 0
    self.iterations = iterations
    realTime = real
    cpuTime = cpu
  }

  init(_ family: String, law: String, coefficient: Double) {
    name = family + "_BigO"
    runName = family
    runType = "aggregate"
    aggregateName = "BigO"
    bigO = law
    realCoefficient = coefficient
    cpuCoefficient = coefficient
  }

  init(_ family: String, error: Double) {
    name = family + "_RMS"
    runName = family
    runType = "aggregate"
    aggregateName = "RMS"
    rms = error
    timeUnit = nil
  }
}

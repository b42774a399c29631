import Measuring

extension ResultsExport {
  /// The JSON of Google Benchmark, with rows for the law and its error where one was fitted
  /// (https://github.com/google/benchmark/blob/main/docs/user_guide.md, `--benchmark_format=json`).
  ///
  /// - Throws: `EncodingError`, for a number that is none.
  package func googleBenchmark() throws -> String {
    let index = ResultsIndex(results)
    var benchmarks: [GoogleRow] = []
    var laws: [GoogleRow] = []
    var families = 0
    for title in index.titles {
      for (contender, rows) in index.byContender(title) {
        let timed = Self.timed(rows)
        guard !timed.isEmpty else { continue }
        for (place, one) in timed.enumerated() {
          benchmarks.append(
            GoogleRow(
              name: Self.name(one.row),
              family: families,
              instance: place,
              iterations: one.wall.count,
              real: one.wall.p50,
              cpu: one.cpu ?? one.wall.p50
            )
          )
        }
        families += 1
        laws += law("\(title)/\(contender)", rows)
      }
    }
    return try JSONText.snakeCased(
      GoogleDocument(context: GoogleContext(results.environment), benchmarks: benchmarks + laws)
    )
  }

  /// The rows of wall time, each with the time on a processor beside it.
  private static func timed(
    _ rows: [BenchmarkRow]
  ) -> [(row: BenchmarkRow, wall: SampleSummary, cpu: Double?)] {
    rows.filter { $0.metric == .wall }.compactMap { row in
      row.summary.map { wall in
        let cpu = rows.first { $0.metric == .cpu && $0.historySize == row.historySize }
        return (row, wall, cpu?.summary?.p50)
      }
    }
  }

  private func law(_ family: String, _ rows: [BenchmarkRow]) -> [GoogleRow] {
    guard let curve = CostCurve(rows, metric: .wall) else { return [] }
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

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
      let isKnown = benchmarks.filter { $0.run_name.hasPrefix(family + "/") }.count
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
    return try JSONText.of(
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
  let host_name: String
  let executable = "history-lab"
  let num_cpus: Int
  let mhz_per_cpu = 0
  let cpu_scaling_enabled = false
  let caches: [String] = []
  let load_avg: [Double]
  let library_build_type: String

  init(_ environment: RunEnvironment) {
    date = environment.time.description
    host_name = environment.machine
    num_cpus = environment.processors
    load_avg = environment.load.map { [$0] } ?? []
    library_build_type = environment.optimized ? "release" : "debug"
  }
}

private struct GoogleRow: Encodable {
  let name: String
  let run_name: String
  let run_type: String
  var aggregate_name: String?
  var family_index = 0
  var per_family_instance_index = 0
  let repetitions = 1
  var repetition_index: Int?
  let threads = 1
  var iterations: Int?
  var real_time: Double?
  var cpu_time: Double?
  var real_coefficient: Double?
  var cpu_coefficient: Double?
  var big_o: String?
  var rms: Double?
  var time_unit: String? = "ns"

  init(name: String, family: Int, instance: Int, iterations: Int, real: Double, cpu: Double) {
    self.name = name
    run_name = name
    run_type = "iteration"
    family_index = family
    per_family_instance_index = instance
    repetition_index = 0
    self.iterations = iterations
    real_time = real
    cpu_time = cpu
  }

  init(_ family: String, law: String, coefficient: Double) {
    name = family + "_BigO"
    run_name = family
    run_type = "aggregate"
    aggregate_name = "BigO"
    big_o = law
    real_coefficient = coefficient
    cpu_coefficient = coefficient
  }

  init(_ family: String, error: Double) {
    name = family + "_RMS"
    run_name = family
    run_type = "aggregate"
    aggregate_name = "RMS"
    rms = error
    time_unit = nil
  }
}

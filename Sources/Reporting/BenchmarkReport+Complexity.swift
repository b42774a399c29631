import Measuring

extension BenchmarkReport {
  /// How the cost of every benchmark follows the size of history, for programs: one row a benchmark and
  /// contender.
  package func complexityCSV() -> String {
    var writer = CSVWriter(columns: [
      "bench", "peer", "metric", "verdict", "confidence", "growth", "growth_lo", "growth_hi",
      "slope", "slope_lo", "slope_hi", "because",
    ])
    for title in results.titles {
      for contender in contenders(title: title, metric: .wall) {
        guard let verdict = complexity(title: title, contender: contender) else { continue }
        let numbers = [
          verdict.confidence, verdict.growth?.estimate, verdict.growth?.lower,
          verdict.growth?.upper, verdict.tailSlope?.estimate, verdict.tailSlope?.lower,
          verdict.tailSlope?.upper,
        ]
        writer.append(
          [title, contender, Metric.wall.name, verdict.complexity.rawValue]
            + numbers.map { $0.map(NumberText.rounded) ?? "" } + [verdict.because ?? ""]
        )
      }
    }
    return writer.text
  }
}

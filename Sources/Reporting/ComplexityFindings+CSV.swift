package import Measuring

extension ComplexityFindings {
  /// The columns of `complexity.csv`, which has one row per benchmark, contender and metric.
  package static let csvColumns = [
    "run", "bench", "peer", "metric", "verdict", "confidence", "law", "growth", "growth_lo",
    "growth_hi", "tail_slope", "tail_slope_lo", "tail_slope_hi", "why_inconclusive", "disagreement",
  ]

  /// Returns all verdicts, by time and by counts.
  package func csv(run: String) -> String {
    var writer = CSVWriter(columns: Self.csvColumns)
    for entry in entries {
      let verdicts = [
        ("time", entry.time), (Metric.vmSteps.name, entry.steps),
        (Metric.pageReads.name, entry.pages),
      ]
      for case (let metric, let verdict?) in verdicts {
        let name = [run, entry.title, entry.contender, metric]
        writer.append(name + fields(of: verdict) + [entry.disagreement ?? ""])
      }
    }
    return writer.text
  }

  private func fields(of verdict: ComplexityVerdict) -> [String] {
    let numbers = [verdict.growth, verdict.tailSlope].flatMap { interval in
      [interval?.estimate, interval?.lower, interval?.upper].map {
        $0.map(NumberText.exact) ?? ""
      }
    }
    return [
      verdict.complexity.rawValue, NumberText.exact(verdict.confidence),
      verdict.fit?.model.rawValue ?? "",
    ] + numbers + [verdict.because ?? ""]
  }
}

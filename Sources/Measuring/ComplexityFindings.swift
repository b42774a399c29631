/// The growth of each contender's cost with the history size, judged by time and by counts.
///
/// Counts have no noise, but times have. If their verdicts differ, either some cost is not counted
/// (a cache that is too small, a lock), or noise misled the judge.
package struct ComplexityFindings: Sendable {
  /// The verdicts on one contender of one benchmark.
  package struct Entry: Sendable, Hashable {
    /// The title of the benchmark.
    package var title: String
    /// The name of the contender.
    package var contender: String
    /// The verdict on processor time, or on wall time if there is none.
    package var time: ComplexityVerdict
    /// The verdict on VM steps, or `nil` if they were not counted or a count is zero.
    package var steps: ComplexityVerdict?
    /// The verdict on page reads, or `nil` if they were not counted or a count is zero.
    package var pages: ComplexityVerdict?

    /// A description of how time and counts disagree, or `nil` if they agree or are inconclusive.
    package var disagreement: String? {
      let counted = [steps?.complexity, pages?.complexity].compactMap(\.self)
        .filter { $0 != .inconclusive }
      guard time.complexity != .inconclusive, !counted.isEmpty,
        !counted.contains(time.complexity)
      else { return nil }
      return "\(title), \(contender): \(time.complexity.rawValue) by time, but "
        + [Self.part(steps, "VM steps"), Self.part(pages, "page reads")].compactMap(\.self)
        .joined(separator: " and ")
    }

    private static func part(_ verdict: ComplexityVerdict?, _ name: String) -> String? {
      guard let verdict, verdict.complexity != .inconclusive else { return nil }
      return "\(verdict.complexity.rawValue) by \(name)"
    }
  }

  /// The verdicts on everything measured at enough history sizes, in the order of measuring.
  package private(set) var entries: [Entry] = []

  /// Judges the results of a run.
  ///
  /// - Complexity: three judgements per contender of a benchmark.
  package init(_ results: BenchmarkResults) {
    let judge = ComplexityJudge(seed: results.environment.seed)
    var names: [[String]] = []
    var groups: [[String]: [BenchmarkRow]] = [:]
    for row in results.rows {
      let name = [row.title, row.contender]
      if groups[name] == nil { names.append(name) }
      groups[name, default: []].append(row)
    }
    for name in names {
      func verdict(_ metric: Metric) -> ComplexityVerdict? {
        guard let curve = CostCurve(groups[name] ?? [], metric: metric),
          curve.points.count >= ComplexityJudge.leastSizes, curve.isPositive
        else { return nil }
        return judge.judge(curve)
      }
      guard let time = verdict(.cpu) ?? verdict(.wall) else { continue }
      entries.append(
        Entry(
          title: name[0],
          contender: name[1],
          time: time,
          steps: verdict(.vmSteps),
          pages: verdict(.pageReads)
        )
      )
    }
  }

  /// The descriptions of all disagreements between time and counts.
  package var disagreements: [String] { entries.compactMap(\.disagreement) }
}

/// How the cost of each contender follows the size of history, judged by time and by counts.
///
/// A count has no noise, and a time has: where the two come to different answers, something costs time
/// that is not counted (a cache that is too small, a lock), or the noise has fooled the judge. Either is
/// worth knowing.
package struct ComplexityFindings: Sendable {
  /// The verdicts on one contender of one benchmark.
  package struct Entry: Sendable, Hashable {
    /// The benchmark.
    package var title: String
    /// Who was measured.
    package var contender: String
    /// The verdict on the time on a processor; on the wall where there is none.
    package var time: ComplexityVerdict
    /// The verdict on VM steps; nil when they were not counted or are none.
    package var steps: ComplexityVerdict?
    /// The verdict on page reads; nil when they were not counted or are none.
    package var pages: ComplexityVerdict?

    /// The time's answer against that of the counts; nil when they agree, or one is undecided.
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

  /// All that was measured at enough sizes of history, in the order of measuring.
  package private(set) var entries: [Entry] = []

  /// Judges what a run found.
  ///
  /// - Complexity: three judgements a contender of a benchmark.
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

  /// What time and counts do not agree on.
  package var disagreements: [String] { entries.compactMap(\.disagreement) }
}

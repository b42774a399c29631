import Measuring

extension BenchmarkReport {
  /// One tile for what the run said of equal work; nothing when it measured none.
  func noiseTile() -> [VerdictTile] {
    let rows = results.rows.filter { $0.subject == "Noise floor" }
    func interval(_ metric: Metric, _ place: Int) -> Interval? {
      let found = rows.filter { $0.metric == metric }.compactMap(\.ratio?.interval)
      return found.indices.contains(place) ? found[place] : nil
    }
    guard let same = interval(.cpu, 0) else { return [] }
    let half = (same.upper - same.lower) / 2
    let wall = interval(.wall, 0).map { " On the wall \(Self.percent(($0.upper - $0.lower) / 2))." }
    let more = interval(.cpu, 1).map {
      " 3 % more work seemed \(NumberText.significant(($0.estimate - 1) * 100)) % more."
    }
    let isQuiet = half <= 0.01
    return [
      VerdictTile(
        subject: "Noise floor",
        state: isQuiet ? .good : .unknown,
        word: isQuiet ? "quiet" : "too noisy",
        answer: Self.percent(half),
        detail: "Equal work, measured against itself on the processor." + (wall ?? "")
          + (more ?? "")
      )
    ]
  }

  private static func percent(_ share: Double) -> String {
    "\u{B1}\(NumberText.significant(share * 100)) %"
  }
}

import Basics

/// A class of growth: how an operation's cost grows with the size of history.
package enum ComplexityClass: String, Sendable, Codable {
  /// The cost is the same at every size.
  case flat
  /// The cost grows with the logarithm of the size.
  case logarithmic
  /// The cost grows with n or n log n, which are hard to distinguish.
  case linearLike = "linear-like"
  /// The cost grows faster than n log n.
  case worse
  /// The resamples disagree, or there are too few sizes.
  case inconclusive

  init(_ model: CostModel) {
    switch model {
    case .flat: self = .flat
    case .logarithmic: self = .logarithmic
    case .linear, .linearithmic: self = .linearLike
    case .quadratic: self = .worse
    }
  }
}

/// A verdict on a cost curve, with the evidence for it.
package struct ComplexityVerdict: Sendable, Hashable, Codable {
  /// The growth class of the cost, such as linear-like in the history size.
  package var complexity: ComplexityClass
  /// The share of resamples that agree with the best class, in 0...1.
  package var confidence: Double
  /// The best model, fitted to the medians, or `nil` if there are too few sizes.
  package var fit: CostFit?
  /// The cost at the largest size divided by the cost at the smallest size, or `nil` if unknown.
  package var growth: Interval?
  /// The slope of the curve's upper half on a log-log scale, or `nil` if unknown.
  package var tailSlope: Interval?
  /// The reason why the verdict is inconclusive, or `nil` if it is conclusive.
  package var because: String?
}

/// A judge of how a cost grows with the size of history.
///
/// The judge fits five cost models, each with a fixed part, by least relative error, and selects
/// one by the Bayesian information criterion. It repeats the selection for resamples of the samples
/// at each size, and gives a verdict only if nearly all resamples select the same class.
package struct ComplexityJudge: Sendable {
  /// The least number of history sizes for which models are fitted.
  package static let leastSizes = 5

  /// The growth over all measured sizes below which a cost counts as flat, whichever model fits best.
  ///
  /// Without this limit, a chance variation of one percent selects a growing model. Of 100 flat
  /// curves with 3 % noise, 38 were classified as flat without the limit, and all of them with the
  /// limit.
  package static let flatGrowth = 1.05

  /// The bootstrap that resamples the samples at each history size.
  package var bootstrap: Bootstrap
  /// The share of resamples that must select the same class for a conclusive verdict.
  ///
  /// The default is 0.95.
  package var agreement: Double

  package init(seed: UInt64, resamples: Int = 200, agreement: Double = 0.95) {
    bootstrap = Bootstrap(resamples: resamples, seed: seed)
    self.agreement = agreement
  }

  /// Returns the verdict on one curve.
  ///
  /// - Complexity: resamples times samples, plus resamples times sizes times five fits.
  package func judge(_ curve: CostCurve) -> ComplexityVerdict {
    var verdict = ComplexityVerdict(
      complexity: .inconclusive,
      confidence: 0,
      growth: curve.growth(bootstrap: bootstrap),
      tailSlope: curve.tailSlope(bootstrap: bootstrap)
    )
    if curve.points.count < Self.leastSizes {
      verdict.because =
        "\(curve.points.count) size\(curve.points.count == 1 ? " was" : "s were") measured; "
        + "classifying the growth needs at least \(Self.leastSizes)"
    } else if !curve.isPositive {
      verdict.because = "a sample is zero"
    } else {
      decide(&verdict, on: curve)
    }
    return verdict
  }

  private func decide(_ verdict: inout ComplexityVerdict, on curve: CostCurve) {
    let sizes = curve.points.map { Double($0.size) }
    let sorted = curve.points.map { SortedSamples($0.samples) }
    var counts: [ComplexityClass: Int] = [:]
    var random = SplitMix64(seed: bootstrap.seed)
    var samplers = sorted.map { MedianSampler($0) }
    for _ in 0..<bootstrap.resamples {
      let medians = samplers.indices.map { samplers[$0].draw(&random) }
      counts[ComplexityClass(best(sizes, medians).model), default: 0] += 1
    }
    let fit = best(sizes, sorted.map(\.median))
    let complexity = ComplexityClass(fit.model)
    verdict.fit = fit
    verdict.confidence = Double(counts[complexity, default: 0]) / Double(bootstrap.resamples)
    if verdict.confidence >= agreement {
      verdict.complexity = complexity
    } else {
      verdict.because =
        "only \(Int(verdict.confidence * 100)) % of the resamples agree on \(complexity.rawValue)"
    }
  }

  private func best(_ sizes: [Double], _ costs: [Double]) -> CostFit {
    let flat = CostFit(.flat, sizes: sizes, costs: costs)
    var best = flat
    for model in CostModel.allCases.dropFirst() {
      let fit = CostFit(model, sizes: sizes, costs: costs)
      if fit.criterion(points: sizes.count) < best.criterion(points: sizes.count) { best = fit }
    }
    return best.growth(over: sizes) < Self.flatGrowth ? flat : best
  }
}

/// Verdicts on how each compared program's cost grows with the history size, by time and by counts.
///
/// Counts have no noise, but times have. If their verdicts differ, either some cost is not counted
/// (a cache that is too small, a lock), or noise misled the judge.
package struct ComplexityVerdicts: Sendable {
  /// The verdicts on one compared program of one benchmark.
  package struct Entry: Sendable, Hashable {
    package var title: String
    package var contender: String
    /// The verdict on processor time, or on wall time if there is none.
    package var time: ComplexityVerdict
    /// The verdict on VM steps, or `nil` if they were not counted or a count is zero.
    package var steps: ComplexityVerdict?
    /// The verdict on page reads, or `nil` if they were not counted or a count is zero.
    package var pages: ComplexityVerdict?

    /// The growth classes in words, if time grows in another class than VM steps and page reads.
    ///
    /// `nil` if time grows in the same class as one of these counts. `nil` also if the verdict on
    /// time is inconclusive, or if both counts have an inconclusive verdict or none. If only one
    /// count has a conclusive verdict, only this count is compared.
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

  /// The verdicts, one entry per compared program of a benchmark, in the order of measuring.
  ///
  /// An entry needs times above zero at ``ComplexityJudge/leastSizes`` history sizes or more.
  package private(set) var entries: [Entry] = []

  /// Computes the verdicts on the results of a run.
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

  /// The descriptions of all entries whose time grows in another class than their counted work.
  package var disagreements: [String] { entries.compactMap(\.disagreement) }
}

import Workloads

/// The rule by which the plans of a check choose the actor of the next step.
enum ScheduleChoice: Hashable, Sendable {
  case random
  /// By priorities that change at `depth` - 1 points.
  case pct(depth: Int)
  /// Every order, which only `explore` runs; `checked()` rejects it.
  case exhaustive

  /// The default depth: the number of steps that a bug depends on.
  private static let usualDepth = 3
  private static let depths = 1...10

  static let option = Option(
    "schedule",
    ValueReader(
      placeholder: "WORD",
      expectation: "random, pct or pct/D with D from 1 to 10",
      suggestions: ["random", "pct", "exhaustive"]
    ) { ScheduleChoice($0) },
    default: .random,
    defaultText: "random",
    "Whose step comes next: random, or by priorities that change D - 1 times (pct/D)."
  )

  /// Parses the value of `--schedule`.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts[0], parts.count == 2 ? Int(parts[1]) : nil) {
    case ("random", nil) where parts.count == 1: self = .random
    case ("exhaustive", nil) where parts.count == 1: self = .exhaustive
    case ("pct", nil) where parts.count == 1: self = .pct(depth: Self.usualDepth)
    case ("pct", let depth?) where Self.depths.contains(depth): self = .pct(depth: depth)
    default: return nil
    }
  }

  /// The text to type for this choice.
  var text: String {
    switch self {
    case .random: "random"
    case .pct(let depth): "pct/\(depth)"
    case .exhaustive: "exhaustive"
    }
  }

  /// Returns this choice after checking that random plans can use it.
  ///
  /// - Throws: A usage error for `exhaustive`.
  func checked() throws(LabError) -> ScheduleChoice {
    guard self == .exhaustive else { return self }
    throw .usage("--schedule: every order of steps is what explore runs.", try: "explore")
  }

  /// The schedule of the plans.
  var schedule: PlanSchedule {
    if case .pct(let depth) = self { .pct(depth: depth) } else { .random }
  }
}

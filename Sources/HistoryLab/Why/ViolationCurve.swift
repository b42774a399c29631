import PropertyTesting
import Traces
import Workloads

/// A share of trials with its 95 % confidence interval (Wilson).
struct ShareInterval: Hashable, Sendable {
  /// The number of trials that had the counted outcome, such as random plans with a violation.
  var count: Int
  /// The number of all trials.
  var total: Int

  /// The share of trials that had the counted outcome, from 0 to 1; 0 without trials.
  var share: Double { total == 0 ? 0 : Double(count) / Double(total) }

  var lower: Double { count == 0 ? 0 : max(0, centre - spread) }

  var upper: Double { count == total ? 1 : min(1, centre + spread) }

  /// The 97.5 % quantile of the standard normal distribution.
  static let quantile = 1.959_963_984_540_054

  private var scale: Double { 1 + Self.quantile * Self.quantile / Double(total) }

  private var centre: Double {
    (share + Self.quantile * Self.quantile / (2 * Double(total))) / scale
  }

  private var spread: Double {
    let (n, z) = (Double(total), Self.quantile)
    return z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot() / scale
  }
}

/// The share of random continuations that break an invariant, for each number of kept commands.
///
/// A continuation keeps the first commands of a plan and appends random commands.
struct ViolationCurve: Hashable, Sendable {
  /// The change that one command causes in the share of random continuations with a violation.
  struct Rise: Hashable, Sendable {
    /// The number of the command, from 1.
    let command: Int
    /// The share of violations if random commands replace this command and all after it.
    let before: ShareInterval
    /// The share of violations if random commands replace all commands after this one.
    let after: ShareInterval

    /// Whether the interval of ``after`` lies entirely above that of ``before``.
    var isClear: Bool { after.lower > before.upper }

    /// The rise of the share from ``before`` to ``after``, relative to the greatest possible rise.
    ///
    /// The greatest possible rise is from ``before`` to 1. For example, a rise from 0.5 to 0.75
    /// gives 0.5. The value is 0 if the share before the command is already 1.
    var part: Double {
      let left = 1 - before.share
      return left > 0 ? (after.share - before.share) / left : 0
    }

    /// The standard error of ``part``, the rise relative to the greatest possible (delta method).
    private var error: Double {
      let (left, kept) = (1 - before.share, 1 - after.share)
      guard left > 0, kept > 0, before.total > 0, after.total > 0 else { return 0 }
      let variance =
        before.share / (left * Double(before.total)) + after.share / (kept * Double(after.total))
      return kept / left * variance.squareRoot()
    }

    /// Returns `false` if two commands raise the share of violations significantly differently.
    ///
    /// The rises are compared by ``part``, relative to the greatest possible rise. The confidence
    /// level is 95 %.
    func isLike(_ other: Rise) -> Bool {
      let spread = (error * error + other.error * other.error).squareRoot()
      return abs(part - other.part) <= ShareInterval.quantile * spread
    }
  }

  /// The shares of continuations with a violation, by the number of kept commands, from 0.
  private(set) var points: [ShareInterval]
  /// The number of commands in the plan's shortest prefix that breaks the invariant; `nil` if
  /// none does.
  ///
  /// A random continuation of the plan that keeps this many commands or more would break the
  /// invariant too, because equal commands always give equal events. It counts as a violation, but
  /// is not run.
  private(set) var broken: Int?

  /// The command that raised the share of violations most; `nil` if no command raised it.
  ///
  /// Rises are compared by ``Rise/part``, relative to the greatest possible rise. So a rise from
  /// 0.87 to 1 is greater than one from 0.35 to 0.87: it is the greatest possible. If the relative
  /// rises of several commands do not differ significantly from the greatest, the result is the last
  /// of these commands.
  var steepestRise: Rise? {
    let rises = zip(points, points.dropFirst()).enumerated().map { place, pair in
      Rise(command: place + 1, before: pair.0, after: pair.1)
    }.filter { $0.after.share > $0.before.share }
    guard let steepest = rises.max(by: { $0.part < $1.part }) else { return nil }
    return rises.last { $0.isLike(steepest) }
  }

  /// The least number of kept commands for which every continuation breaks the invariant.
  ///
  /// The value is `nil` if some continuation of the whole plan does not break the invariant.
  var pointOfNoReturn: Int? {
    let open = points.lastIndex { $0.count < $0.total || $0.total == 0 }
    let first = open.map { $0 + 1 } ?? 0
    return first < points.count ? first : nil
  }

  /// Runs random continuations of a plan for several numbers of kept commands; returns a curve.
  ///
  /// A continuation keeps the first commands of the plan and appends random commands. `places` are
  /// the numbers of kept commands; `nil` stands for every number from 0 to `commands`. One
  /// continuation is run for each place and each of `numbers`. `broken` is the length of the plan's
  /// shortest prefix that breaks the invariant. Continuations that keep this many commands or more
  /// count as violations and are not run.
  ///
  /// The closure runs one continuation and returns whether the invariant broke.
  static func measured<Failure: Error>(
    commands: Int,
    at places: [Int]? = nil,
    broken: Int? = nil,
    numbers: [Int],
    breaks: (_ kept: Int, _ number: Int) throws(Failure) -> Bool
  ) throws(Failure) -> ViolationCurve {
    var curve = ViolationCurve(commands: commands)
    curve.broken = broken
    for number in numbers {
      for kept in places ?? Array(0...commands) {
        curve.points[kept].total += 1
        let isBroken = kept >= broken ?? .max
        if isBroken ? true : try breaks(kept, number) { curve.points[kept].count += 1 }
      }
    }
    return curve
  }

  /// Creates a curve for a plan with the given number of commands, in which every count is 0.
  init(commands: Int) {
    points = Array(repeating: ShareInterval(count: 0, total: 0), count: commands + 1)
  }

  /// Adds the counts of another curve of the same plan, which come from other random continuations.
  mutating func add(_ other: ViolationCurve) {
    broken = broken ?? other.broken
    for place in points.indices {
      points[place].count += other.points[place].count
      points[place].total += other.points[place].total
    }
  }
}

/// The source of random continuations of one plan.
struct ContinuationRecipe: Sendable {
  let plan: Plan
  let generator: PlanGenerator
  let seed: UInt64

  /// Returns the first `kept` commands of the plan, followed by random commands.
  ///
  /// ``seed``, `kept` and `number` (from 1) determine the random commands.
  func plan(keeping kept: Int, number: Int) -> Plan {
    var start = plan
    start.commands = Array(plan.commands.prefix(kept))
    let ownSeed = SeededGenerator.seed(seed, part: UInt64(kept))
    var source = ChoiceSource(seed: SeededGenerator.seed(ownSeed, part: UInt64(number - 1)))
    let more = generator.continuation(of: start, from: &source)
    start.commands += more
    return start
  }
}

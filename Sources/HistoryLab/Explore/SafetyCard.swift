import Checkers
import Simulation
import Systems
import Traces
import Workloads

/// For one system: which invariants hold under which conditions, and the shortest plans that break
/// the others.
struct SafetyCard: Sendable {
  let system: String
  /// What the system's authors made it for; nothing for ours.
  let statedUse: String?
  /// What was explored, in the order of the conditions.
  let conditions: [ConditionReport]

  /// One condition's row of the card.
  struct ConditionReport: Sendable {
    let condition: Condition
    /// Why the system was not put through it, if it was not.
    let because: String?
    /// How the condition breaks what the system's authors ask for, if it does.
    let outside: String?
    let pieces: [ExploreTask.Outcome]
    /// One cell an invariant, in the order of the checkers.
    let cells: [SafetyCell]

    /// How many plans were covered.
    var planCount: Double { pieces.reduce(0) { $0 + $1.exploration.planCount } }
    /// How many states there were.
    var stateCount: Int { pieces.reduce(0) { $0 + $1.exploration.stateCount } }
    var seconds: Double { pieces.reduce(0) { $0 + $1.seconds } }
  }

  /// Takes what came of the pieces of one system; of each condition there are to be so many.
  init(
    _ system: LabSystem,
    conditions: [Condition],
    pieceCount: Int,
    _ pieces: [ExploreTask.Outcome]
  ) {
    self.system = system.name
    statedUse = system.statedUse?.sentence
    self.conditions = conditions.map { condition in
      let own = pieces.filter { $0.condition == condition }
      let refusal = system.refusal(of: condition)
      let isCut = refusal == nil && own.count < pieceCount
      return ConditionReport(
        condition: condition,
        because: isCut ? "it was interrupted" : refusal,
        outside: system.statedUse?.outside[condition],
        pieces: own,
        cells: CheckerSuite.names(in: .all).enumerated().map { number, name in
          SafetyCell(name, number, condition, own, isCut: isCut)
        }
      )
    }
  }

  /// All cells, condition by condition.
  var cells: [SafetyCell] { conditions.flatMap(\.cells) }

  /// `invalid` when something broke, `unknown` when a cell is left open or nothing was put to the test,
  /// else `valid`.
  var verdict: String {
    if cells.contains(where: { $0.result == .breaks }) { return "invalid" }
    let isOpen = cells.contains { $0.result == .unknown }
    return isOpen || !cells.contains { $0.result == .holds } ? "unknown" : "valid"
  }

  /// The verdict in a sentence: where it holds as plainly as where it breaks, and of how much nothing
  /// is known because no plan puts it to the test.
  var sentence: String {
    let broken = conditions.filter { $0.cells.contains { $0.result == .breaks } }
    let open = conditions.filter { $0.cells.contains { $0.result == .unknown } }
    let held = conditions.filter { row in
      row.cells.contains { $0.result == .holds }
        && !row.cells.contains { $0.result == .breaks || $0.result == .unknown }
    }
    let idle = conditions.filter { row in
      row.because == nil && row.cells.allSatisfy { $0.result == .notExercised }
    }
    var parts: [String] = []
    func list(_ rows: [ConditionReport]) -> String { rows.map(\.condition.rawValue).joinedWithAnd }
    let within = broken.filter { $0.outside == nil }
    let beyond = broken.filter { $0.outside != nil }
    if !within.isEmpty { parts.append("breaks under \(list(within))") }
    if !beyond.isEmpty {
      parts.append("breaks outside its authors' stated use under \(list(beyond))")
    }
    if !held.isEmpty {
      let cells = held.flatMap(\.cells)
      let untested = cells.filter { $0.result == .notExercised }.count
      let every = untested == 0 ? "every invariant" : "every invariant that was put to the test"
      let subject = broken.isEmpty && open.isEmpty ? every + " " : ""
      let gap = "with \(untested.grouped) of \(cells.count.grouped) cells not put to the test"
      parts.append("\(subject)holds under \(list(held))" + (untested == 0 ? "" : ", " + gap))
    }
    if !open.isEmpty { parts.append("is unknown under \(list(open))") }
    if !idle.isEmpty { parts.append("nothing was put to the test under \(list(idle))") }
    return parts.isEmpty ? "nothing was put to the test." : parts.joined(separator: "; ") + "."
  }
}

/// What is known of one invariant under one condition.
struct SafetyCell: Sendable {
  /// How a cell turned out.
  enum Result: String, Sendable, Codable, CaseIterable {
    case holds
    case breaks
    case unknown
    case notExercised

    /// The result in a word or two; of one that breaks with the length of its plan, and whether that
    /// is the least or the least that was found.
    func word(_ length: Int, isLeast: Bool) -> String {
      switch self {
      case .holds: "holds"
      case .breaks: isLeast ? "breaks \(length)" : "breaks ≤ \(length)"
      case .unknown: "unknown"
      case .notExercised: "-"
      }
    }
  }
  let invariant: String
  let condition: Condition
  let result: Result
  /// The greatest length up to which every plan was covered; of a cell that breaks, the plan's.
  let depth: Int
  let planCount: Double
  let stateCount: Int
  /// A shortest plan that breaks it.
  let counterexample: Counterexample?
  /// Whether every shorter plan was run, so that no plan that breaks it is shorter.
  let isLeast: Bool
  /// How many states there were allowed to be, where that was too few.
  let budget: Int?

  /// Takes what came of one condition's pieces.
  ///
  /// Where pieces are missing only what broke is known.
  init(
    _ name: String,
    _ number: Int,
    _ condition: Condition,
    _ pieces: [ExploreTask.Outcome],
    isCut: Bool
  ) {
    invariant = name
    self.condition = condition
    planCount = pieces.reduce(0) { $0 + $1.exploration.planCount }
    stateCount = pieces.reduce(0) { $0 + $1.exploration.stateCount }
    counterexample = pieces.compactMap { $0.broken[name] }.min { $0.length < $1.length }
    let open = pieces.filter { $0.exploration.ending != .complete }
    let isExercised = pieces.contains { $0.exploration.exercised >> UInt64(number) & 1 == 1 }
    if let counterexample {
      (result, depth) = (.breaks, counterexample.length)
    } else {
      depth = pieces.map(\.exploration.depth).max() ?? 0
      result = isCut || !open.isEmpty ? .unknown : isExercised ? .holds : .notExercised
    }
    // A piece that was covered to its whole depth has no shorter plan within the scopes of the card.
    let covered = open.map(\.exploration.depth).min() ?? .max - 1
    isLeast = result == .breaks && !isCut && covered + 1 >= depth
    let tooFew = open.filter { $0.exploration.ending == .outOfStates }.map(\.stateCountMax)
    budget = result == .unknown ? tooFew.max() : nil
  }

  /// The cell in a word or two.
  var word: String { result.word(depth, isLeast: isLeast) }
  /// What tells it from the other cells of its card.
  var key: String { "\(condition.rawValue)-\(invariant)" }
}

extension Counterexample {
  /// How many commands its plan has.
  var length: Int { trace.header.plan.commands.count }
}

extension Condition {
  /// What an exploration never does to a system, if the condition lies in that.
  var unexplored: String? {
    self == .callFailure ? "makes a call fail" : nil
  }
}

extension LabSystem {
  /// Why the system is not put through a condition, or nothing if it can be.
  func refusal(of condition: Condition) -> String? {
    if let reason = condition.unexplored { return "an exploration never \(reason); check does" }
    if conditions.contains(condition) { return nil }
    return "\(name) has nothing of the kind: it lacks the capability "
      + (condition.need?.rawValue ?? "").quoted
  }
}

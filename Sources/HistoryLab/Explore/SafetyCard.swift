import Basics
import Checkers
import Commands
import Simulation
import Systems
import Traces
import Workloads

/// A safety card: the invariants that hold or break in one system under each condition.
///
/// For each invariant that breaks, the card contains the shortest plan found.
struct SafetyCard: Sendable {
  let system: String
  /// The rules that a published system's authors document for apps; `nil` for all other systems.
  let statedUse: String?
  /// The results, in the order of the conditions.
  let conditions: [ConditionReport]

  /// The results of the system under one condition: a row of the table of results.
  struct ConditionReport: Sendable {
    let condition: Condition
    /// The reason why the condition was not fully explored; `nil` if it was.
    let because: String?
    /// The rule for apps of a published system that the condition breaks; `nil` if it breaks none.
    let outside: String?
    let pieces: [ExploreTask.Outcome]
    /// The result of each invariant under ``condition``, in the order of the checkers.
    let cells: [SafetyCell]

    /// The number of plans that the exploration covered.
    var planCount: Double { pieces.reduce(0) { $0 + $1.exploration.planCount } }
    /// The number of states that the exploration visited.
    var stateCount: Int { pieces.reduce(0) { $0 + $1.exploration.stateCount } }
    var seconds: Double { pieces.reduce(0) { $0 + $1.seconds } }
  }

  /// Creates the table of a system's results from the outcomes of exploration tasks.
  ///
  /// Each condition that can be explored has `pieceCount` tasks, one for each ``ExploreScope``. If
  /// some of their outcomes are missing, the exploration was interrupted.
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

  var cells: [SafetyCell] { conditions.flatMap(\.cells) }

  /// The verdict: `invalid`, `unknown` or `valid`.
  ///
  /// The verdict is `invalid` if an invariant broke under some condition. Otherwise it is `unknown`
  /// if the result of an invariant under some condition is unknown, or if no invariant was
  /// exercised. In all other cases it is `valid`.
  var verdict: String {
    if cells.contains(where: { $0.result == .breaks }) { return "invalid" }
    let isOpen = cells.contains { $0.result == .unknown }
    return isOpen || !cells.contains { $0.result == .holds } ? "unknown" : "valid"
  }

  /// The verdict in a sentence.
  ///
  /// The sentence names the conditions under which invariants hold, break, are unknown or were not
  /// exercised. For the conditions under which invariants hold, it also counts the pairs of
  /// condition and invariant (the cells) that no plan exercised.
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
      let every = untested == 0 ? "every invariant" : "every exercised invariant"
      let subject = broken.isEmpty && open.isEmpty ? every + " " : ""
      let gap = "with \(untested.grouped) of \(cells.count.grouped) cells not exercised"
      parts.append("\(subject)holds under \(list(held))" + (untested == 0 ? "" : ", " + gap))
    }
    if !open.isEmpty { parts.append("is unknown under \(list(open))") }
    if !idle.isEmpty { parts.append("no invariant was exercised under \(list(idle))") }
    return parts.isEmpty ? "no invariant was exercised." : parts.joined(separator: "; ") + "."
  }
}

/// The result of one invariant under one condition.
struct SafetyCell: Sendable {
  enum Result: String, Sendable, Codable, CaseIterable {
    case holds
    case breaks
    case unknown
    case notExercised

    /// Returns the result as a phrase; for `breaks` the phrase includes the length of the plan.
    ///
    /// `≤` marks a length for which a shorter plan may exist.
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
  /// The number of commands of the plan that breaks the invariant, or else the explored depth.
  ///
  /// In each scope, all plans up to some number of commands were run. The explored depth is the
  /// greatest of these numbers.
  let depth: Int
  let planCount: Double
  let stateCount: Int
  /// The shortest counterexample found; `nil` if the invariant did not break.
  let counterexample: Counterexample?
  /// Whether every plan shorter than ``counterexample`` was run, and none broke the invariant.
  let isLeast: Bool
  /// The maximum number of states if this limit ended the exploration; otherwise `nil`.
  let budget: Int?

  /// Creates a cell from the outcomes of the tasks that explored one condition.
  ///
  /// If some outcomes are missing (`isCut`), as after an interruption, the result can only be
  /// `breaks` or `unknown`.
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
    // Complete pieces are left out, because they have run all shorter plans of their scope.
    let covered = open.map(\.exploration.depth).min() ?? .max - 1
    isLeast = result == .breaks && !isCut && covered + 1 >= depth
    let tooFew = open.filter { $0.exploration.ending == .outOfStates }.map(\.stateCountMax)
    budget = result == .unknown ? tooFew.max() : nil
  }

  /// The result as a phrase, such as `holds`, `breaks 4` (in 4 commands) or `breaks ≤ 4`.
  var word: String { result.word(depth, isLeast: isLeast) }
  /// The identifier of this result among those of its system: the condition and the invariant.
  var key: String { "\(condition.rawValue)-\(invariant)" }
}

extension Counterexample {
  /// The number of commands in the counterexample's plan.
  var length: Int { trace.header.plan.commands.count }
}

extension Condition {
  /// The action, as a phrase, that this condition requires but explorations never perform.
  ///
  /// `nil` if explorations can include the condition.
  var unexplored: String? {
    self == .callFailure ? "makes a call fail" : nil
  }
}

extension LabSystem {
  /// Returns the reason why a condition cannot be explored on the system; `nil` if it can.
  func refusal(of condition: Condition) -> String? {
    if let reason = condition.unexplored {
      return "an exploration never \(reason); history-lab check does"
    }
    if conditions.contains(condition) { return nil }
    return "\(name) does not support the condition: it lacks the capability "
      + (condition.need?.rawValue ?? "").quoted
  }
}

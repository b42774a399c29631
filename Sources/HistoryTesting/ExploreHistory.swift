internal import Checkers
internal import Foundation
internal import HistoryTypes
internal import Simulation
public import Systems
internal import Traces
internal import Workloads

/// Runs every short plan on a design, and returns which invariants hold under which conditions.
///
/// A plan is a sequence of commands, such as saves, purges and crashes, for several members.
///
///     let card = try await exploreHistory(of: MyLog.self, under: [.restart, .crash], depth: 4)
///     #expect(card.cells.allSatisfy { $0.result != .breaks }, "\(card)")
///
/// Only designs (types that conform to `HistoryLog`) can be explored, because an exploration saves
/// and restores the state of the system. To test a `HistorySystem`, use `checkHistory`.
///
/// - Parameters:
///   - log: The type of the design.
///   - conditions: The conditions; each of them is explored separately. The default is crashes,
///     restarts and late joins. Custom conditions cannot be explored.
///   - members: The number of members, from 1 to 4. The default is 2.
///   - depth: The maximum number of commands in a plan. The default is 4. Increasing the depth by 1
///     makes the exploration take about ten times as long.
/// - Returns: The safety card of the design.
/// - Throws: ``HistorySettingsError`` if an argument is out of range.
public func exploreHistory<Log: HistoryLog>(
  of log: Log.Type,
  under conditions: [HistoryCondition] = [.crash, .restart, .lateJoin],
  members: Int = 2,
  depth: Int = 4
) async throws -> SafetyCard {
  guard (1...PlanAlphabet.actorCountMax).contains(members) else {
    throw HistorySettingsError(
      "The number of members is \(members); give 1 to \(PlanAlphabet.actorCountMax)."
    )
  }
  guard depth > 0 else { throw HistorySettingsError("The depth is \(depth); give 1 or more.") }
  if let own = conditions.first(where: { $0.own != nil }) {
    throw HistorySettingsError(
      "\(own.name) is a custom condition, which cannot be explored. Leave it out, or test it with "
        + "checkHistory."
    )
  }
  let subject = Subject(log: log)
  let flag = CancelFlag()
  let exploration = CardExploration(subject, conditions.compactMap(\.known), members, depth, flag)
  let cells = await withTaskCancellationHandler {
    await OwnThread.run { Result { () throws(SystemFailure) in try exploration.cells() } }
  } onCancel: {
    flag.set()
  }
  try Task.checkCancellation()
  do {
    return SafetyCard(system: subject.name, depth: depth, cells: try cells.get())
  } catch {
    throw HistorySettingsError("\(subject.name) could not be explored: \(error.message)")
  }
}

/// The explorations whose results form one ``SafetyCard``: one exploration for each condition.
private struct CardExploration: Sendable {
  private let subject: Subject
  private let conditions: [Condition]
  private let members: Int
  private let depth: Int
  private let flag: CancelFlag

  /// The maximum number of states of one exploration.
  private static let stateCountMax = 1_000_000

  init(
    _ subject: Subject,
    _ conditions: [Condition],
    _ members: Int,
    _ depth: Int,
    _ flag: CancelFlag
  ) {
    (self.subject, self.conditions, self.members) = (subject, conditions, members)
    (self.depth, self.flag) = (depth, flag)
  }

  func cells() throws(SystemFailure) -> [SafetyCard.Cell] {
    var cells: [SafetyCard.Cell] = []
    for condition in conditions { cells += try row(condition) }
    return cells
  }

  private func row(_ condition: Condition) throws(SystemFailure) -> [SafetyCard.Cell] {
    let explorer = Explorer(
      subject.make(),
      at: .unused(folder: NSTemporaryDirectory() + "history-testing-\(UUID().uuidString)"),
      space: CardSpace(condition, members, subject),
      judge: CardJudge.self,
      bounds: ExplorationBounds(depth: depth, stateCountMax: Self.stateCountMax)
    )
    let found = try explorer.explore { _ in !flag.isSet }
    return CheckerSuite.names(in: .all).enumerated().map { number, name in
      let isExercised = found.exercised >> UInt64(number) & 1 == 1
      let broken = found.broken[number]
      let rest: SafetyCard.Result =
        found.ending != .complete ? .unknown : isExercised ? .holds : .notExercised
      return SafetyCard.Cell(
        condition: condition.rawValue,
        invariant: name,
        result: broken == nil ? rest : .breaks,
        commandCount: broken?.commands.count
      )
    }
  }
}

/// The plans that the explorer runs under one condition, such as crashes.
///
/// The results are one row of a safety card, which has a row for each condition.
private struct CardSpace: PlanSpace {
  private var alphabet: PlanAlphabet

  init(_ condition: Condition, _ members: Int, _ subject: Subject) {
    alphabet = PlanAlphabet(condition, actors: members, actions: subject.actions)
    for index in alphabet.headers.indices {
      alphabet.headers[index].timestamps = subject.timestamps
    }
  }

  var headers: [PlanHeader] { alphabet.headers }
  var clockOnlyRises: Bool { alphabet.clockOnlyRises }
  var treatsActorsAlike: Bool { alphabet.treatsActorsAlike }
  var losesPower: Bool { alphabet.losesPower }
  func start(_ header: PlanHeader) -> ExploredPlanState { alphabet.start(header) }
  func moves(from place: ExploredPlanState) -> [Command] { alphabet.moves(from: place) }
  func advance(_ place: inout ExploredPlanState, by action: Action, _ events: [Event]) {
    place.note(action, events)
  }
  func describe(_ place: ExploredPlanState, _ state: inout StateSketch) { place.describe(&state) }
}

/// Applies all built-in checkers to each plan of an exploration; the results fill a ``SafetyCard``.
private struct CardJudge: PlanJudge {
  private var suite: CheckerSuite

  init(_ header: PlanHeader) {
    let plan = Plan(header: header, commands: [])
    suite = CheckerSuite(TraceHeader(plan: plan, system: ""), scope: .all)
  }

  mutating func append(_ command: Command) { suite.append(command) }
  mutating func observe(_ event: Event) { suite.observe(event) }
  func describe(_ state: inout StateSketch, tick: Int) { suite.describe(&state, tick: tick) }
  var broken: UInt64 { suite.broken }
  var conclusion: (broken: UInt64, held: UInt64) { suite.conclusion }
}

/// A table of the invariants that hold or break for a design under each condition.
///
/// The results come from an exploration, which runs every short plan.
///
///     let card = try await exploreHistory(of: MyLog.self, under: [.restart, .crash], depth: 4)
///     let old = try JSONDecoder().decode(SafetyCard.self, from: Data(contentsOf: committed))
///     #expect(card.regressions(since: old).isEmpty)
public struct SafetyCard: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The result of exploring an invariant under a condition.
  public enum Result: String, Codable, Hashable, Sendable {
    /// No plan breaks the invariant, and at least one plan exercises it.
    case holds
    /// A plan breaks the invariant.
    case breaks
    /// No plan has broken the invariant, but the exploration ended before all plans were covered.
    case unknown
    /// No plan exercises the invariant.
    case notExercised
  }

  /// The result of one invariant under one condition.
  public struct Cell: Codable, Hashable, Sendable {
    /// The name of the condition under which plans were run, such as `crash`.
    public let condition: String
    /// The name of the invariant that was checked, such as `Convergence`.
    public let invariant: String
    /// Whether the invariant holds or breaks under the condition, as far as the exploration shows.
    public let result: Result
    /// The number of commands of the shortest plan that breaks the invariant; `nil` if none does.
    public let commandCount: Int?
  }

  /// The name of the explored system: a design, which is a type that conforms to `HistoryLog`.
  let system: String
  /// The maximum number of commands in a plan.
  let depth: Int
  /// The cells: condition after condition, each with its invariants in a fixed order.
  public let cells: [Cell]

  /// Returns a sentence for each result that is worse than in an earlier card.
  ///
  /// A result is that of one invariant under one condition. It is worse in these cases:
  ///
  /// - The invariant held, and no longer does: it breaks, is unknown or is not exercised.
  /// - The invariant was not known to break, and now breaks.
  /// - The invariant breaks in a shorter plan than before.
  /// - This card lacks the result.
  public func regressions(since earlier: SafetyCard) -> [String] {
    earlier.cells.compactMap { old in
      let place = "\(old.invariant) under \(old.condition)"
      guard let new = cell(old.condition, old.invariant) else {
        return "\(place) is no longer explored."
      }
      switch (old.result, new.result) {
      case (.holds, .holds): return nil
      case (.holds, _): return "\(place) held in the earlier card; now: \(new.phrase)."
      case (.breaks, .breaks) where new.commandCount ?? 0 < old.commandCount ?? 0:
        return "\(place): earlier it \(old.phrase), now it \(new.phrase)."
      case (.notExercised, .breaks), (.unknown, .breaks):
        return "\(place) was not known to break; now it \(new.phrase)."
      default: return nil
      }
    }
  }

  /// The safety card as text, with a line for each condition, such as crashes.
  ///
  /// A line states which invariants hold, break or are unknown. Invariants that are not exercised
  /// are left out.
  public var description: String {
    var conditions: [String] = []
    for cell in cells where !conditions.contains(cell.condition) {
      conditions.append(cell.condition)
    }
    let lines = conditions.map { condition in
      let row = cells.filter { $0.condition == condition }
      let known = row.filter { $0.result != .notExercised }
      let words = known.map { "\($0.invariant) \($0.phrase)" }
      return "  \(condition): "
        + (words.isEmpty ? "nothing exercised" : words.joined(separator: ", "))
    }
    return "\(system), every plan of up to \(depth.counted("command")):\n"
      + lines.joined(separator: "\n")
  }

  private func cell(_ condition: String, _ invariant: String) -> Cell? {
    cells.first { $0.condition == condition && $0.invariant == invariant }
  }
}

extension SafetyCard.Cell {
  fileprivate var phrase: String {
    switch result {
    case .holds: "holds"
    case .breaks: "breaks in \((commandCount ?? 0).counted("command"))"
    case .unknown: "unknown"
    case .notExercised: "not exercised"
    }
  }
}

import Campaigns
import Checkers
import Commands
import Foundation
import HistoryTypes
import Simulation
import Synchronization
import Systems
import Traces
import Workloads

/// A task of an exploration: all plans for one system, one condition and one ``ExploreScope``.
///
/// A condition is a difficulty that the plans may contain, such as crashes or equal timestamps.
struct ExploreTask: Sendable {
  let system: LabSystem
  let condition: Condition
  let scope: ExploreScope
  /// The maximum number of states to visit.
  let stateCountMax: Int
  let versions: [String: String]
  /// Whether plans that lead to equal states are merged, so that only one of them is continued.
  var mergesStates = true
  /// Whether to take a sample of the different states; samples of several tasks can be joined.
  var samplesStates = false
  /// The real history that the plans' writes repeat; `nil` uses the writes defined for the condition.
  var past: ExploredHistory?
  /// The slice to explore or all slices to join, if processes share the work; otherwise `nil`.
  var division: Division?

  /// The results of exploring one task.
  struct Outcome: Sendable {
    let condition: Condition
    let scope: ExploreScope
    var exploration: Exploration
    /// The maximum number of states that the task could visit.
    let stateCountMax: Int
    /// The shortest counterexample found for each broken invariant, with its whole trace, by checker name.
    let broken: [String: Counterexample]
    var seconds: Double
    /// A sample of the states; `nil` if they are not counted, or equivalent states are not merged.
    var states: StateSample?
    /// The results of one slice, if only a part of the task was explored; otherwise `nil`.
    var slice: ExplorationSlice?
  }

  /// Explores the plans of this task, with store files that are kept in memory.
  ///
  /// `earlier` contains the results of commands in an earlier task with equal ``reuseKey``; these
  /// commands are not run again. `progress` receives the number of states so far and returns
  /// whether to continue.
  ///
  /// - Throws: a lab error when the system cannot be run, or when a violation does not occur again in a
  ///   second run of its plan.
  func run(
    keepingMoves: Bool = false,
    knowing earlier: KnownMoves? = nil,
    progress: @escaping (Int) -> Bool
  ) throws(LabError) -> Outcome {
    if let division {
      return try run(
        division,
        keepingMoves: keepingMoves,
        knowing: earlier,
        progress: progress
      )
    }
    let clock = ContinuousClock()
    let start = clock.now
    let explorer = explorer(keepingMoves: keepingMoves, knowing: earlier)
    do throws(SystemFailure) {
      let exploration = try explorer.explore(progress: progress)
      var outcome = Outcome(
        condition: condition,
        scope: scope,
        exploration: exploration,
        stateCountMax: stateCountMax,
        broken: try counterexamples(exploration),
        seconds: (clock.now - start) / .seconds(1)
      )
      if samplesStates, mergesStates { outcome.states = sample(explorer) }
      return outcome
    } catch { throw failure(error) }
  }

  func explorer(
    keepingMoves: Bool,
    knowing earlier: KnownMoves?
  ) -> Explorer<PlanAlphabet, SuiteJudge> {
    var bounds = ExplorationBounds(depth: scope.depth, stateCountMax: stateCountMax)
    bounds.keepsMoves = keepingMoves
    bounds.mergesStates = mergesStates
    return Explorer(
      system.make(),
      at: .heap(),
      space: alphabet,
      judge: SuiteJudge.self,
      bounds: bounds,
      knowing: earlier
    )
  }

  func failure(_ error: SystemFailure) -> LabError {
    .lab("\(system.name) could not be explored under \(condition.rawValue): \(error.message)")
  }

  func sample<Space, Judge>(_ explorer: Explorer<Space, Judge>) -> StateSample {
    var sample = StateSample()
    var origins: [PlanHeader: UInt64] = [:]
    explorer.forEachState { header, state in
      let origin = origins[header] ?? ReachedStates.origin(header, system: system.name)
      origins[header] = origin
      sample.add(explored: ReachedStates.digest(state, of: origin))
    }
    return sample
  }

  /// The estimated relative duration of the task.
  ///
  /// The estimate is the number of plans if every state permits as many commands as the first one.
  var weight: Double {
    let alphabet = alphabet
    return alphabet.headers.reduce(0) { sum, header in
      let moves = alphabet.moves(from: alphabet.start(header))
      return sum + pow(Double(moves.count), Double(scope.depth))
    }
  }

  /// The properties that two tasks must share so that one can reuse the other's command results.
  ///
  /// If the properties are equal, a plan that both tasks contain reaches the same state in both.
  struct ReuseKey: Hashable {
    fileprivate let system: String
    fileprivate let header: PlanHeader
    fileprivate let depth: Int
    fileprivate let clockOnlyRises: Bool
    fileprivate let treatsActorsAlike: Bool
  }

  /// The key of the tasks that can share command results; `nil` if this task shares none.
  ///
  /// A task shares none if its plans have different headers, for example different actors or models,
  /// or if their writes repeat the history of a store file.
  var reuseKey: ReuseKey? {
    let alphabet = alphabet
    guard alphabet.headers.count == 1, past == nil else { return nil }
    return ReuseKey(
      system: system.name,
      header: alphabet.headers[0],
      depth: scope.depth,
      clockOnlyRises: alphabet.clockOnlyRises,
      treatsActorsAlike: alphabet.treatsActorsAlike
    )
  }

  /// The commands from which the plans of the task are built.
  var alphabet: PlanAlphabet {
    var alphabet = PlanAlphabet(condition, actors: scope.actors, actions: system.actions)
    if let past {
      alphabet.repeatWindows(of: past.history, count: past.windowCount, commands: scope.depth)
    }
    for index in alphabet.headers.indices {
      alphabet.headers[index].timestamps = system.timestamps
    }
    return alphabet
  }

  var headers: [PlanHeader] { alphabet.headers }

  /// Returns a counterexample with its whole trace for each broken invariant, by checker name.
  ///
  /// For this, the plan that broke the invariant runs again, from its start to its end.
  ///
  /// - Throws: ``SystemFailure`` if a plan cannot be run, or does not break the invariant again.
  func counterexamples(
    _ exploration: Exploration
  ) throws(SystemFailure) -> [String: Counterexample] {
    let names = CheckerSuite.names(in: .all)
    let worker = PlanWorker(system, at: .heap(), versions: versions)
    var found: [String: Counterexample] = [:]
    for (number, plan) in exploration.broken {
      let trace = try worker.trace(plan)
      let suite = CheckerSuite(checking: trace, scope: .all)
      guard let violation = suite.violation(of: names[number]) else {
        throw SystemFailure(
          .failed,
          "\(names[number]) broke, but not when the same plan ran again by itself: \(plan.words)"
        )
      }
      found[names[number]] = Counterexample(trace: trace, violation: violation)
    }
    return found
  }
}

/// A real history, and the maximum number of its windows whose writes the plans repeat.
///
/// A window is a run of consecutive transactions.
struct ExploredHistory: Sendable {
  let path: String
  let history: PastHistory
  let windowCount: Int

  /// A sentence about the writes of the plans.
  var sentence: String {
    "Writes: \(windowCount.counted("window")) of the history of \(path.visible), evenly spread; each is "
      + "a run of consecutive transactions."
  }
}

extension Plan {
  /// The commands as phrases, separated by commas.
  var words: String { commands.map(\.phrase).joined(separator: ", ") }
}

extension Command {
  /// The command as a phrase, including its power-off if there is one.
  var phrase: String {
    guard let fault = faults.first(where: \.kind.isPowerOff) else { return action.phrase }
    let loss =
      fault.kind == .torn ? "the power goes, with some unsynced sectors written" : "the power goes"
    if case .clock(advance: 0) = action { return loss }
    return "\(action.phrase) until \(loss) at the log's \(fault.call.rawValue) \(fault.k)"
  }
}

extension Action {
  /// The action as a phrase, such as `widget pass` or `clock +7 d`.
  var phrase: String {
    let who = actor.map { "\($0) " } ?? ""
    switch self {
    case .write(let write): return who + write.phrase
    case .begin(let write): return who + "begins: " + write.phrase
    case .clock(let advance): return "clock \(advance < 0 ? "-" : "+")\(Self.span(abs(advance)))"
    case .deliver(_, let fate), .poll(_, let fate): return who + "\(word) (\(fate.rawValue))"
    default: return who + word
    }
  }

  private static func span(_ seconds: Double) -> String {
    let days = seconds / 86_400
    return days >= 1 ? "\(Int(days)) d" : "\(Int(seconds)) s"
  }
}

extension PlannedWrite {
  fileprivate var phrase: String {
    let what = changes.map { "\($0.type)s \($0.object)" }.joined(separator: ", ")
    let context = context == "view" ? "" : " in its context \(context)"
    let by: String
    switch author {
    case .own: by = ""
    case .absent: by = " without an author"
    case .other(let name): by = " as \(name)"
    }
    let number = fileTransaction.map { " (transaction \($0) of the file)" } ?? ""
    return what + context + by + (ticks ? "" : " at the same time") + number
  }
}

/// Hands out the tasks of an exploration, each once, and counts the states of all tasks.
///
/// Several tasks with equal ``ExploreTask/reuseKey`` form a group, in which command results can be
/// reused. The leader of a group is the task with the shortest estimated duration. All leaders
/// start before all other tasks. Among the leaders, and among the other tasks, the task with the
/// longest estimated duration starts first. A task that starts after the leader of its group has
/// finished reuses the leader's command results. The order and the reuse only save time. They do
/// not change the results.
final class ExploreQueue: Sendable {
  private let taken = Atomic<Int>(0)
  private let states = Atomic<Int>(0)
  let tasks: [ExploreTask]
  private let reuseKeys: [ExploreTask.ReuseKey?]
  /// The numbers of the tasks that start first: the leaders of the groups.
  ///
  /// A group has several tasks with equal ``ExploreTask/reuseKey``. The others of the group can
  /// reuse the command results of the leader once it has finished.
  private let first: Set<Int>
  private let known = Mutex<[ExploreTask.ReuseKey: KnownMoves]>([:])
  /// The task numbers in the order in which the queue hands them out.
  private let order: [Int]

  init(_ tasks: [ExploreTask]) {
    self.tasks = tasks
    let (weights, reuseKeys) = (tasks.map(\.weight), tasks.map(\.reuseKey))
    let families = Dictionary(grouping: tasks.indices.filter { reuseKeys[$0] != nil }) {
      reuseKeys[$0]
    }.values
    let first = Set(
      families.filter { $0.count > 1 }.compactMap { family in
        family.min { (weights[$0], $0) < (weights[$1], $1) }
      }
    )
    order = tasks.indices.sorted {
      let (isFirst, isOtherFirst) = (first.contains($0), first.contains($1))
      return isFirst == isOtherFirst ? (weights[$1], $0) < (weights[$0], $1) : isFirst
    }
    (self.reuseKeys, self.first) = (reuseKeys, first)
  }

  /// Returns the number of the next task; `nil` when all tasks were handed out.
  func take() -> Int? {
    let next = taken.add(1, ordering: .relaxed).oldValue
    return next < order.count ? order[next] : nil
  }

  /// Adds a number of states, and returns the new total.
  func count(_ more: Int) -> Int { states.add(more, ordering: .relaxed).newValue }

  /// Runs all tasks on several workers, and returns their results in the order of the tasks.
  ///
  /// The results do not depend on the number of workers. If the run is stopped, tasks that have not
  /// started are missing from the results.
  ///
  /// - Throws: a lab error when a task cannot be run.
  func run(
    jobs: Int,
    finished: @escaping @Sendable (ExploreTask.Outcome) -> Void,
    progress: @escaping @Sendable (_ states: Int) -> Bool
  ) async throws(LabError) -> [(task: ExploreTask, outcome: ExploreTask.Outcome)] {
    typealias Done = (number: Int, outcome: ExploreTask.Outcome)
    let workers = await withTaskGroup(of: Result<[Done], LabError>.self) { group in
      for _ in 0..<max(1, min(jobs, tasks.count)) {
        group.addTask {
          Result { () throws(LabError) in try self.worker(finished, progress) }
        }
      }
      var workers: [Result<[Done], LabError>] = []
      for await worker in group { workers.append(worker) }
      return workers
    }
    var done: [Done] = []
    for worker in workers { done += try worker.get() }
    return done.sorted { $0.number < $1.number }.map { (tasks[$0.number], $0.outcome) }
  }

  private func worker(
    _ finished: (ExploreTask.Outcome) -> Void,
    _ progress: (Int) -> Bool
  ) throws(LabError) -> [(number: Int, outcome: ExploreTask.Outcome)] {
    var done: [(number: Int, outcome: ExploreTask.Outcome)] = []
    while progress(count(0)), let number = take() {
      var last = 0
      let outcome = try withoutActuallyEscaping(progress) { progress throws(LabError) in
        try run(number) { states in
          defer { last = states }
          return progress(self.count(states - last))
        }
      }
      finished(outcome)
      done.append((number, outcome))
    }
    return done
  }

  private func run(
    _ number: Int,
    _ progress: @escaping (Int) -> Bool
  ) throws(LabError) -> ExploreTask.Outcome {
    let outcome = try tasks[number].run(
      keepingMoves: first.contains(number),
      knowing: reuseKeys[number].flatMap { key in known.withLock { $0[key] } },
      progress: progress
    )
    if let key = reuseKeys[number], let moves = outcome.exploration.moves {
      known.withLock { $0[key] = moves }
    }
    return outcome
  }
}

/// Applies all checkers to each explored plan; invariants are numbered in the order of the checkers.
struct SuiteJudge: PlanJudge {
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

extension PlanAlphabet: PlanSpace {
  func advance(_ place: inout ExploredPlanState, by action: Action, _ events: [Event]) {
    place.note(action, events)
  }

  func describe(_ place: ExploredPlanState, _ state: inout StateSketch) { place.describe(&state) }
}

/// The bounds of an exploration: the number of actors and the maximum number of commands.
struct ExploreScope: Hashable, Sendable, Codable {
  var actors: Int
  var depth: Int

  /// The scopes that `explore` uses by default.
  static let usual = [ExploreScope(actors: 2, depth: 6), ExploreScope(actors: 3, depth: 5)]
  /// The scopes of a quick exploration.
  static let quick = [ExploreScope(actors: 2, depth: 5)]

  /// The scope as a phrase: `2 actors to depth 6`.
  var sentence: String { "\(actors.counted("actor")) to depth \(depth)" }
}

package import PropertyTesting
package import Traces

/// The parameters of random plans, such as the number of actors, the length, and the kinds of writes.
package struct PlanStyle: Sendable {
  /// The number of actors, from one to eight (default: `1...4`).
  package var actorCounts = 1...4
  /// The maximum number of commands of a plan (default: 40).
  package var commandCountMax = 40
  /// The average number of changes of a write.
  package var averageChangeCount = 2.2
  /// The maximum number of changes of a write.
  package var changeCountMax = 12
  /// The shares of inserts, updates and deletes among changes, in per cent.
  package var operationShares = [19, 78, 3]
  /// The share of writes without an author.
  package var absentAuthorShare = 0.1
  /// The possible times between transactions in seconds; each is equally likely.
  package var gaps: [Double] = [0.01, 0.1, 1, 5, 10, 60, 600, 3600]
  /// The kinds of commands that the system under test supports.
  package var actions: Set<PlanAction> = Set(PlanAction.allCases)
  /// The rule that decides which actor performs the next command.
  package var schedule = PlanSchedule.random
  /// The conditions that a plan may contain.
  package var conditions = Condition.everyday
  /// Whether actors may have several contexts.
  package var hasContexts = true
  /// Whether actors may have a low limit on the number of transactions per fetch.
  package var hasPages = true
  /// Whether actors may have observers and merge hooks.
  package var hasHooks = true
  /// Whether plans may run this project's tracker as a Swift actor instead of only its core.
  ///
  /// ``PlannedDriver`` describes both ways.
  package var hasDrivers = false
  /// Whether plans may have queries and live queries.
  ///
  /// A query reads history, or purges a part of it, outside of passes.
  package var hasQueries = false
  /// The share of plans with a request about stores on disk; such a request takes milliseconds.
  package var diskShare = 0.006
  /// Whether consumers may have `read` commands, which read page by page, confirm, and restart.
  package var hasReadings = false
  /// Whether writes may name a merge policy for conflicts.
  package var hasPolicies = true
  /// The members, authors and limits that every plan has; `nil` if they are drawn.
  package var setup: PlanSetup?
  /// A real history, from whose transactions the writes of plans are made; `nil` if writes are drawn.
  package var past: PastHistory?
  /// Closures that change each generated plan, and may draw choices from the plan's source.
  package var changes: [@Sendable (inout Plan, inout ChoiceSource) -> Void] = []

  package init() {}

  /// Creates the style of plans that resemble the histories from which a profile was computed.
  ///
  /// The share of each change type is rounded to a whole per cent, and is at least 1 %, so that a
  /// rare type still occurs in plans.
  package init(_ profile: WorkloadProfile) {
    averageChangeCount = max(1, profile.meanChangesPerTransaction)
    changeCountMax = min(max(profile.mostChangesPerTransaction, 2), Self.changeCountLimit)
    let operations = profile.operations
    operationShares = [operations.insert, operations.update, operations.delete].map(Self.perCent)
    absentAuthorShare = profile.withoutAuthor
    actorCounts = 1...min(max(profile.authors.count, 2), Self.actorCountLimit)
    gaps = profile.gaps(16)
  }

  /// The maximum number of consecutive transactions of ``past`` in one plan.
  package static let pastCountMax = 24

  /// Makes plans repeat the writes of a past history.
  ///
  /// A plan has two to four actors, or the given number: one for each of the most active authors.
  package mutating func `repeat`(_ past: PastHistory, actors: Int?) {
    self.past = past
    let count = actors ?? min(max(past.members.count, 2), Self.actorCountLimit)
    actorCounts = count...count
  }

  /// The greatest value of ``changeCountMax`` that is taken from a profile.
  ///
  /// Without it, one write could have as many changes as the largest transaction of a real store.
  private static let changeCountLimit = 32
  /// The maximum number of actors that is taken from a profile; the option `--actors` allows more.
  private static let actorCountLimit = 4

  private static func perCent(_ share: Double) -> Int { max(1, Int((share * 100).rounded())) }
}

/// The rule that decides which actor performs the next command.
///
/// To run plans with every order of commands up to a length, use ``PlanAlphabet`` and the explorer.
package enum PlanSchedule: Hashable, Sendable {
  /// Every actor that can perform a command is equally likely to be chosen.
  case random
  /// The actor with the highest priority performs commands; at random points it gets the lowest priority.
  ///
  /// If a bug depends on the order of `depth` steps, a plan finds it with at least the probability
  /// ``leastProbability(actors:steps:)``. Source: Burckhardt and others, "A randomized scheduler
  /// with probabilistic guarantees of finding bugs" (2010).
  case pct(depth: Int)

  /// Returns a lower bound for the probability that one plan finds a bug of this schedule's depth.
  ///
  /// The depth of a bug is the number of steps whose order matters for the bug. The result is `nil`
  /// for a schedule without such a bound.
  package func leastProbability(actors: Int, steps: Int) -> Double? {
    guard case .pct(let depth) = self else { return nil }
    var bound = 1 / Double(max(actors, 1))
    for _ in 1..<max(depth, 1) { bound /= Double(max(steps, 1)) }
    return bound
  }
}

/// Actor priorities; at random points, the actor with the highest priority gets the lowest.
struct PlanPriorities {
  /// The indices of the actors in the header, in descending order of priority.
  private var order: [Int] = []
  /// Before each of these steps, the actor with the highest priority gets the lowest priority.
  ///
  /// Only actors that can perform a command at this step are considered.
  private var changes: Set<Int> = []
  private var step = 0

  /// Draws the priorities of the actors, and the steps before which the priorities change.
  init(
    actors count: Int,
    steps: Int,
    depth: Int,
    _ source: inout ChoiceSource
  ) {
    var left = Array(0..<count)
    while !left.isEmpty { order.append(left.remove(at: source.index(below: left.count))) }
    for _ in 1..<max(depth, 1) { changes.insert(source.index(below: max(steps, 1))) }
  }

  /// Changes the priorities if a change is due, and returns the highest-priority actor of a set.
  ///
  /// The result is `nil` if the set of actors is empty.
  mutating func next(among able: UInt64) -> Int? {
    let first = order.firstIndex { able >> UInt64($0) & 1 == 1 }
    if changes.contains(step), let first { order.append(order.remove(at: first)) }
    step += 1
    return order.first { able >> UInt64($0) & 1 == 1 }
  }
}

/// The kinds of commands that a generator chooses from, the simplest first.
package enum PlanAction: Int, CaseIterable, Sendable {
  case write
  case pass
  case purge
  case fetch
  case merge
  case record
  case launch
  case crash
  case stop
  case batch
  case clock
  case begin
  case commit
  case retire
  case deliver
  case poll
  case consume
  case resync
  case launchTwice
  case belated
  case suspend
  case resume
  case relatedBatch

  /// The base weight with which the command is drawn; the generator varies it by plan and state.
  var weight: Int {
    switch self {
    case .write: 36
    case .pass: 12
    case .deliver: 10
    case .fetch, .merge, .record, .belated, .resume: 8
    case .purge: 6
    case .launch, .clock, .consume: 5
    case .batch, .commit, .suspend, .relatedBatch: 4
    case .crash, .stop, .begin, .poll, .resync, .launchTwice: 2
    case .retire: 1
    }
  }

  /// Whether the command makes a write, or starts or commits one.
  var isWrite: Bool {
    switch self {
    case .write, .batch, .begin, .commit, .relatedBatch: true
    default: false
    }
  }

  /// The condition that a plan needs for this command; `nil` for none.
  ///
  /// Without a condition, the plan's header and state decide whether the command is possible.
  var condition: Condition? {
    switch self {
    case .crash: .crash
    case .stop: .restart
    case .begin, .commit: .stampBeforeCommit
    case .batch: .backgroundWrites
    case .launchTwice, .belated: .sameActorTwice
    case .suspend, .resume: .suspension
    case .relatedBatch: .relations
    default: nil
    }
  }
}

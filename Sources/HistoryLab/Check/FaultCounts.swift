import PersistentHistory
import Traces

/// How often each kind of fault was planned for each command, and how often it struck.
struct FaultCounts: Sendable, Equatable {
  /// A kind of fault within a kind of command.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let kind: PlannedFault.Kind

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.kind.rawValue) < (right.command, right.kind.rawValue)
    }
  }
  struct Count: Sendable, Equatable {
    /// How often it was planned for a command that ran.
    var planned = 0
    /// How often its call came, or the power went without.
    var struck = 0
  }
  private(set) var pairs: [Pair: Count] = [:]
  /// How often the power went where each commit waits for the disk.
  private(set) var fullPowerOffCount = 0
  /// The commands of plans that ran, with faults or without.
  private(set) var words: Set<String> = []
  /// The command of the plan that is under way, or the last one.
  private var current: String?

  /// Takes in the next event of a run of a plan.
  mutating func observe(_ event: Event, of plan: Plan) {
    switch event.happening {
    case .called(let position?, let word):
      words.insert(word)
      current = word
      for fault in plan.commands[position].faults {
        pairs[Pair(command: word, kind: fault.kind), default: Count()].planned += 1
      }
    case .fault(let fault):
      if fault.kind.isPowerOff, plan.header.synchronous == .full { fullPowerOffCount += 1 }
      guard let current else { return }
      pairs[Pair(command: current, kind: fault.kind), default: Count()].struck += 1
    default: break
    }
  }

  init() {}

  /// What a report tells.
  init(_ told: CheckDocument.System) {
    fullPowerOffCount = told.powerOffsAtFull ?? 0
    for fault in told.faults ?? [] {
      guard let kind = PlannedFault.Kind(rawValue: fault.kind) else { continue }
      words.insert(fault.command)
      pairs[Pair(command: fault.command, kind: kind)] = Count(
        planned: fault.planned,
        struck: fault.struck
      )
    }
  }

  /// Adds what was counted elsewhere.
  mutating func add(_ other: FaultCounts) {
    words.formUnion(other.words)
    fullPowerOffCount += other.fullPowerOffCount
    for (pair, count) in other.pairs {
      pairs[pair, default: Count()].planned += count.planned
      pairs[pair, default: Count()].struck += count.struck
    }
  }

  /// How often the power went.
  var powerOffCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? $1.value.struck : 0) }
  }

  /// How many commands met a call that failed.
  var failureCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? 0 : $1.value.struck) }
  }

  /// What faults did, in sentences; nothing where there were none.
  var sentences: [String] {
    var told: [String] = []
    if powerOffCount > 0 {
      told.append(
        "The power went \(powerOffCount.counted("time")), \(fullPowerOffCount.grouped) of them with "
          + "synchronous=FULL."
      )
    }
    if failureCount > 0 { told.append("Calls failed in \(failureCount.counted("command")).") }
    return told
  }

  /// The kinds of power-off that never struck some command that ran, each as "torn in retire".
  var missingPowerOffs: [String] {
    let kinds = PlannedFault.Kind.allCases.filter(\.isPowerOff)
    return words.sorted().flatMap { word in
      kinds.filter { (pairs[Pair(command: word, kind: $0)]?.struck ?? 0) == 0 }
        .map { "\($0.rawValue) in \(word)" }
    }
  }
}

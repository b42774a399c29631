import PersistentHistory
import Traces

/// The number of planned faults and of those that occurred, for each command and kind of fault.
struct FaultCounts: Sendable, Equatable {
  /// A kind of fault in a kind of command.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let kind: PlannedFault.Kind

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.kind.rawValue) < (right.command, right.kind.rawValue)
    }
  }
  struct Count: Sendable, Equatable {
    /// The number of times that it was planned for a command that ran.
    var planned = 0
    /// The number of times that it occurred: at its call, or for a power-off at the command's end.
    var struck = 0
  }
  private(set) var pairs: [Pair: Count] = [:]
  /// The number of power-offs with `synchronous=FULL`, where each commit waits for the disk.
  private(set) var fullPowerOffCount = 0
  /// The kinds of commands that ran, with or without planned faults.
  private(set) var words: Set<String> = []
  /// The command that is running, or the last one.
  private var current: String?

  /// Counts the next event of a plan's run.
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

  /// Reads the counts from a report.
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

  /// Adds the counts of another run.
  mutating func add(_ other: FaultCounts) {
    words.formUnion(other.words)
    fullPowerOffCount += other.fullPowerOffCount
    for (pair, count) in other.pairs {
      pairs[pair, default: Count()].planned += count.planned
      pairs[pair, default: Count()].struck += count.struck
    }
  }

  /// The number of power-offs.
  var powerOffCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? $1.value.struck : 0) }
  }

  /// The number of faults that occurred, power-offs excluded.
  var failureCount: Int {
    pairs.reduce(0) { $0 + ($1.key.kind.isPowerOff ? 0 : $1.value.struck) }
  }

  /// Sentences that summarize the faults; empty if none occurred.
  var sentences: [String] {
    var told: [String] = []
    if powerOffCount > 0 {
      told.append(
        "The power went \(powerOffCount.counted("time")), \(fullPowerOffCount.grouped) of them with "
          + "synchronous=FULL."
      )
    }
    if failureCount > 0 { told.append("\(failureCount.counted("call")) failed.") }
    return told
  }

  /// The kinds of power-off that never occurred in a command that ran, each as "torn in retire".
  var missingPowerOffs: [String] {
    let kinds = PlannedFault.Kind.allCases.filter(\.isPowerOff)
    return words.sorted().flatMap { word in
      kinds.filter { (pairs[Pair(command: word, kind: $0)]?.struck ?? 0) == 0 }
        .map { "\($0.rawValue) in \(word)" }
    }
  }
}

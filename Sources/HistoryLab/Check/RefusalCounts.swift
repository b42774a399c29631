import Traces

/// The number of refusals for each kind of command and failure code.
struct RefusalCounts: Sendable, Equatable {
  /// A kind of command with a code of its failure.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let code: SystemFailure.Code

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.code.rawValue) < (right.command, right.code.rawValue)
    }
  }
  private(set) var pairs: [Pair: Int] = [:]

  init() {}

  /// Reads the counts from a report.
  init(_ told: [CheckDocument.Refusal]) {
    for refusal in told {
      guard let code = SystemFailure.Code(rawValue: refusal.code) else { continue }
      pairs[Pair(command: refusal.command, code: code)] = refusal.count
    }
  }

  /// Counts the next event of a plan's run.
  mutating func observe(_ event: Event, of plan: Plan) {
    guard case .ended(let position?, .failed(let failure)) = event.happening else { return }
    let command = plan.commands[position].action.kind
    pairs[Pair(command: command, code: failure.code), default: 0] += 1
  }

  /// Adds the counts of another run.
  mutating func add(_ other: RefusalCounts) {
    for (pair, count) in other.pairs { pairs[pair, default: 0] += count }
  }

  /// Returns the number of refusals with a code, for all commands.
  func count(of code: SystemFailure.Code) -> Int {
    pairs.reduce(0) { $0 + ($1.key.code == code ? $1.value : 0) }
  }
}

extension Action {
  /// The command's word; for a belated command also the word of its step.
  fileprivate var kind: String {
    if case .belated(_, let step) = self { "belated \(step.rawValue)" } else { word }
  }
}

import Traces

/// How often each kind of command was refused, and with which code.
struct RefusalCounts: Sendable, Equatable {
  /// A code with which a kind of command failed.
  struct Pair: Hashable, Sendable, Comparable {
    let command: String
    let code: SystemFailure.Code

    static func < (left: Pair, right: Pair) -> Bool {
      (left.command, left.code.rawValue) < (right.command, right.code.rawValue)
    }
  }
  private(set) var pairs: [Pair: Int] = [:]

  init() {}

  /// What a report tells.
  init(_ told: [CheckDocument.Refusal]) {
    for refusal in told {
      guard let code = SystemFailure.Code(rawValue: refusal.code) else { continue }
      pairs[Pair(command: refusal.command, code: code)] = refusal.count
    }
  }

  /// Takes in the next event of a run of a plan.
  mutating func observe(_ event: Event, of plan: Plan) {
    guard case .ended(let position?, .failed(let failure)) = event.happening else { return }
    let command = plan.commands[position].action.kind
    pairs[Pair(command: command, code: failure.code), default: 0] += 1
  }

  /// Adds what was counted elsewhere.
  mutating func add(_ other: RefusalCounts) {
    for (pair, count) in other.pairs { pairs[pair, default: 0] += count }
  }

  /// How often a code was told, whatever the command.
  func count(of code: SystemFailure.Code) -> Int {
    pairs.reduce(0) { $0 + ($1.key.code == code ? $1.value : 0) }
  }
}

extension Action {
  /// The command's word, and what a belated one does.
  fileprivate var kind: String {
    if case .belated(_, let step) = self { "belated \(step.rawValue)" } else { word }
  }
}

import Traces

/// The command under way, or the last one.
package struct CurrentCommand: Sendable {
  /// Its word in the plan format; empty before the first command.
  package let word: String
  /// Whether it is a command of the plan that has not ended, rather than one of the closing phase.
  package internal(set) var isInPlan: Bool
  /// The position of the actor or consumer that acts, if one does.
  let actor: Int?
  /// Whether it committed a transaction.
  var hasCommitted = false
  /// Whether a fault was injected.
  var hasFault = false
  /// Whether the store was opened again after a power-off.
  var hasRecovered = false

  init(_ word: String = "", isInPlan: Bool = false, actor: Int? = nil) {
    self.word = word
    self.isInPlan = isInPlan
    self.actor = actor
  }

  /// Whether it is a whole pass of the closing phase.
  package var isClosingPass: Bool { !isInPlan && word == "pass" }

  /// Whether it may make a whole pass.
  package var mayPass: Bool { Self.passing.contains(word) }

  /// The words of commands that may make a whole pass.
  static let passing: Set<String> = ["pass", "deliver", "poll", "launch"]
}

extension Timeline {
  /// Applies the end of a command, which may make certain or uncertain what it did.
  mutating func end(_ outcome: Outcome) {
    command.isInPlan = false
    switch outcome {
    case .ok:
      if command.hasFault, !command.hasRecovered, let actor = command.actor {
        everyone[actor].status.succeed()
      }
    case .failed: break
    case .unknown: endUnknown()
    }
  }

  /// Accepts both outcomes of a write or record whose outcome is unknown.
  ///
  /// A write may have left a transaction without an event. A record counts as done, so that a purge
  /// which relies on it is accepted.
  private mutating func endUnknown() {
    switch command.word {
    case "write", "batch", "commit":
      mayHoldUnreported = mayHoldUnreported || !(command.hasCommitted || command.hasRecovered)
    case "record", "pass":
      guard let actor else { return }
      countAsRecorded(actor, through: log.count - 1)
    default: break
    }
  }
}

extension Event {
  /// Whether it notifies a member that history it needs is gone or was replaced.
  var reportsMissingHistory: Bool {
    switch happening {
    case .expired, .rewound: true
    case .ended(_, .failed(let failure)): failure.code == .expired || failure.code == .rewound
    default: false
    }
  }
}

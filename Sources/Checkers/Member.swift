package import PersistentHistory
import Traces

/// What a trace has told about one actor or consumer so far; positions are in commit order.
package struct Member: Sendable {
  /// Its name in the plan.
  package let id: ActorID
  /// Itself alone.
  package let bit: MemberSet
  /// What is known of its registration, its process and its access to history.
  package internal(set) var status = MemberStatus()
  /// Whether it merges into several contexts, each of which must get what the others saved.
  package internal(set) var hasSeveralContexts = false
  /// How many transactions there were when it registered: it must merge those that came after.
  package internal(set) var registeredFrom = 0
  /// How many transactions there were when it last registered, or came back after it was cut off.
  package internal(set) var joinedAt = 0
  /// How many transactions there were when it was last cut off, if it was.
  package internal(set) var cutOffAt: Int?
  /// How many transactions there were when it last retired, if it did.
  package internal(set) var leftAt: Int?
  /// The position of the cursor that it has recorded, if it has one.
  package internal(set) var cursor: Int?
  /// The greatest position merged since it was launched; -1 is none.
  package internal(set) var mergedThrough = -1
  /// Below this position it has merged and recorded everything that it must.
  package internal(set) var recordedBelow = 0
  /// How many transactions there were when it last consumed.
  package internal(set) var consumedFrom = 0

  init(_ id: ActorID, position: Int) {
    self.id = id
    bit = MemberSet(member: position)
  }

  /// Limits positions to the transactions that a power-off left.
  mutating func clampPositions(to count: Int) {
    registeredFrom = min(registeredFrom, count)
    recordedBelow = min(recordedBelow, count)
    consumedFrom = min(consumedFrom, count)
  }

  /// Adds what a power-off may have taken back that left the transactions through a position.
  ///
  /// Commits survive in their order: a registration, a loss or a retirement is certain if a transaction
  /// after it survived.
  mutating func doubtMembership(after last: Int) {
    guard status.isMember else {
      if let leftAt, last < leftAt { status.doubtMembership() }
      return
    }
    if last < joinedAt { status.doubtMembership() }
    guard let cutOffAt, last < cutOffAt, status.isCutOff else { return }
    // It is taken back for certain with a transaction that came before it.
    if last + 1 == cutOffAt { status.doubtMembership() }
    status.takeBackCutOff()
  }
}

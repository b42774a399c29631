package import Traces

/// A transaction of the timeline, and where it came from.
package struct TimelineTransaction: Sendable {
  /// The transaction as its commit reported it.
  package let commit: CommittedTransaction
  /// The position of the actor that wrote it, if the trace names one.
  package let writer: Int?
  /// The number of the event that reported it.
  package let at: Int
}

/// The members that must merge a transaction, have merged it and have recorded that; and whether it has
/// left history.
package struct TransactionStatus: Sendable {
  /// The members that must merge it.
  package internal(set) var required: MemberSet
  /// The members that have merged it; a crash before the record takes that back.
  package internal(set) var merged: MemberSet = []
  /// The members that have ever merged it, crashes or not.
  package internal(set) var everMerged: MemberSet = []
  /// The members whose merge hook finished it, so that their contexts may lack it.
  package internal(set) var finished: MemberSet = []
  /// The members that have merged it and recorded that.
  package internal(set) var recorded: MemberSet = []
  /// Whether it has left history.
  package internal(set) var isPurged = false
  /// Whether it left history before a power-off, which may have brought it back.
  package internal(set) var mayBePurged = false

  init(required: MemberSet) { self.required = required }

  /// The members that must merge it and have not.
  package var unmerged: MemberSet { required.subtracting(merged) }
  /// The members that must merge it and have not recorded it.
  package var unrecorded: MemberSet { required.subtracting(recorded) }
  /// Whether it is purged and recorded by every member that must merge it: no member can lose it any more.
  var isComplete: Bool { isPurged && unrecorded.isEmpty }

  mutating func merge(_ bit: MemberSet) {
    merged.formUnion(bit)
    everMerged.formUnion(bit)
  }

  /// Forgets a member, whose next registration starts from scratch.
  mutating func forget(_ bit: MemberSet) {
    required.subtract(bit)
    merged.subtract(bit)
    everMerged.subtract(bit)
    finished.subtract(bit)
    recorded.subtract(bit)
  }
}

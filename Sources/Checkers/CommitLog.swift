package import Traces

/// The transactions of a trace in commit order, with each member's progress.
///
/// For each transaction the log keeps three sets of members: those that must merge the transaction,
/// those that have merged it, and those whose recorded cursor includes the merge.
///
/// - Complexity: merging is linear in the merged transactions. Recording a cursor is linear in the
///   transactions between the member's first unrecorded transaction and the cursor.
package struct CommitLog: Sendable {
  /// The transactions in commit order.
  package private(set) var transactions: [TimelineTransaction] = []
  /// For each transaction, the members that must merge it, have merged it and have recorded it.
  package private(set) var statuses: [TransactionStatus] = []
  private var positions: [TransactionName: Int] = [:]

  package var count: Int { statuses.count }

  /// Returns the position of the transaction with a name, or `nil`.
  package func position(of name: TransactionName) -> Int? { positions[name] }

  /// Returns the position of the last transaction whose number is less than the number in `name`.
  ///
  /// The result is -1 if no such transaction exists, or if `name` is not a number.
  ///
  /// - Complexity: linear in the transactions after the result.
  func lastPosition(before name: TransactionName) -> Int {
    guard let number = Int64(name) else { return -1 }
    return transactions.lastIndex { Int64($0.commit.name).map { $0 < number } ?? false } ?? -1
  }

  mutating func append(_ transaction: TimelineTransaction, required: MemberSet) {
    positions[transaction.commit.name] = transactions.count
    transactions.append(transaction)
    statuses.append(TransactionStatus(required: required))
  }

  /// Removes the transactions after a position, because a power-off has rolled them back.
  mutating func removeAll(after last: Int) {
    for transaction in transactions[(last + 1)...] { positions[transaction.commit.name] = nil }
    transactions.removeSubrange((last + 1)...)
    statuses.removeSubrange((last + 1)...)
  }
}

// MARK: Members

extension CommitLog {
  /// Marks transactions as merged by a member, and as recorded if the member's cursor covers them.
  mutating func merge(_ named: [Int], by member: Member) {
    let cursor = member.cursor ?? -1
    for position in named where position >= 0 {
      statuses[position].merge(member.bit)
      if position <= cursor { statuses[position].recorded.formUnion(member.bit) }
    }
  }

  /// Sets whether a member's merge hook replaced the default merge of the given transactions.
  mutating func setFinished(_ isFinished: Bool, _ named: [Int], by bit: MemberSet) {
    for position in named where position >= 0 {
      if isFinished {
        statuses[position].finished.formUnion(bit)
      } else {
        statuses[position].finished.subtract(bit)
      }
    }
  }

  /// Records that a member has loaded all its contexts again.
  ///
  /// The contexts then also contain the changes that the member's merge hooks have left out.
  mutating func forgetFinished(by bit: MemberSet) {
    for position in statuses.indices where !statuses[position].finished.isEmpty {
      statuses[position].finished.subtract(bit)
    }
  }

  /// Records a resync: the member's contexts then contain all transactions up to its new cursor.
  mutating func resync(_ member: Member, through cursor: Int) {
    let from = member.registeredFrom
    for position in from..<max(from, cursor + 1) { statuses[position].merge(member.bit) }
  }

  /// Marks a member's merged transactions, through the position `last`, as recorded.
  ///
  /// - Returns: The position below which the member has merged and recorded all required transactions.
  mutating func record(_ member: Member, through last: Int) -> Int {
    var recordedBelow = member.recordedBelow
    var isWhole = true
    for position in recordedBelow..<max(recordedBelow, last + 1) {
      if statuses[position].merged.contains(member.bit) {
        statuses[position].recorded.formUnion(member.bit)
      }
      isWhole = isWhole && !statuses[position].unrecorded.contains(member.bit)
      if isWhole { recordedBelow = position + 1 }
    }
    return recordedBelow
  }

  /// Undoes a member's merges that were not recorded, because the member has crashed.
  mutating func takeBackMerges(of member: Member) {
    for position in member.recordedBelow..<statuses.count
    where !statuses[position].recorded.contains(member.bit) {
      statuses[position].merged.subtract(member.bit)
    }
  }

  /// Removes a member from the status of every transaction, so that it need not merge any of them.
  ///
  /// The status of a transaction has sets of members, such as those that must merge it. Call this
  /// method before a registration from scratch, such as a member's first registration or its
  /// registration after a retirement (``MemberStatus/startsFromScratch``).
  mutating func forget(_ bit: MemberSet) {
    for position in statuses.indices { statuses[position].forget(bit) }
  }

  /// Resets a member's progress to its cursor in the store, at its first launch after a power-off.
  ///
  /// The member must merge the transactions after that cursor again. If the cursor in the store may
  /// have moved without an event, the transactions up to the cursor count as merged and recorded.
  /// If, in addition, the store may have lacked the member's registration, the member is no longer
  /// required to merge the transactions up to the cursor.
  mutating func restoreRecords(of member: Member, through cursor: Int) {
    let mayBeAhead = member.status.alternatives.contains(.ahead)
    let mayBeAbsent = member.status.alternatives.contains(.absent)
    for position in statuses.indices.dropFirst(member.registeredFrom) {
      if position > cursor {
        statuses[position].merged.subtract(member.bit)
        statuses[position].recorded.subtract(member.bit)
      } else if mayBeAhead {
        statuses[position].merge(member.bit)
        statuses[position].recorded.formUnion(member.bit)
        if mayBeAbsent { statuses[position].required.subtract(member.bit) }
      }
    }
  }
}

// MARK: Purges

extension CommitLog {
  mutating func purge(_ named: [Int]) {
    for position in named where position >= 0 { statuses[position].isPurged = true }
  }

  /// Records a power-off, which may have rolled back every purge.
  mutating func losePower() {
    for position in statuses.indices where statuses[position].isPurged {
      statuses[position].isPurged = false
      statuses[position].mayBePurged = true
    }
  }

  /// Determines which purges a power-off has rolled back.
  ///
  /// `held` is the history after the power-off. If it contains a purged transaction, the purge of
  /// that transaction was rolled back.
  mutating func reconcilePurges(with held: [CommittedTransaction]) {
    let names = Set(held.map(\.name))
    for position in statuses.indices where statuses[position].mayBePurged {
      statuses[position].mayBePurged = false
      statuses[position].isPurged = !names.contains(transactions[position].commit.name)
    }
  }
}

/// A transaction of the timeline, and its origin.
package struct TimelineTransaction: Sendable {
  /// The transaction as its commit reported it.
  package let commit: CommittedTransaction
  /// The index of the writing actor in ``Timeline/everyone``; `nil` if the trace names no actor.
  package let writer: Int?
  /// The number of the event that reported the transaction.
  package let at: Int
}

/// The merge and purge status of one transaction.
package struct TransactionStatus: Sendable {
  /// The members that must merge the transaction.
  package internal(set) var required: MemberSet
  /// The members that have merged the transaction.
  ///
  /// A crash undoes a merge that the member has not recorded.
  package internal(set) var merged: MemberSet = []
  /// The members that have ever merged the transaction, including merges that a crash has undone.
  package internal(set) var everMerged: MemberSet = []
  /// The members whose merge hook replaced the default merge; their contexts may lack the changes.
  package internal(set) var finished: MemberSet = []
  /// The members that have merged the transaction and recorded the merge.
  package internal(set) var recorded: MemberSet = []
  /// Whether the transaction has been purged from history.
  package internal(set) var isPurged = false
  /// Whether the transaction was purged before a power-off that may have rolled back the purge.
  package internal(set) var mayBePurged = false

  init(required: MemberSet) { self.required = required }

  /// The members that must merge the transaction and have not merged it.
  package var unmerged: MemberSet { required.subtracting(merged) }
  /// The members that must merge the transaction and have not recorded it.
  package var unrecorded: MemberSet { required.subtracting(recorded) }
  /// Whether the transaction is purged, and all members that must merge it have recorded it.
  var isComplete: Bool { isPurged && unrecorded.isEmpty }

  mutating func merge(_ bit: MemberSet) {
    merged.formUnion(bit)
    everMerged.formUnion(bit)
  }

  /// Removes a member from every set of this transaction, such as ``required`` and ``merged``.
  ///
  /// ``CommitLog/forget(_:)`` states when to call this.
  mutating func forget(_ bit: MemberSet) {
    required.subtract(bit)
    merged.subtract(bit)
    everMerged.subtract(bit)
    finished.subtract(bit)
    recorded.subtract(bit)
  }
}

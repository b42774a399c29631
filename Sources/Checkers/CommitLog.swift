package import Traces

/// The transactions in commit order, with the members' progress on each.
///
/// It records the members that must merge a transaction, that have merged it and that have recorded
/// that.
///
/// - Complexity: a merge costs the transactions that it names, a record those after the first that
///   its member has not recorded.
package struct CommitLog: Sendable {
  /// The transactions in commit order.
  package private(set) var transactions: [TimelineTransaction] = []
  /// The status of each transaction, by its position in commit order.
  package private(set) var statuses: [TransactionStatus] = []
  private var positions: [TransactionName: Int] = [:]

  /// The number of transactions.
  package var count: Int { statuses.count }

  /// Returns the position of the transaction with a name, or `nil`.
  package func position(of name: TransactionName) -> Int? { positions[name] }

  /// Returns the position of the last transaction whose name is a lower number than the given name.
  ///
  /// The result is -1 if there is none, or if the name is no number.
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

  /// Removes the transactions after a position, which a power-off rolled back.
  mutating func removeAll(after last: Int) {
    for transaction in transactions[(last + 1)...] { positions[transaction.commit.name] = nil }
    transactions.removeSubrange((last + 1)...)
    statuses.removeSubrange((last + 1)...)
  }
}

// MARK: Members

extension CommitLog {
  /// Applies a merge by a member; positions up to its stored cursor count as recorded at once.
  mutating func merge(_ named: [Int], by member: Member) {
    let cursor = member.cursor ?? -1
    for position in named where position >= 0 {
      statuses[position].merge(member.bit)
      if position <= cursor { statuses[position].recorded.formUnion(member.bit) }
    }
  }

  /// Sets whether a member's merge hook finished transactions instead of a merge.
  mutating func setFinished(_ isFinished: Bool, _ named: [Int], by bit: MemberSet) {
    for position in named where position >= 0 {
      if isFinished {
        statuses[position].finished.formUnion(bit)
      } else {
        statuses[position].finished.subtract(bit)
      }
    }
  }

  /// Applies a reload of a member's contexts, which then contain what a hook had finished.
  mutating func forgetFinished(by bit: MemberSet) {
    for position in statuses.indices where !statuses[position].finished.isEmpty {
      statuses[position].finished.subtract(bit)
    }
  }

  /// Applies a resync of a member, which reads the effect of all transactions up to its cursor.
  mutating func resync(_ member: Member, through cursor: Int) {
    let from = member.registeredFrom
    for position in from..<max(from, cursor + 1) { statuses[position].merge(member.bit) }
  }

  /// Counts a member's merged transactions up to a position as recorded.
  ///
  /// - Returns: The position below which the member has merged and recorded everything that it must.
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

  /// Rolls back the transactions that a member has merged and not recorded.
  mutating func takeBackMerges(of member: Member) {
    for position in member.recordedBelow..<statuses.count
    where !statuses[position].recorded.contains(member.bit) {
      statuses[position].merged.subtract(member.bit)
    }
  }

  /// Removes a member from all statuses, because its next registration starts from scratch.
  mutating func forget(_ bit: MemberSet) {
    for position in statuses.indices { statuses[position].forget(bit) }
  }

  /// Restores a member's records at its first launch after a power-off.
  ///
  /// It must merge again what comes after its cursor. If it may have joined again, it has read all
  /// transactions of that time.
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

  /// Applies a power-off, which may have rolled back every purge.
  mutating func losePower() {
    for position in statuses.indices where statuses[position].isPurged {
      statuses[position].isPurged = false
      statuses[position].mayBePurged = true
    }
  }

  /// Reconciles the purges before a power-off with the transactions in history after it.
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
  /// The position of the actor that wrote it, if the trace names one.
  package let writer: Int?
  /// The number of the event that reported it.
  package let at: Int
}

/// The merge and purge status of a transaction.
///
/// It has the members that must merge the transaction, have merged it and have recorded that.
package struct TransactionStatus: Sendable {
  /// The members that must merge it.
  package internal(set) var required: MemberSet
  /// The members that have merged it; a crash before the record undoes that.
  package internal(set) var merged: MemberSet = []
  /// The members that have ever merged it, including merges that a crash has undone.
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
  /// Whether it is purged and recorded by all members that must merge it, so that none can lose it.
  var isComplete: Bool { isPurged && unrecorded.isEmpty }

  mutating func merge(_ bit: MemberSet) {
    merged.formUnion(bit)
    everMerged.formUnion(bit)
  }

  /// Removes a member, because its next registration starts from scratch.
  mutating func forget(_ bit: MemberSet) {
    required.subtract(bit)
    merged.subtract(bit)
    everMerged.subtract(bit)
    finished.subtract(bit)
    recorded.subtract(bit)
  }
}

import HistoryTypes
package import Traces

/// A delete's tombstone holds the preserved values of the deleted object.
///
/// Verifies: each tombstone that a commit or history reports contains exactly the attributes that the
/// model preserves, with their values from before the write; null values may be left out. If the
/// system reports any tombstone in the trace, a delete that history reports without a tombstone is a
/// violation, unless all preserved values were null.
///
/// Does not verify: objects that were updated or inserted again in the write that deleted them;
/// entities without preserved attributes; tombstones that are never reported; deletes between a write
/// of unknown outcome and the event that shows its outcome.
package struct TombstoneFidelity: Invariant {
  package static let name = "TombstoneFidelity"
  package static let sentence =
    "A tombstone holds the preserved values of the deleted object."
  package private(set) var violation: Violation?
  private let preserved: [String: Set<String>]
  /// The expected tombstones of each transaction's deletes, by the transaction's name.
  private var expected: [TransactionName: Objects] = [:]
  /// The first delete that history reports without the expected tombstone.
  ///
  /// This is a violation only if the trace reports a tombstone of any delete: a system may have no
  /// tombstones at all.
  private var bare: Violation?
  private var hasTombstone = false

  package init(_ header: TraceHeader) {
    var preserved: [String: Set<String>] = [:]
    for entity in header.plan.header.model.entities where entity.preserved != 0 {
      preserved[entity.name] = Set(entity.names(in: entity.preserved))
    }
    self.preserved = preserved
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil, !preserved.isEmpty else { return }
    switch event.kind {
    case .committed(let transaction):
      expect(transaction.name, timeline.ledger.net ?? [])
      compare(transaction, event, isFinal: false)
    case .history(let held):
      for transaction in held { compare(transaction, event, isFinal: true) }
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    guard hasTombstone else { return .unknown("The trace has no tombstone.") }
    if let bare { return .invalid(bare) }
    return .valid
  }

  /// Adds the expected tombstones of the transactions in history to `state`.
  func describe(_ state: inout StateSketch, on timeline: Timeline) {
    for (position, status) in timeline.log.statuses.enumerated() where !status.isPurged {
      let name = timeline.log.transactions[position].commit.name
      guard let expected = expected[name] else { continue }
      timeline.describe(position, &state)
      state.add(expected)
    }
    state.add(bare != nil)
    state.add(hasTombstone)
  }

  private mutating func expect(_ name: TransactionName, _ net: [NetChange]) {
    var objects: Objects = [:]
    for change in net where change.type == .delete && !change.isUpdatedFirst {
      guard let attributes = preserved[change.object.entity], let before = change.before else {
        continue
      }
      objects[change.object] = before.filter { attributes.contains($0.key) }
    }
    // After a power-off a new transaction may have the same name as a transaction that was rolled back.
    expected[name] = objects.isEmpty ? nil : objects
  }

  /// Compares reported tombstones with the expected ones.
  ///
  /// A commit may omit tombstones; a report of the whole history must not.
  private mutating func compare(
    _ transaction: CommittedTransaction,
    _ event: Event,
    isFinal: Bool
  ) {
    guard let expected = expected[transaction.name] else { return }
    for change in transaction.changes where change.type == .delete {
      guard let values = expected[change.object] else { continue }
      if change.tombstone == nil && !isFinal { continue }
      let found = change.tombstone ?? [:]
      hasTombstone = hasTombstone || change.tombstone != nil
      guard let attribute = values.firstDifference(from: found) else { continue }
      let wrong = Self.violation(
        at: event,
        because: "the tombstone of \(change.object) in #\(transaction.name) says \(attribute) = "
          + "\(found[attribute] ?? .null), the object had \(values[attribute] ?? .null)",
        transaction: transaction.name
      )
      guard change.tombstone == nil else {
        violation = wrong
        return
      }
      bare = bare ?? wrong
    }
  }
}

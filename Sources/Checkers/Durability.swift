import HistoryTypes
package import Traces

/// A power-off loses only the newest acknowledged commits; with `synchronous=FULL`, it loses none.
///
/// Verifies, after each power-off: the store opens and is intact. The last transaction that it
/// reports was committed. History contains all transactions up to that one, except purged ones,
/// with the authors and changes that their commits reported. The data are, row by row, those of the
/// reference model after that transaction. With `"synchronous":"full"` no transaction is lost that
/// was acknowledged before the power-off. With either setting no transaction is lost that survived
/// an earlier power-off.
///
/// Does not verify: which of the newest transactions survive with `"normal"`; registrations, cursors
/// and purges that were lost with those transactions (a member's next launch shows them, and the
/// other checkers continue from there); with `"full"`, commits that were acknowledged after a disk
/// delayed a sync, because such a disk may lose them.
package struct Durability: Invariant {
  package static let name = "Durability"
  package static let sentence =
    "A power-off loses only the newest acknowledged commits; with synchronous=FULL, none."
  package private(set) var violation: Violation?
  private let isFull: Bool
  /// The number of transactions acknowledged before the current power-off; `nil` while the power is on.
  private var acknowledged: Int?
  /// The position of the last transaction that survived an earlier power-off; -1 if there is none.
  private var floor = -1
  private var isRecovering = false
  private var hasDelays = false
  private var hasRecovered = false

  package init(_ header: TraceHeader) { isFull = header.plan.header.synchronous == .full }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.kind {
    case .called: isRecovering = false
    case .fault(let fault) where fault.kind == .delay: hasDelays = true
    case .fault(let fault) where fault.kind.isPowerOff: acknowledged = timeline.log.count
    case .damaged(let because):
      accuse(event, "after a power-off the store is damaged: \(because)")
    case .recovered(let through): recover(through, event, on: timeline)
    case .data where isRecovering: compareData(event, on: timeline)
    case .history(let held) where isRecovering: compare(held, event, on: timeline)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasRecovered ? .valid : .unknown("No power-off occurred.")
  }

  /// Adds the position of the last transaction that survived an earlier power-off to `state`.
  func describe(_ state: inout StateSketch, on timeline: Timeline) {
    state.add(hasRecovered)
    state.add(hasDelays)
    timeline.describe(floor, &state)
  }

  private mutating func recover(
    _ through: TransactionName?,
    _ event: Event,
    on timeline: Timeline
  ) {
    hasRecovered = true
    isRecovering = true
    let last = timeline.named.first ?? -1
    defer { (floor, hasDelays) = (last, false) }
    if let through, last < 0, !timeline.mayHoldUnreported {
      return accuse(
        event,
        "after a power-off the store contains #\(through), which was never committed"
      )
    }
    let promised = acknowledged ?? timeline.log.count
    acknowledged = nil
    if isFull, !hasDelays, last < promised - 1 {
      lose(last + 1, "was acknowledged with synchronous=FULL", event, on: timeline)
    } else if last < floor {
      lose(last + 1, "survived an earlier power-off", event, on: timeline)
    }
  }

  private mutating func lose(
    _ position: Int,
    _ reason: String,
    _ event: Event,
    on timeline: Timeline
  ) {
    let label = timeline.label(position)
    accuse(
      event,
      "\(timeline.writer(of: position)) wrote \(label), which \(reason); after a "
        + "power-off \(label) is missing",
      timeline.log.transactions[position].commit.name
    )
  }

  private mutating func compareData(_ event: Event, on timeline: Timeline) {
    guard case .data(let difference) = timeline.ledger.mismatch else { return }
    let last = timeline.log.transactions.last.map { "after #\($0.commit.name)" }
    let detail = difference.sentence(of: "the store", against: "the model")
    accuse(
      event,
      "after a power-off the data differ from those \(last ?? "before the first transaction"): \(detail)"
    )
  }

  private mutating func compare(
    _ held: [CommittedTransaction],
    _ event: Event,
    on timeline: Timeline
  ) {
    guard let (because, name) = HistoryExplainsData.fault(of: held, on: timeline) else { return }
    accuse(event, "after a power-off \(because)", name)
  }

  private mutating func accuse(
    _ event: Event,
    _ because: String,
    _ transaction: TransactionName? = nil
  ) {
    violation = Self.violation(at: event, because: because, transaction: transaction)
  }
}

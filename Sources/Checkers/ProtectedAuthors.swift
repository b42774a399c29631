import HistoryTypes
package import Traces

/// Purges keep the transactions of protected authors, and no consumer finds history expired.
///
/// Verifies: no purged transaction has an author that the plan protects, by name or by prefix; no
/// consumer is cut off, or notified that its history expired.
///
/// Does not verify: whether other members still need a transaction (PurgeSafety).
package struct ProtectedAuthors: Invariant {
  package static let name = "ProtectedAuthors"
  package static let sentence =
    "Purges keep the transactions of protected authors, and no consumer finds history expired."
  package private(set) var violation: Violation?
  private let names: [String]
  private let beginnings: [String]
  /// The position of the first protected transaction.
  private var first: Int?
  private var hasPurgedBeyondProtected = false

  package init(_ header: TraceHeader) {
    let authors = header.plan.header.protectedAuthors
    names = authors.filter { !$0.hasSuffix("*") }
    beginnings = authors.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.kind {
    case .committed(let transaction) where protects(transaction.author):
      first = min(first ?? .max, timeline.log.count)
    case .purged: purge(event, on: timeline)
    default: expire(event, on: timeline)
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasPurgedBeyondProtected
      ? .valid : .unknown("No transaction newer than a protected author's was purged.")
  }

  private mutating func expire(_ event: Event, on timeline: Timeline) {
    guard event.isExpiry || event.isLoss, let actor = timeline.actor,
      timeline.everyone[actor].status.isConsumer
    else { return }
    let bit = timeline.everyone[actor].bit
    let gone = timeline.log.statuses.indices.first { position in
      let status = timeline.log.statuses[position]
      return status.isPurged && status.unmerged.contains(bit)
    }
    let loss = gone.map { "\(timeline.label($0)) was purged and " } ?? ""
    let fate =
      event.isLoss ? "was cut off by a retention limit" : "got the error that its history expired"
    violation = Self.violation(
      at: event,
      because: "\(loss)the consumer \(event.who) \(fate): history is kept for consumers",
      transaction: gone.map { timeline.log.transactions[$0].commit.name }
    )
  }

  /// Returns whether the plan protects an author.
  func protects(_ author: String?) -> Bool {
    guard let author, !names.isEmpty || !beginnings.isEmpty else { return false }
    return names.contains(author) || beginnings.contains { author.hasPrefix($0) }
  }

  private mutating func purge(_ event: Event, on timeline: Timeline) {
    guard let first else { return }
    for position in timeline.named where position >= 0 {
      let transaction = timeline.log.transactions[position]
      hasPurgedBeyondProtected = hasPurgedBeyondProtected || position > first
      guard protects(transaction.commit.author) else { continue }
      violation = Self.violation(
        at: event,
        because: "\(event.who) purged \(timeline.label(position)), whose author "
          + "\(transaction.commit.author ?? "") is protected",
        transaction: transaction.commit.name
      )
      return
    }
  }
}

extension Event {
  /// Whether the event reports that a retention limit has cut off a member.
  fileprivate var isLoss: Bool { if case .lost = kind { true } else { false } }
}

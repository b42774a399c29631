import HistoryTypes
import Traces

/// The expected pages of consumers, computed from the transactions that were committed and purged.
///
/// A consumer process receives the matching transactions after its confirmed position, each once, in
/// commit order and with all changes. The next process receives unconfirmed transactions again. A
/// consumer may confirm a position only after it has received every matching transaction up to that
/// position. Pages are not checked while the outcome of a write or a purge is uncertain.
struct ConsumerReadings: Sendable {
  /// The `read` command in progress; `nil` during other commands, or if pages are not checked.
  private var current: CurrentReading?

  /// Processes the next event; returns why the event is wrong, or `nil` if it is right.
  mutating func fault(of event: Event, on timeline: Timeline) -> String? {
    if case .called(let command, let word) = event.kind {
      current = word == "read" ? CurrentReading(command, on: timeline) : nil
      return nil
    }
    guard current != nil else { return nil }
    guard !timeline.command.hasFault, let member = timeline.actor ?? timeline.command.actor else {
      current = nil
      return nil
    }
    return current?.fault(of: event, by: timeline.everyone[member], on: timeline)
  }
}

extension Timeline {
  /// Whether transactions may have been committed or purged without an event.
  var isHistoryUncertain: Bool {
    mayHoldUnreported || log.statuses.contains(where: \.mayBePurged)
  }
}

/// The state of one `read` command of a consumer.
private struct CurrentReading: Sendable {
  private let reading: PlannedReading
  /// The reading steps of the command that no event has shown yet.
  private var steps: ArraySlice<ReadingStep>
  /// The position through which the current process has received history.
  private var received: Int
  /// The number of pages that the consumer has received in this command.
  private var pageCount = 0
  /// Whether the consumer has received a page that `confirm` can confirm.
  private var hasPage = false
  /// Whether the consumer's first process in this `read` command has started.
  ///
  /// The command's steps `restart` and `retire` start further processes. The step `overtake` tries
  /// to start one while the first process runs. It succeeds only if the plan's store does not detect
  /// running processes (``PlannedLocks/none``).
  private var hasStarted = false
  /// The position through which the consumer must have confirmed history.
  ///
  /// The value follows from the steps of the `read` command up to the current event, such as
  /// `confirm`, and from pages without a match. It is -1 if none of them requires a confirmation.
  private var required = -1

  init?(_ command: Int?, on timeline: Timeline) {
    guard let command, timeline.plan.commands.indices.contains(command),
      case .read(let reading) = timeline.plan.commands[command].action,
      !timeline.isHistoryUncertain,
      let member = timeline.actor.map({ timeline.everyone[$0] }), member.status.isMember,
      !member.status.missesHistory, member.status.alternatives.isEmpty
    else { return nil }
    self.reading = reading
    steps = reading.steps[...]
    received = member.cursor ?? -1
  }

  private var hasSteps: Bool { !reading.steps.isEmpty }
  /// Whether the consumer's closure has thrown: then no further page may be received or confirmed.
  private var hasStopped: Bool { !hasSteps && pageCount == reading.stopsAt }

  mutating func fault(of event: Event, by member: Member, on timeline: Timeline) -> String? {
    switch event.kind {
    case .launched, .registered:
      return launch(member, isNew: event.kind.word == .registered, on: timeline)
    case .received(let page): return receive(page, member, on: timeline)
    case .consumed: return confirm(on: timeline)
    case .ended(_, .ok): return end(member, on: timeline)
    default: return nil
    }
  }

  private mutating func launch(
    _ member: Member,
    isNew: Bool,
    on timeline: Timeline
  ) -> String? {
    // A second process starts only if the first process holds no lock.
    let starts: Set<ReadingStep> =
      timeline.plan.header.locks == .none ? [.restart, .overtake, .retire] : [.restart, .retire]
    let step = hasStarted ? walk(through: starts, member) : nil
    hasStarted = true
    guard isNew == (step == .retire) else {
      return isNew ? "registered again, though it was a member" : "did not register again"
    }
    if let fault = unconfirmed(member, on: timeline) { return fault }
    let cursor = timeline.named.first ?? -1
    received = cursor
    hasPage = false
    let expected = isNew ? timeline.log.count - 1 : member.cursor ?? -1
    guard cursor != expected else { return nil }
    let place = isNew ? "the end is" : "it had confirmed"
    return "started at \(Self.label(cursor, timeline)), but \(place) "
      + Self.label(expected, timeline)
  }

  private mutating func receive(
    _ page: [CommittedTransaction],
    _ member: Member,
    on timeline: Timeline
  ) -> String? {
    if hasStopped { return "received a page after its closure had thrown" }
    walk(through: [.next], member)
    if let fault = unconfirmed(member, on: timeline) { return fault }
    let expected = matching(after: received, on: timeline).prefix(reading.page)
    if let fault = difference(page, expected, on: timeline) { return fault }
    hasPage = !expected.isEmpty
    pageCount += 1
    if let last = expected.last {
      received = last
    } else if received <= member.cursor ?? -1 {
      // A page without a match confirms history up to the newest transaction at once.
      required = timeline.log.count - 1
    }
    return nil
  }

  /// Applies the remaining steps of the `read` command, up to and including the first in `those`.
  ///
  /// `those` contains the steps that can cause the current event, so the first of them has caused
  /// it. If no remaining step is in `those`, all remaining steps are applied.
  ///
  /// - Returns: the step that caused the event; `nil` if no remaining step is in `those`.
  @discardableResult
  private mutating func walk(through those: Set<ReadingStep>, _ member: Member) -> ReadingStep? {
    while let step = steps.popFirst() {
      if those.contains(step) { return step }
      if step == .confirm, hasPage { required = received }
      if step == .startOver {
        received = member.cursor ?? -1
        hasPage = false
      }
    }
    return nil
  }

  private func difference(
    _ page: [CommittedTransaction],
    _ expected: ArraySlice<Int>,
    on timeline: Timeline
  ) -> String? {
    for (found, position) in zip(page, expected) {
      let commit = timeline.log.transactions[position].commit
      guard found.name == commit.name else {
        return "received #\(found.name) where #\(commit.name) is the next one"
      }
      let lines = [found, commit].map { QueryAnswer.line($0, with: $0.changes) }
      if lines[0] != lines[1] { return "received \"\(lines[0])\" instead of \"\(lines[1])\"" }
    }
    if page.count < expected.count {
      return "did not receive \(timeline.label(expected[expected.startIndex + page.count]))"
    }
    return page.count > expected.count
      ? "received #\(page[expected.count].name), which is not on the page" : nil
  }

  /// Returns the positions of the transactions after `position` that the consumer must receive.
  private func matching(after position: Int, on timeline: Timeline) -> [Int] {
    timeline.log.statuses.indices.dropFirst(position + 1).filter { position in
      guard !timeline.log.statuses[position].isPurged else { return false }
      let commit = timeline.log.transactions[position].commit
      if let author = reading.author, commit.author != author { return false }
      guard let entity = reading.entity else { return true }
      return commit.changes.contains { $0.object.entity == entity }
    }
  }

  private func confirm(on timeline: Timeline) -> String? {
    guard let last = timeline.named.last else { return nil }
    if let skipped = matching(after: received, on: timeline).first(where: { $0 <= last }) {
      return "confirmed \(timeline.label(skipped)) and had not received it"
    }
    if hasStopped, last >= received {
      return "confirmed \(timeline.label(received)), at which its closure threw"
    }
    return nil
  }

  /// Returns a clause about a missing confirmation; `nil` if no confirmation is missing.
  private func unconfirmed(_ member: Member, on timeline: Timeline) -> String? {
    guard member.cursor ?? -1 < required else { return nil }
    return "did not confirm \(timeline.label(required))"
  }

  private mutating func end(_ member: Member, on timeline: Timeline) -> String? {
    if hasSteps {
      walk(through: [], member)
      return unconfirmed(member, on: timeline)
    }
    guard !hasStopped else { return nil }
    if let missing = matching(after: received, on: timeline).first {
      return "ended without receiving \(timeline.label(missing))"
    }
    let last = timeline.log.count - 1
    guard last >= 0, member.cursor ?? -1 != last else { return nil }
    return "ended without confirming \(timeline.label(last))"
  }

  private static func label(_ position: Int, _ timeline: Timeline) -> String {
    position < 0 ? "the beginning" : timeline.label(position)
  }
}

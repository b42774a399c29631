internal import HistoryTypes

/// Joins the traces of several real processes into one, ordered by the events' time intervals.
///
/// Commits are ordered by their transaction numbers. An event is placed before all events that
/// started after its end. Where the intervals of events overlap, the join chooses the order that is
/// least likely to show a violation: merges, recordings of cursors and retirements are placed at
/// their earliest time, purges at their latest, and a transaction before every event that names it. A
/// violation in the joined trace therefore exists in every order that the intervals allow.
/// ``ambiguousCount`` counts the purges that would have violated an invariant in another possible
/// order.
///
/// Each thread of a process has a trace. The traces of different threads are read in parallel, with
/// one group of events per thread in memory: the events of one command, or one event outside of
/// commands.
///
/// - Complexity: linear in the events and in the number of threads.
package struct TraceJoin {
  /// The number of ambiguous purges.
  ///
  /// A purge is ambiguous if it deletes transactions that another member recorded as merged, and the
  /// time intervals of the purge and of the record overlap. A purge before the record would have
  /// been a violation.
  package private(set) var ambiguousCount = 0
  /// The number of transaction numbers that no process logged.
  package private(set) var unreportedCount = 0
  /// The last transaction number that was logged.
  package private(set) var lastNumber: Int64 = 0

  private var sources: [TraceSource]
  private var heads: [TraceGroup?]
  private var ambiguities = AmbiguousPurges()
  private var commandCount = 0
  private var eventCount = 0
  private let origin: Int64

  /// Starts the join, and reads the first group of events of each source.
  ///
  /// `origin` is the time, in nanoseconds of the monotonic clock, from which ticks (milliseconds)
  /// are counted.
  ///
  /// - Throws: ``FormatError`` if a file cannot be read.
  package init(_ sources: [TraceSource], origin: Int64) throws(FormatError) {
    self.sources = sources
    self.origin = origin
    heads = []
    for index in sources.indices { heads.append(try self.sources[index].next()) }
  }

  /// The number of writes that did not report their outcome, but whose outcome the store shows.
  package var reconciledCount: Int { sources.reduce(0) { $0 + $1.reconciledCount } }
  /// The number of writes whose outcome remains unknown.
  package var openCount: Int { sources.reduce(0) { $0 + $1.openCount } }

  /// One group of events at its position in the joined trace.
  package struct Step: Sendable {
    /// The command to append to the plan; `nil` unless the events are those of a write.
    package var command: Command?
    /// The events, with consecutive positions.
    package var events: [Event]
    /// The time bounds of the events, in nanoseconds of the monotonic clock.
    package var mono: ClosedRange<Int64>
  }

  /// Returns the next group of events in the joined order; `nil` at the end.
  ///
  /// - Throws: ``FormatError`` if a file cannot be read.
  package mutating func next() throws(FormatError) -> Step? {
    guard let index = choose(), let group = heads[index] else { return nil }
    heads[index] = try sources[index].next()
    if let number = group.committed, number > lastNumber {
      unreportedCount += Int(number - lastNumber) - 1
      lastNumber = number
    }
    ambiguousCount += ambiguities.take(group) ? 1 : 0
    return step(group)
  }

  /// Returns the index of the source whose next group comes first in the joined trace; `nil` at the end.
  ///
  /// A source has the traces of one thread. A group has the events of one command, or one event
  /// outside of commands.
  private func choose() -> Int? {
    guard let first = earliest(of: heads.indices, { _ in true }), let waiting = heads[first]
    else { return nil }
    if isReady(waiting) { return first }
    // The earliest group must wait for commits, which started before the group ended. If no such
    // commit is left, the group is placed now.
    let limit = waiting.end
    return earliest(of: heads.indices) { isReady($0) && $0.place <= limit } ?? first
  }

  private func earliest(of indices: Range<Int>, _ isWanted: (TraceGroup) -> Bool) -> Int? {
    var found: Int?
    var place = Int64.max
    for index in indices {
      guard let head = heads[index], isWanted(head), found == nil || head.place < place else {
        continue
      }
      found = index
      place = head.place
    }
    return found
  }

  /// Returns whether the joined trace already has all commits that must precede a group of events.
  private func isReady(_ group: TraceGroup) -> Bool {
    if let number = group.committed { return number <= lastNumber + 1 }
    return group.mentioned <= lastNumber
  }

  // MARK: Steps

  private mutating func step(_ group: TraceGroup) -> Step {
    let mono = group.place...max(group.place, group.end == .max ? group.place : group.end)
    var step = Step(events: [], mono: mono)
    guard let word = group.word, let outcome = group.outcome else {
      for timed in group.events { add(timed.event.actor, timed.event.kind, &step) }
      return step
    }
    var position: Int?
    if let given = group.given, given.action.isWrite {
      step.command = given.naming(group.events)
      position = commandCount
      commandCount += 1
    }
    add(group.actor, .called(command: position, word: word), &step)
    if group.isCut { add(group.actor, .ended(command: position, outcome), &step) }
    // A killed process's command may have taken effect on disk. Its purge counts as done, because
    // the next purge repeats it; its recorded cursor appears in the process's next launch.
    for timed in group.events where !group.isCut || timed.event.kind.word == .purged {
      add(timed.event.actor, timed.event.kind, &step)
    }
    if !group.isCut { add(group.actor, .ended(command: position, outcome), &step) }
    return step
  }

  private mutating func add(_ actor: ActorID?, _ kind: EventKind, _ step: inout Step) {
    let tick = Int(max(0, step.mono.lowerBound - origin) / 1_000_000)
    step.events.append(Event(at: eventCount, tick: tick, actor: actor, kind))
    eventCount += 1
  }
}

extension TraceGroup {
  /// The time that determines the order of this group of events in the joined trace.
  ///
  /// For a purge it is the latest possible time of the purge, otherwise the start of the group.
  fileprivate var place: Int64 {
    guard let last = events.last, last.event.kind.word == .purged else { return start }
    return max(start, last.mono.upperBound)
  }
}

extension Command {
  /// Returns the command with the object names that the store assigned to new objects.
  ///
  /// Objects with negative keys are new objects, whose names were unknown before the commit.
  fileprivate func naming(_ events: [TimedEvent]) -> Command {
    guard case .write(var write) = action, write.changes.contains(where: { $0.object.key < 0 })
    else { return self }
    for event in events {
      guard case .committed(let reported) = event.event.kind else { continue }
      for (index, change) in reported.changes.enumerated() where index < write.changes.count {
        write.changes[index].object = change.object
      }
    }
    return Command(.write(write), faults: faults)
  }
}

/// Finds the purges that ``TraceJoin/ambiguousCount`` counts.
private struct AmbiguousPurges {
  /// For each member, its last recorded cursor, the time interval in which it recorded this cursor,
  /// and its previous cursor.
  private var records: [ActorID: (cursor: Int64, mono: ClosedRange<Int64>, before: Int64)] = [:]

  /// Adds a group of events, and returns whether the group contains an ambiguous purge.
  ///
  /// ``TraceJoin/ambiguousCount`` states which purges are ambiguous.
  mutating func take(_ group: TraceGroup) -> Bool {
    var isUncertain = false
    for timed in group.events {
      switch timed.event.kind {
      case .recorded(let cursor?): note(group.actor, Int64(cursor) ?? 0, timed.mono)
      case .purged: isUncertain = isUncertain || overlaps(timed, group.actor)
      case .retired: if let actor = group.actor { records[actor] = nil }
      default: break
      }
    }
    return isUncertain
  }

  private mutating func note(_ actor: ActorID?, _ cursor: Int64, _ mono: ClosedRange<Int64>) {
    guard let actor else { return }
    records[actor] = (cursor, mono, records[actor]?.cursor ?? 0)
  }

  private func overlaps(_ purge: TimedEvent, _ purger: ActorID?) -> Bool {
    guard case .purged(let names) = purge.event.kind,
      let last = names.last.flatMap({ Int64($0) })
    else { return false }
    return records.contains { actor, record in
      actor != purger && record.before < last && record.mono.overlaps(purge.mono)
    }
  }
}

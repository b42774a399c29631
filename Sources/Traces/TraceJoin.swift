internal import PersistentHistory

/// Joins the traces of several real processes into one, by the intervals in which things happened.
///
/// Commits come in the order of their numbers. Of what happened in two processes, that comes first
/// which certainly ended before the other began; where intervals overlap, the order is the one that
/// accuses nobody: what is merged, recorded or left comes at its earliest moment, what is purged at its
/// latest, and a transaction comes before whatever names it. So whatever the checkers find in the one
/// trace was so in every order that the intervals allow; ``doubtCount`` tells at how many points another
/// order was possible that they would have found something in.
///
/// It reads all lanes side by side, and keeps one group of each.
///
/// - Complexity: linear in the events and in the lanes.
package struct TraceJoin {
  /// How often nobody can say whether a purge came before a record that it had to wait for.
  package private(set) var doubtCount = 0
  /// How many numbers no process has told of.
  package private(set) var untoldCount = 0
  /// The last number that was told.
  package private(set) var lastNumber: Int64 = 0

  private var lanes: [TraceLane]
  private var heads: [TraceGroup?]
  private var doubts = PurgeDoubts()
  private var commandCount = 0
  private var eventCount = 0
  private let origin: Int64

  /// Begins to join; the origin is the moment that ticks, of a millisecond each, are counted from.
  ///
  /// - Throws: ``FormatError`` when a file cannot be read.
  package init(_ lanes: [TraceLane], origin: Int64) throws(FormatError) {
    self.lanes = lanes
    self.origin = origin
    heads = []
    for index in lanes.indices { heads.append(try self.lanes[index].next()) }
  }

  /// How many writes of unknown outcome the store has settled.
  package var settledCount: Int { lanes.reduce(0) { $0 + $1.settledCount } }
  /// How many it has not.
  package var openCount: Int { lanes.reduce(0) { $0 + $1.openCount } }

  /// One group in its place of the joined trace.
  package struct Step: Sendable {
    /// The command that the plan goes on with, if the group is a write.
    package var command: Command?
    /// What happened, numbered through.
    package var events: [Event]
    /// When it happened.
    package var mono: ClosedRange<Int64>
  }

  /// The next group with its events, or nothing at the end.
  ///
  /// - Throws: ``FormatError`` when a file cannot be read.
  package mutating func next() throws(FormatError) -> Step? {
    guard let index = choose(), let group = heads[index] else { return nil }
    heads[index] = try lanes[index].next()
    if let number = group.committed, number > lastNumber {
      untoldCount += Int(number - lastNumber) - 1
      lastNumber = number
    }
    doubtCount += doubts.take(group) ? 1 : 0
    return step(group)
  }

  /// The lane whose head comes next: the earliest that nothing else must come before.
  private func choose() -> Int? {
    guard let first = earliest(of: heads.indices, { _ in true }), let waiting = heads[first]
    else { return nil }
    if isReady(waiting) { return first }
    // What it waits for began before its own end; without that it goes on alone.
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

  /// Whether all commits are told that must come before.
  private func isReady(_ group: TraceGroup) -> Bool {
    if let number = group.committed { return number <= lastNumber + 1 }
    return group.mentioned <= lastNumber
  }

  // MARK: Steps

  private mutating func step(_ group: TraceGroup) -> Step {
    let mono = group.place...max(group.place, group.end == .max ? group.place : group.end)
    var step = Step(events: [], mono: mono)
    guard let word = group.word, let outcome = group.outcome else {
      for timed in group.events { add(timed.event.actor, timed.event.happening, &step) }
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
    // What was cut may be on disk. A purge counts as made, since the next one makes it anyway; how far
    // the process has recorded is told by its next launch.
    for timed in group.events where !group.isCut || timed.event.happening.word == .purged {
      add(timed.event.actor, timed.event.happening, &step)
    }
    if !group.isCut { add(group.actor, .ended(command: position, outcome), &step) }
    return step
  }

  private mutating func add(_ actor: ActorID?, _ happening: Happening, _ step: inout Step) {
    let tick = Int(max(0, step.mono.lowerBound - origin) / 1_000_000)
    step.events.append(Event(at: eventCount, tick: tick, actor: actor, happening))
    eventCount += 1
  }
}

extension TraceGroup {
  /// Where it stands in the joined trace: a purge at its latest moment, everything else at its earliest.
  fileprivate var place: Int64 {
    guard let last = events.last, last.event.happening.word == .purged else { return start }
    return max(start, last.mono.upperBound)
  }
}

extension Command {
  /// The same with the names that the store has given to new objects, where the command could not know
  /// them.
  fileprivate func naming(_ events: [TimedEvent]) -> Command {
    guard case .write(var write) = action, write.changes.contains(where: { $0.object.key < 0 })
    else { return self }
    for event in events {
      guard case .committed(let told) = event.event.happening else { continue }
      for (index, change) in told.changes.enumerated() where index < write.changes.count {
        write.changes[index].object = change.object
      }
    }
    return Command(.write(write), faults: faults)
  }
}

/// Finds purges that overlap with a record that they had to wait for.
private struct PurgeDoubts {
  /// The last cursor of each member, when it may have been recorded, and the one before.
  private var records: [ActorID: (cursor: Int64, mono: ClosedRange<Int64>, before: Int64)] = [:]

  /// Takes a group in, and answers whether it holds such a purge.
  mutating func take(_ group: TraceGroup) -> Bool {
    var isDoubtful = false
    for timed in group.events {
      switch timed.event.happening {
      case .recorded(let cursor?): note(group.actor, Int64(cursor) ?? 0, timed.mono)
      case .purged: isDoubtful = isDoubtful || overlaps(timed, group.actor)
      case .retired: if let actor = group.actor { records[actor] = nil }
      default: break
      }
    }
    return isDoubtful
  }

  private mutating func note(_ actor: ActorID?, _ cursor: Int64, _ mono: ClosedRange<Int64>) {
    guard let actor else { return }
    records[actor] = (cursor, mono, records[actor]?.cursor ?? 0)
  }

  private func overlaps(_ purge: TimedEvent, _ purger: ActorID?) -> Bool {
    guard case .purged(let names) = purge.event.happening,
      let last = names.last.flatMap({ Int64($0) })
    else { return false }
    return records.contains { actor, record in
      actor != purger && record.before < last && record.mono.overlaps(purge.mono)
    }
  }
}

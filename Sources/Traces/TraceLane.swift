internal import PersistentHistory

/// One life of one thread of a real process: its trace, and what others know of its end.
package struct TraceLife: Sendable {
  /// The file that it wrote.
  package var path: String
  /// What the store says of the write whose outcome it did not tell.
  package var settlement: Settlement
  /// By when it was dead, if it was killed.
  package var diedAt: Int64?

  package init(path: String, settlement: Settlement = .open, diedAt: Int64? = nil) {
    self.path = path
    self.settlement = settlement
    self.diedAt = diedAt
  }

  /// What the store says of a write of unknown outcome.
  package enum Settlement: Hashable, Sendable {
    /// Nobody can tell, or there is no such write.
    case open
    /// It took effect.
    case committed(CommittedTransaction)
    /// It took none.
    case nothing
  }
}

/// The traces of one thread of one actor, life after life, as the groups that they are made of.
package struct TraceLane {
  private let header: PlanHeader
  private var rest: ArraySlice<TraceLife>
  private var life: TraceLife?
  private var trace: LifeTrace?
  /// How many writes of unknown outcome the store has settled, and how many it has not.
  package private(set) var settledCount = 0
  package private(set) var openCount = 0

  package init(_ lives: [TraceLife], _ header: PlanHeader) {
    self.header = header
    rest = lives[...]
  }

  /// The next group, or nothing when all lives are over.
  ///
  /// - Throws: ``FormatError`` when a file cannot be read.
  mutating func next() throws(FormatError) -> TraceGroup? {
    while true {
      if let event = try trace?.next() {
        var group = TraceGroup(event)
        guard group.word != nil else { return group }
        while let event = try trace?.next() {
          if group.take(event) { return group }
        }
        return settle(group)
      }
      guard let life = rest.popFirst() else { return nil }
      self.life = life
      // One that was killed at once has none.
      trace = LifeTrace.isThere(life.path) ? try LifeTrace(life.path, header) : nil
    }
  }

  /// Ends a command in the middle of which the process was killed.
  private mutating func settle(_ group: TraceGroup) -> TraceGroup {
    var group = group
    group.end = life?.diedAt ?? .max
    guard group.given?.action.isWrite == true, group.events.isEmpty else { return group }
    switch life?.settlement {
    case .committed(let transaction):
      settledCount += 1
      let event = Event(at: 0, tick: 0, actor: group.actor, .committed(transaction))
      group.events = [TimedEvent(event, mono: group.start...max(group.start, group.end))]
      group.outcome = .ok
    case .nothing:
      settledCount += 1
      group.outcome = .failed(TraceGroup.killed)
      group.start = group.end == .max ? group.start : group.end
    case .open, nil: openCount += 1
    }
    return group
  }
}

extension Action {
  /// Whether it writes data.
  package var isWrite: Bool {
    switch self {
    case .write, .batch: true
    default: false
    }
  }
}

internal import HistoryTypes

/// One life of one thread of a real process: its trace file and how it ended.
package struct TraceLife: Sendable {
  /// The path of its trace file.
  package var path: String
  /// The outcome, according to the store, of the write that it did not report.
  package var cutOff: CutOff
  /// The latest time of its death in nanoseconds of the monotonic clock, if it was killed.
  package var diedAt: Int64?

  package init(path: String, cutOff: CutOff = .open, diedAt: Int64? = nil) {
    self.path = path
    self.cutOff = cutOff
    self.diedAt = diedAt
  }

  /// The outcome of a write, according to the store.
  package enum CutOff: Hashable, Sendable {
    /// The outcome is unknown, or no such write exists.
    case open
    /// The write took effect.
    case committed(CommittedTransaction)
    /// The write had no effect.
    case nothing
  }
}

/// The traces of one thread of one actor, life after life, divided into groups.
package struct TraceSource {
  private let header: PlanHeader
  private var rest: ArraySlice<TraceLife>
  private var life: TraceLife?
  private var trace: LifeTrace?
  /// The numbers of writes with unknown outcome that the store reconciled, and that remain unknown.
  package private(set) var reconciledCount = 0
  package private(set) var openCount = 0

  package init(_ lives: [TraceLife], _ header: PlanHeader) {
    self.header = header
    rest = lives[...]
  }

  /// Returns the next group, or `nil` after the last life.
  ///
  /// - Throws: ``FormatError`` if a file cannot be read.
  mutating func next() throws(FormatError) -> TraceGroup? {
    while true {
      if let event = try trace?.next() {
        var group = TraceGroup(event)
        guard group.word != nil else { return group }
        while let event = try trace?.next() {
          if group.take(event) { return group }
        }
        return reconcile(group)
      }
      guard let life = rest.popFirst() else { return nil }
      self.life = life
      // A process that was killed immediately has no trace.
      trace = LifeTrace.isThere(life.path) ? try LifeTrace(life.path, header) : nil
    }
  }

  /// Completes a command during which the process was killed.
  private mutating func reconcile(_ group: TraceGroup) -> TraceGroup {
    var group = group
    group.end = life?.diedAt ?? .max
    guard group.given?.action.isWrite == true, group.events.isEmpty else { return group }
    switch life?.cutOff {
    case .committed(let transaction):
      reconciledCount += 1
      let event = Event(at: 0, tick: 0, actor: group.actor, .committed(transaction))
      group.events = [TimedEvent(event, mono: group.start...max(group.start, group.end))]
      group.outcome = .ok
    case .nothing:
      reconciledCount += 1
      group.outcome = .failed(TraceGroup.killed)
      group.start = group.end == .max ? group.start : group.end
    case .open, nil: openCount += 1
    }
    return group
  }
}

extension Action {
  /// Whether the action is a write or a batch.
  package var isWrite: Bool {
    switch self {
    case .write, .batch: true
    default: false
    }
  }
}

import HistoryTypes

@testable import Traces

/// Random traces: every word of the format occurs, with every key present and absent.
extension RandomPlan {
  mutating func name() -> TransactionName { pick(["1", "2", "17", "a b", ""]) }

  mutating func objects() -> Objects {
    var objects: Objects = [:]
    let pairs = list(0...4) { plan in
      let object = plan.object()
      return (object, plan.values(of: object.entity))
    }
    for (object, values) in pairs { objects[object] = values }
    return objects
  }

  mutating func transaction() -> CommittedTransaction {
    let changes = list(0...3) { plan in
      let object = plan.object()
      let columns = Array(plan.values(of: object.entity).keys)
      return CommittedChange(
        plan.pick(ChangeType.allCases),
        object,
        columns: columns,
        values: plan.values(of: object.entity),
        tombstone: plan.some { $0.values(of: object.entity) }
      )
    }
    return CommittedTransaction(
      name: name(),
      author: some { $0.text() },
      context: some { $0.text() },
      writer: some { $0.text() },
      timestamp: number(),
      changes: changes
    )
  }

  mutating func outcome() -> Outcome {
    let failure = SystemFailure(pick(SystemFailure.Code.allCases), text())
    return pick([.ok, .failed(failure), .unknown(failure)])
  }

  mutating func report() -> LiveReport {
    LiveReport(
      list: pick([1, 12]),
      rows: list(0...3) { plan in
        let object = plan.object()
        let key = plan.pick([Int64.max, 1, 0, -7])
        return ListedRow(object, key: key, plan.values(of: object.entity))
      },
      removed: list(0...2) { $0.pick([0, 3]) },
      inserted: list(0...2) { $0.pick([0, 3]) },
      updated: list(0...2) { $0.object() },
      failure: some { $0.text() }
    )
  }

  mutating func position() -> Int? { some { $0.pick([0, 20]) } }

  /// Returns an event with a word; the switch fails to compile if a word is missing.
  ///
  /// The words of events fail to compile if an event is missing.
  mutating func kind(_ word: EventWord) -> EventKind {
    switch word {
    case .called: .called(command: position(), word: pick(CommandWord.allCases).rawValue)
    case .ended: .ended(command: position(), outcome())
    case .skipped: .skipped(command: position(), because: text())
    case .registered: .registered(cursor: some { $0.name() })
    case .launched: .launched(cursor: some { $0.name() })
    case .stopped: .stopped
    case .crashed: .crashed
    case .retired: .retired
    case .suspended: .suspended
    case .resumed: .resumed
    case .locks: .locks(held: list(0...3) { $0.text() })
    case .committed: .committed(transaction())
    case .wroteNothing: .wroteNothing
    case .fetched: .fetched(list(0...3) { $0.name() })
    case .observed: .observed(list(0...3) { $0.name() })
    case .merged: .merged(list(0...3) { $0.name() })
    case .finished: .finished(list(0...3) { $0.name() })
    case .recorded: .recorded(cursor: some { $0.name() })
    case .received: .received(list(0...3) { $0.transaction() })
    case .consumed: .consumed(list(0...3) { $0.name() })
    case .purged: .purged(list(0...3) { $0.name() })
    case .lost: .lost
    case .expired: .expired
    case .rewound: .rewound
    case .resynced: .resynced(cursor: some { $0.name() })
    case .viewed: .viewed(context: pick(["view", "background"]), objects())
    case .data: .data(objects())
    case .history: .history(list(0...3) { $0.transaction() })
    case .passed: .passed(through: some { $0.name() })
    case .answered:
      .answered(
        QueryAnswer(head: some { $0.name() }, now: number(), lines: list(0...3) { $0.text() })
      )
    case .listed: .listed(report())
    case .signalled: .signalled
    case .woke: .woke
    case .damaged: .damaged(because: text())
    case .recovered: .recovered(through: some { $0.name() })
    case .fault: .fault(fault())
    case .clock: .clock(now: number())
    }
  }

  /// A trace with every word of the format.
  mutating func trace() throws -> Trace {
    let versions = ["lab": "1.0", "swift": "6.3", "ü": text()]
    let header = TraceHeader(
      plan: try plan(),
      system: "tracker",
      versions: chance() ? versions : [:]
    )
    let events = shuffled(EventWord.allCases).enumerated().map { item in
      let actor = some { $0.pick([$0.member(), "mirror"]) }
      return Event(at: item.offset, tick: item.offset / 2, actor: actor, kind(item.element))
    }
    return Trace(header: header, events: events)
  }

  mutating func counterexample() throws -> Counterexample {
    let violation = Violation(
      checker: "PurgeSafety",
      at: 3,
      because: text(),
      transaction: some { $0.name() }
    )
    return Counterexample(trace: try trace(), violation: violation)
  }
}

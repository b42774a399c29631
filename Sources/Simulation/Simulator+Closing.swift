import HistoryTypes
import Systems
import Traces

/// The closing passes and reads: those that follow the plan's last command.
extension Simulator {
  /// Runs the closing passes and reads after a plan's last command.
  ///
  /// In a round, each running actor makes a pass. The passes end when `quietRounds` rounds in
  /// succession have had no effect. If `quietRounds` is 0, they end earlier: as soon as each
  /// actor's last pass had no effect, even in the middle of a round. The number of rounds is
  /// limited.
  func conclude(
    _ header: PlanHeader,
    after commandCount: Int,
    quietRounds: Int = 2,
    _ observe: (Event) -> Bool
  ) {
    for actor in life.suspended.sorted() where !isStopped {
      perform(.resume(actor), command: nil, observe)
    }
    if post != nil { reconcile(observe) }
    let roundCountMax = max(Self.closingRoundCountMax, header.pageCountMax(commandCount) + 2)
    if !isStopped { close(header, quietRounds, roundCountMax, observe) }
  }

  /// The maximum number of rounds of passes; `conclude` raises it if history may have more pages.
  private static let closingRoundCountMax = 8

  /// Makes the running actors' closing passes, then reads their contexts, and the data and history.
  ///
  /// After the passes, each consumer (a reader of history without contexts) reads history once. A
  /// pass consists of the commands fetch, merge and record, which do not purge. Systems that lack
  /// these commands make a whole pass, which may purge.
  private func close(
    _ header: PlanHeader,
    _ quietRounds: Int,
    _ roundCountMax: Int,
    _ observe: (Event) -> Bool
  ) {
    system.recover()
    if quietRounds > 0 {
      passRounds(header, quietRounds, roundCountMax, observe)
    } else {
      passInTurn(roundCountMax, observe)
    }
    for consumer in life.consuming where !isStopped {
      let before = log.events.count
      perform(.consume(consumer), command: nil, observe)
      resyncIfLost(consumer, since: before, observe)
    }
    for actor in life.running {
      for context in header.actor(actor)?.contextNames ?? [] {
        perform(.view(actor, context: context), command: nil, observe)
      }
    }
    perform(.data, command: nil, observe)
    if capabilities.contains(.history) { perform(.history, command: nil, observe) }
  }

  /// Makes rounds of passes until `quietRounds` rounds in succession have had no effect.
  private func passRounds(
    _ header: PlanHeader,
    _ quietRounds: Int,
    _ roundCountMax: Int,
    _ observe: (Event) -> Bool
  ) {
    var quiet = 0
    // A pass over a page of unrelated transactions changes only the cursor, so a changed cursor counts as
    // a change.
    var cursors: [EventKind] = []
    for _ in 0..<roundCountMax where quiet < quietRounds && !isStopped {
      let before = log.events.count
      for actor in life.running { closingPass(actor, observe) }
      let round = log.events[before...]
      let records = header.hasPages ? round.map(\.kind).filter(\.isRecord) : []
      quiet = round.contains(where: \.isProgress) || records != cursors ? 0 : quiet + 1
      cursors = records
    }
  }

  /// Lets the running actors make passes in turn until one pass of each has had no effect.
  private func passInTurn(_ roundCountMax: Int, _ observe: (Event) -> Bool) {
    var quiet = 0
    for _ in 0..<roundCountMax {
      let actors = life.running
      for actor in actors where quiet < actors.count && !isStopped {
        let before = log.events.count
        closingPass(actor, observe)
        quiet = log.events[before...].contains(where: \.isProgress) ? 0 : quiet + 1
      }
      if quiet >= actors.count || isStopped { return }
    }
  }

  private func closingPass(_ actor: ActorID, _ observe: (Event) -> Bool) {
    let before = log.events.count
    let steps =
      capabilities.contains(.steps)
      ? [Action.fetch(actor), .merge(actor), .record(actor)] : [.pass(actor)]
    for action in steps where !isStopped {
      perform(action, command: nil, observe)
    }
    resyncIfLost(actor, since: before, observe)
    relaunchIfSuperseded(actor, since: before, observe)
  }

  /// Resyncs a member if an event says that history which the member needs is gone or was replaced.
  private func resyncIfLost(_ member: ActorID, since before: Int, _ observe: (Event) -> Bool) {
    let isLost = log.events[before...].contains {
      switch $0.kind {
      case .expired, .rewound: true
      default: false
      }
    }
    if isLost, capabilities.contains(.resync), !isStopped {
      perform(.resync(member), command: nil, observe)
    }
  }

  /// Launches an actor again if another process superseded its process and then failed to start.
  private func relaunchIfSuperseded(_ actor: ActorID, since before: Int, _ observe: (Event) -> Bool)
  {
    let isSuperseded = log.events[before...].contains {
      if case .ended(_, .failed(let failure)) = $0.kind {
        failure.code == .superseded
      } else {
        false
      }
    }
    if isSuperseded, life.isOvertaken(actor), !isStopped {
      perform(.launch(actor), command: nil, observe)
    }
  }
}

extension PlanHeader {
  /// Whether any actor has a page size for its fetches.
  fileprivate var hasPages: Bool { actors.contains { $0.page != nil } }

  /// Returns the maximum number of pages of the plan's history; 1 if no actor has a page size.
  fileprivate func pageCountMax(_ commandCount: Int) -> Int {
    actors.compactMap(\.page).min().map { (commandCount + $0 - 1) / $0 } ?? 1
  }
}

extension EventKind {
  /// Whether the event reports a recorded cursor.
  fileprivate var isRecord: Bool { if case .recorded = self { true } else { false } }
}

extension Event {
  /// Whether the event shows a change: transactions fetched or merged, lost history, a resync, a launch.
  fileprivate var isProgress: Bool {
    switch kind {
    case .merged(let transactions), .fetched(let transactions): !transactions.isEmpty
    case .expired, .rewound, .resynced, .launched, .registered: true
    default: false
    }
  }
}

import PersistentHistory
import Systems
import Traces

/// The closing phase: what a run asks everyone after the plan's last command.
extension Simulator {
  /// Runs what comes after a plan's last command.
  ///
  /// Passes are repeated until so many rounds have changed nothing; with none, until everyone has passed
  /// in turn and changed nothing.
  func conclude(
    _ header: PlanHeader,
    after commandCount: Int,
    quietRounds: Int = 2,
    _ observe: (Event) -> Bool
  ) {
    if post != nil { settle(observe) }
    let roundCountMax = max(Self.closingRoundCountMax, header.pageCountMax(commandCount) + 2)
    if !isStopped { close(header, quietRounds, roundCountMax, observe) }
  }

  /// How many rounds of passes the closing phase takes at most, unless somebody merges few transactions
  /// in each.
  private static let closingRoundCountMax = 8

  /// Repeats fetch, merge, record for every running actor until some rounds change nothing.
  ///
  /// Then it reads views, data and history. It never purges, unless the system has no steps and does so
  /// in a whole pass.
  private func close(
    _ header: PlanHeader,
    _ quietRounds: Int,
    _ roundCountMax: Int,
    _ observe: (Event) -> Bool
  ) {
    system.heal()
    if quietRounds > 0 {
      passRounds(header, quietRounds, roundCountMax, observe)
    } else {
      passInTurn(roundCountMax, observe)
    }
    for consumer in life.consuming where !isStopped {
      let before = log.events.count
      perform(.consume(consumer), command: nil, observe)
      resyncIfTold(consumer, since: before, observe)
    }
    for actor in life.running {
      for context in header.actor(actor)?.contextNames ?? [] {
        perform(.view(actor, context: context), command: nil, observe)
      }
    }
    perform(.data, command: nil, observe)
    if capabilities.contains(.history) { perform(.history, command: nil, observe) }
  }

  /// Lets everyone pass until so many rounds have changed nothing.
  private func passRounds(
    _ header: PlanHeader,
    _ quietRounds: Int,
    _ roundCountMax: Int,
    _ observe: (Event) -> Bool
  ) {
    var quiet = 0
    // A page in which nothing concerns its reader moves no more than the cursor.
    var cursors: [Happening] = []
    for _ in 0..<roundCountMax where quiet < quietRounds && !isStopped {
      let before = log.events.count
      for actor in life.running { closingPass(actor, observe) }
      let round = log.events[before...]
      let records = header.hasPages ? round.map(\.happening).filter(\.isRecord) : []
      quiet = round.contains(where: \.isProgress) || records != cursors ? 0 : quiet + 1
      cursors = records
    }
  }

  /// Lets everyone pass in turn until each has changed nothing since anyone did.
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
    resyncIfTold(actor, since: before, observe)
    relaunchIfTold(actor, since: before, observe)
  }

  /// A member that was told that its history is gone reads everything anew.
  private func resyncIfTold(_ member: ActorID, since before: Int, _ observe: (Event) -> Bool) {
    let wasToldSo = log.events[before...].contains {
      switch $0.happening {
      case .expired, .rewound: true
      default: false
      }
    }
    if wasToldSo, capabilities.contains(.resync), !isStopped {
      perform(.resync(member), command: nil, observe)
    }
  }

  /// A process that was told that another has taken over, which then failed to start, is launched again.
  private func relaunchIfTold(_ actor: ActorID, since before: Int, _ observe: (Event) -> Bool) {
    let wasToldSo = log.events[before...].contains {
      if case .ended(_, .failed(let failure)) = $0.happening {
        failure.code == .superseded
      } else {
        false
      }
    }
    if wasToldSo, life.isOvertaken(actor), !isStopped {
      perform(.launch(actor), command: nil, observe)
    }
  }
}

extension PlanHeader {
  /// Whether anybody fetches less than everything at a time.
  fileprivate var hasPages: Bool { actors.contains { $0.page != nil } }

  /// How many pages the history of the plan takes at most, where somebody has small ones.
  fileprivate func pageCountMax(_ commandCount: Int) -> Int {
    actors.compactMap(\.page).min().map { (commandCount + $0 - 1) / $0 } ?? 1
  }
}

extension Happening {
  /// Whether somebody has told how far it has recorded.
  fileprivate var isRecord: Bool { if case .recorded = self { true } else { false } }
}

extension Event {
  /// Whether it is more than a look: something was merged, recorded anew or lost.
  fileprivate var isProgress: Bool {
    switch happening {
    case .merged(let transactions), .fetched(let transactions): !transactions.isEmpty
    case .expired, .rewound, .resynced, .launched, .registered: true
    default: false
    }
  }
}

import HistoryTypes
package import Traces

/// All plans under one condition: their headers, and the commands that are possible at each point.
///
/// Under every condition, actors insert an object, update or delete the newest object through their
/// view, make a pass, and purge. Each condition adds its own commands. Only legal commands are
/// offered: for example, only a running actor can stop, and only an actor that has fetched can
/// merge.
package struct PlanAlphabet: Sendable {
  /// The condition that the plans may contain.
  package let condition: Condition
  /// The headers of the plans.
  ///
  /// A condition that varies the settings of a whole plan has one header for each variant.
  package var headers: [PlanHeader]
  private let actors: [ActorID]
  private let actions: Set<PlanAction>
  private let passesBySignal: Bool
  /// The parts of a real history from which plans take their writes.
  ///
  /// The key is the seed of the plan's header.
  var windows: [UInt64: PastWindow] = [:]

  /// For each header with a part of a real history in ``windows``, a plan of that part's commands.
  package var windowPlans: [Plan] {
    headers.compactMap { header in
      windows[header.seed].map { Plan(header: header, commands: $0.commands) }
    }
  }

  /// The maximum number of actors.
  package static let actorCountMax = 4

  /// Creates the plans under a condition, with `count` actors and the actions of the system.
  package init(_ condition: Condition, actors count: Int, actions: Set<PlanAction>) {
    precondition((1...Self.actorCountMax).contains(count), "\(count) actors")
    self.condition = condition
    self.actions = actions
    headers = Self.headers(condition, count)
    actors = headers[0].actors.map(\.id)
    passesBySignal = headers[0].drive == .signals
  }

  /// Whether actors with equal configurations always have the same possible commands.
  ///
  /// The value is `false` with a CloudKit mirror, because only the first running actor writes the
  /// mirror's imports. The value is also `false` if plans repeat writes of a real history, because
  /// the author of such a write determines its actor.
  package var treatsActorsAlike: Bool { condition != .mirrorLag && windows.isEmpty }

  /// Whether no command moves the clock backwards.
  package var clockOnlyRises: Bool {
    condition != .clockBack && condition != .clockJump && windows.values.allSatisfy(\.onlyRises)
  }

  /// Whether plans may contain power-offs.
  package var losesPower: Bool { condition == .powerOff }

  /// Returns the state before the first command of a plan.
  package func start(_ header: PlanHeader) -> ExploredPlanState {
    ExploredPlanState(header, window: windows[header.seed]?.commands)
  }

  // MARK: Moves

  /// Returns the possible next commands, the simplest first.
  package func moves(from place: ExploredPlanState) -> [Command] {
    let actions = (windows.isEmpty ? writes(place) : []) + passes(place) + ownMoves(place)
    return next(place) + actions.map { Command($0) } + powerOffs(place)
  }

  /// Returns the next command that the plan takes from a real history, if any.
  ///
  /// The result is empty if the actor of that command does not run.
  private func next(_ place: ExploredPlanState) -> [Command] {
    guard let next = place.next, next.action.actor.map(place.running.contains) != false else {
      return []
    }
    return [next]
  }

  /// Returns writes by each running actor: inserts, and updates and deletes of the newest object.
  private func writes(_ place: ExploredPlanState) -> [Action] {
    [place.insert, place.update, place.delete].compactMap { $0 }.flatMap { change in
      running(place).map { .write(PlannedWrite(actor: $0, changes: [change])) }
    }
  }

  /// Returns an insert of a new object by each running actor; `make` creates the write.
  private func inserts(
    _ place: ExploredPlanState,
    _ make: (ActorID, [PlannedChange]) -> PlannedWrite
  ) -> [Action] {
    running(place).map { .write(make($0, [place.insert])) }
  }

  func passes(_ place: ExploredPlanState) -> [Action] {
    let idle = running(place).filter { place.step(of: $0) == .none }
    return (passesBySignal ? [] : idle.map(Action.pass))
      + (actions.contains(.purge) ? running(place).map(Action.purge) : [])
  }

  func running(_ place: ExploredPlanState) -> [ActorID] { actors.filter(place.running.contains) }

  private func ended(_ place: ExploredPlanState) -> [ActorID] {
    actors.filter { !place.running.contains($0) }
  }

  /// Returns the possible commands that ``condition`` adds to plans, such as crashes.
  private func ownMoves(_ place: ExploredPlanState) -> [Action] {
    switch condition {
    case .steady, .sameAuthorTwice, .configSkew, .callFailure: []
    case .ties: inserts(place) { PlannedWrite(actor: $0, changes: $1, ticks: false) }
    case .clockBack: [.clock(advance: -Self.hour)]
    case .clockJump: [.clock(advance: Self.pause), .clock(advance: -Self.pause)]
    case .pause: [.clock(advance: Self.pause)]
    case .stampBeforeCommit: staging(place)
    case .crash: steps(place) + running(place).map(Action.crash) + launches(place)
    case .restart: running(place).map(Action.stop) + launches(place)
    case .lostNotification: signals(place)
    case .suspension: steps(place) + suspensions(place)
    case .sameActorTwice: running(place).map(Action.launch)
    case .backgroundWrites: background(place)
    case .absentAuthor: inserts(place) { PlannedWrite(actor: $0, author: .absent, changes: $1) }
    case .lateJoin: launches(place)
    case .mirrorLag: mirror(place)
    case .hookFailure: steps(place)
    case .retention: actions.contains(.resync) ? running(place).map(Action.resync) : []
    case .powerOff: place.consumers.map(Action.consume) + launches(place)
    case .foreignWriter: plainSQL(place)
    case .modelSkew: newer(place) + launches(place)
    case .relations: related(place)
    }
  }

  private func launches(_ place: ExploredPlanState) -> [Action] { ended(place).map(Action.launch) }

  /// Returns, for each running actor, the next step of its pass: fetch, merge or record.
  private func steps(_ place: ExploredPlanState) -> [Action] {
    guard actions.contains(.fetch) else { return [] }
    return running(place).map { actor in
      switch place.step(of: actor) {
      case .none: .fetch(actor)
      case .fetched: .merge(actor)
      case .merged: .record(actor)
      }
    }
  }

  /// Returns `suspend` for each running actor, and `resume` for each suspended one.
  private func suspensions(_ place: ExploredPlanState) -> [Action] {
    running(place).map(Action.suspend)
      + actors.filter(place.suspended.contains).map(Action.resume)
  }

  private func staging(_ place: ExploredPlanState) -> [Action] {
    running(place).map { actor in
      place.staged.contains(actor)
        ? .commit(actor) : .begin(PlannedWrite(actor: actor, changes: [place.insert]))
    }
  }

  private func signals(_ place: ExploredPlanState) -> [Action] {
    let signalled = running(place).filter(place.signalled.contains)
    return signalled.flatMap { actor in
      SignalFate.allCases.map { Action.deliver(actor, $0) }
    } + (actions.contains(.poll) ? running(place).map { .poll($0, .delivered) } : [])
  }

  private func background(_ place: ExploredPlanState) -> [Action] {
    ["background", "batch"].flatMap { context in
      inserts(place) { PlannedWrite(actor: $0, context: context, changes: $1) }
    }
  }

  /// Returns the actions of a simulated CloudKit mirror: a read by its consumer, and an import.
  ///
  /// The import is an insert that the first running actor makes under the mirror's author. It is
  /// missing if no actor runs.
  private func mirror(_ place: ExploredPlanState) -> [Action] {
    place.consumers.map(Action.consume)
      + running(place).prefix(1).map { actor in
        let author = WriteAuthor.other(PlanGenerator.mirrorAuthor)
        return .write(PlannedWrite(actor: actor, author: author, changes: [place.insert]))
      }
  }

  /// Returns plain-SQL inserts, updates and deletes: one of each for each running actor.
  ///
  /// A program without the library makes the write. The actor in the command is the one whose
  /// process reads the store first after the write.
  private func plainSQL(_ place: ExploredPlanState) -> [Action] {
    [place.insert, place.update, place.delete].compactMap { $0 }.flatMap { change in
      running(place).map { actor in
        .write(
          PlannedWrite(
            actor: actor,
            context: PlannedWrite.plainSQL,
            author: .absent,
            changes: [change]
          )
        )
      }
    }
  }

  /// Returns updates of the attribute that only the newer version of the model contains.
  private func newer(_ place: ExploredPlanState) -> [Action] {
    guard let update = place.update else { return [] }
    let change = PlannedChange(.update, update.object, ["rank": update.values["count"] ?? .null])
    return running(place).filter { !headers[0].isOlder($0) }
      .map { .write(PlannedWrite(actor: $0, changes: [change])) }
  }

  /// Returns inserts of notes and tags that refer to the newest item, and deletes of items.
  ///
  /// One delete is of the newest item, another of all items. All inserted tags have the same name,
  /// so that they conflict: the model requires unique names of tags. Some writes use a background
  /// context, which has no object in memory.
  private func related(_ place: ExploredPlanState) -> [Action] {
    let note = place.related("Note", ["text": .string("a")])
    let tag = place.related("Tag", ["name": .string("a")])
    return running(place).flatMap { actor -> [Action] in
      let writes = [
        note.map { PlannedWrite(actor: actor, changes: [$0]) },
        tag.map { PlannedWrite(actor: actor, changes: [$0]) },
        tag.map {
          PlannedWrite(actor: actor, context: "background", changes: [$0], policy: .storeWins)
        },
        place.delete.map { PlannedWrite(actor: actor, context: "background", changes: [$0]) },
      ]
      let all = PlannedBatch(actor: actor, type: .delete, entity: "Item", conditions: [])
      return writes.compactMap { $0.map(Action.write) } + (place.delete == nil ? [] : [.batch(all)])
    }
  }

  private static let hour = 3_600.0
  /// The length of a pause in seconds.
  ///
  /// Published designs that purge by age purge history older than seven days; a pause is longer.
  private static let pause = 8 * 86_400.0
}

extension PlanAlphabet {
  private static let names = ["app", "widget", "share", "sync"]

  /// Returns the headers of plans under a condition.
  static func headers(_ condition: Condition, _ count: Int) -> [PlanHeader] {
    var header = PlanHeader(model: PlanModels.plain, actors: [])
    header.actors = names.prefix(count).map { PlannedActor(ActorID($0), author: $0) }
    switch condition {
    case .lostNotification: header.drive = .signals
    case .sameAuthorTwice: if count > 1 { header.actors[1].author = names[0] }
    case .configSkew: return skewed(header)
    case .lateJoin: header.actors[count - 1].launched = false
    case .mirrorLag:
      header.consumers = ["mirror"]
      header.protectedAuthors = [PlanGenerator.mirrorAuthor]
    case .hookFailure: return hooked(header)
    case .retention: header.retention = PlannedRetention(transactions: 1)
    case .powerOff: return powerless(header)
    case .foreignWriter: header.foreignWrites = .captured
    case .modelSkew:
      header.model = PlanModels.newer(header.model)
      header.actors[count - 1].launched = false
      for index in header.actors.indices.dropLast() { header.actors[index].modelVersion = 1 }
    case .relations: return related(header)
    default: break
    }
    return [header]
  }

  /// Returns three headers, which configure the last actor in different ways.
  ///
  /// The last actor ignores the first actor's transactions, does not list the first actor's author,
  /// or records its position separately from the other actors.
  private static func skewed(_ header: PlanHeader) -> [PlanHeader] {
    let (first, last) = (header.actors[0], header.actors.count - 1)
    let others = header.actors.dropFirst().compactMap(\.author)
    guard last > 0, let author = first.author else { return [header] }
    var headers = [header, header, header]
    headers[0].actors[last].ignores = [author]
    headers[1].actors[last].allAuthors = others
    headers[2].actors[last].cursors = "own"
    return headers
  }

  /// Returns two headers, whose models are equal except for their delete rules.
  ///
  /// With the first header, the launch of the last actor does not load all objects.
  private static func related(_ header: PlanHeader) -> [PlanHeader] {
    let rules = [
      PlanModels.Rules(tag: .nullify, note: .cascade, label: .nullify),
      PlanModels.Rules(tag: .cascade, note: .deny, label: .cascade),
    ]
    return rules.map { rules in
      var related = header
      related.model = PlanModels.related(rules)
      related.actors[related.actors.count - 1].isPartial = rules.note == .cascade
      return related
    }
  }

  /// Returns two headers: with the first, plans sync every commit; with the second, plans sync none.
  ///
  /// In plans with the second header, a mirror keeps its token outside of the store, where a power-off
  /// does not roll the token back.
  private static func powerless(_ header: PlanHeader) -> [PlanHeader] {
    var headers = [header, header]
    headers[0].synchronous = .full
    headers[1].consumers = ["mirror"]
    headers[1].tokens = .own
    return headers
  }

  /// Returns one header for each kind of hook; the hook of the first actor fails at every second call.
  private static func hooked(_ header: PlanHeader) -> [PlanHeader] {
    PlannedHook.alternating.map { hook in
      var hooked = header
      hooked.actors[0].hooks = [hook.rawValue]
      return hooked
    }
  }
}

extension PlanAlphabet {
  /// Returns commands with power-offs.
  ///
  /// If every commit is synced, the power-off comes between two commands, or at the second commit
  /// of each possible pass and purge. If no commit is synced, the power-off loses everything
  /// written since the previous power-off, or loses nothing.
  func powerOffs(_ place: ExploredPlanState) -> [Command] {
    guard losesPower, !running(place).isEmpty else { return [] }
    let between = Command(.clock(advance: 0), faults: [.powerOff])
    guard place.isSynced else {
      return [between, Command(.clock(advance: 0), faults: [Self.sparing])]
    }
    return [between] + passes(place).map { Command($0, faults: [Self.secondSync]) }
  }

  /// A power-off at the second commit of a command, or after a command that commits only once.
  private static let secondSync = PlannedFault(kind: .powerOff, file: .wal, call: .sync, k: 2)
  /// A power-off after which everything is on disk: with this seed, each unsynced sector survives.
  private static let sparing = PlannedFault(
    kind: .torn,
    file: .wal,
    call: .sync,
    k: 1,
    seed: 17
  )
}

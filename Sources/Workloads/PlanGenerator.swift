import HistoryTypes
package import PropertyTesting
package import Traces

/// A generator of random plans, which draws a header and then one command after another.
///
/// The generator tracks the state of the plan, so that nearly every command takes effect. All values
/// are drawn from a choice source: shrinking edits the choices and generates the plan again.
package struct PlanGenerator: Sendable {
  /// The parameters of the plans, such as the numbers of actors and commands.
  package let style: PlanStyle
  private let actions: [PlanAction]

  package init(_ style: PlanStyle = PlanStyle()) {
    self.style = style
    actions = PlanAction.allCases.filter { action in
      !(style.past != nil && action.isWrite) && style.actions.contains(action)
        && action.condition.map(style.conditions.contains) ?? true
    }
  }

  /// Draws a plan.
  ///
  /// - Complexity: linear in the commands and changes drawn; no more than a microsecond each.
  package func plan(from source: inout ChoiceSource, seed: UInt64) -> Plan {
    let active = activeConditions(&source)
    var header = header(active, &source)
    header.seed = seed
    if let past = style.past { adopt(past, in: &header) }
    if active.contains(where: \.comesWithFaults) { storage(&header, &source) }
    var draft = PlanDraft(
      header: header,
      active: active,
      state: PlanState(header),
      swarm: source.swarmWeights(actions.count)
    )
    if case .pct(let depth) = style.schedule {
      draft.priorities = PlanPriorities(
        actors: header.actors.count,
        steps: style.commandCountMax,
        depth: depth,
        &source
      )
    }
    var commands: [Command] = []
    if let past = style.past {
      (commands, header.objects) = repeated(past, &source, &draft)
    }
    let countMax = style.past == nil ? style.commandCountMax : Self.pastPauseMax
    var repetition = Repetition("command", 0...countMax)
    while repetition.next(&source) {
      if let command = command(&source, &draft) { commands.append(command) }
    }
    if style.hasDrivers, source.bool(probability: 0.25, label: "driver") { header.driver = .actor }
    addQueries(to: &commands, draft, &source)
    addReadings(to: &commands, draft, &source)
    addRequests(to: &commands, draft, &source)
    addDiskRequest(to: &commands, draft, &source)
    if style.past == nil, !header.hasOlderModel, !header.hasRelations {
      addCrowd(to: &commands, draft, &source)
      widen(&header, &commands, active, &source)
    }
    if style.past == nil { addSimilarSaves(to: &commands, header, active, &source) }
    var plan = Plan(header: header, commands: commands)
    for change in style.changes { change(&plan, &source) }
    addLiveQueries(to: &plan, &source)
    return plan
  }

  /// Draws commands that continue a plan; all difficulties in ``PlanStyle/conditions`` may occur.
  ///
  /// The actors, the model and all other settings are taken from the plan's header.
  package func continuation(of plan: Plan, from source: inout ChoiceSource) -> [Command] {
    var draft = PlanDraft(
      header: plan.header,
      active: style.conditions,
      state: PlanState(after: plan),
      swarm: source.swarmWeights(actions.count)
    )
    var commands: [Command] = []
    var repetition = Repetition("command", 0...style.commandCountMax)
    while repetition.next(&source) {
      if let command = command(&source, &draft) { commands.append(command) }
    }
    addQueries(to: &commands, draft, &source)
    addReadings(to: &commands, draft, &source)
    addRequests(to: &commands, draft, &source)
    return commands
  }

  /// Draws the conditions of one plan.
  ///
  /// Some conditions, such as retention limits, apply to a whole plan: ``Condition/share`` is the
  /// probability of each. They are drawn one by one, so that most plans have few of them. If
  /// ``style`` has only one or two of them, each is more likely. Conditions of ``style`` without a
  /// share are always active.
  private func activeConditions(_ source: inout ChoiceSource) -> Set<Condition> {
    var active = style.conditions.filter { $0.share == nil }
    let shaping = Condition.allCases.filter { $0.share != nil && style.conditions.contains($0) }
    for condition in shaping {
      let share = shaping.count == 1 ? 1 : max(condition.share ?? 1, shaping.count < 3 ? 0.7 : 0)
      if source.bool(probability: share, label: "condition") { active.insert(condition) }
    }
    return active
  }

  // MARK: Commands

  func command(_ source: inout ChoiceSource, _ draft: inout PlanDraft) -> Command? {
    let turn = turn(&draft)
    let plain = actions.map { weight(of: $0, draft, turn) }
    // No command is possible if no actor runs and the style has no launch.
    guard plain.contains(where: { $0 > 0 }) else { return nil }
    let weights = zip(plain, draft.swarm).map { $0 * max($1, 0) }
    let isUsable = weights.contains { $0 > 0 }
    let action = actions[source.weighted(isUsable ? weights : plain)]
    let place = turn.flatMap { action == .consume ? nil : $0 } ?? place(&source, for: action, draft)
    let done = self.action(action, place, &source, &draft)
    draft.state.note(action, by: place)
    let command = Command(done, faults: faults(&source, during: action, draft))
    if command.losesPower { draft.state.loseEverything() }
    return command
  }

  /// Returns the weight with which a kind of command is drawn next.
  ///
  /// The weight is 0 if no actor can perform the command now, or if the plan lacks the command's
  /// condition.
  private func weight(of action: PlanAction, _ draft: PlanDraft, _ turn: Int? = nil) -> Int {
    if let condition = action.condition, !draft.active.contains(condition) { return 0 }
    if action == .relatedBatch, !draft.header.hasRelations { return 0 }
    var eligible = draft.state.eligible(for: action)
    // Priorities do not apply to consumers, which may read at any time.
    if let turn, action != .consume { eligible &= 1 << UInt64(turn) }
    guard eligible != 0 else { return 0 }
    // After a power-off all actors are stopped, so launches get a greater weight.
    if action == .launch, draft.active.contains(.powerOff), draft.state.isDown {
      return 8 * action.weight
    }
    switch action {
    // A crash in the middle of a pass finds more bugs, so it gets a greater weight.
    case .crash where draft.state.midPass != 0: return 4 * action.weight
    // A second process is most useful when the first one has merged and not yet recorded.
    case .launchTwice where draft.header.locks == .none && draft.state.unrecorded != 0:
      return 12 * action.weight
    // Reads of a consumer with its own token matter, because a power-off may roll back what it has read.
    case .consume where draft.header.tokens == .own: return 3 * action.weight
    // If all members have merged everything, a purge gets a greater weight, because this state is rare.
    case .purge where draft.state.isCaughtUp: return 8 * action.weight
    default: return action.weight
    }
  }

  /// Returns the index of the actor with the highest priority among those that can act.
  private func turn(_ draft: inout PlanDraft) -> Int? {
    guard draft.priorities != nil else { return nil }
    var able: UInt64 = 0
    for action in actions where action != .consume && weight(of: action, draft) > 0 {
      able |= draft.state.eligible(for: action)
    }
    return draft.priorities?.next(among: able)
  }

  /// Draws the index of the actor or consumer that performs a command.
  ///
  /// If the drawn actor cannot perform the command, returns the next one that can. The returned
  /// actor is recorded as the choice, so that it does not change if shrinking removes other
  /// commands.
  private func place(
    _ source: inout ChoiceSource,
    for action: PlanAction,
    _ draft: PlanDraft
  ) -> Int {
    var eligible = draft.state.eligible(for: action)
    if action == .crash, eligible & draft.state.midPass != 0 { eligible &= draft.state.midPass }
    let unrecorded = eligible & draft.state.unrecorded
    if action == .launchTwice, unrecorded != 0 { eligible = unrecorded }
    let count = action == .consume ? draft.header.consumers.count : draft.header.actors.count
    return source.index(below: count) { wanted in
      let later = eligible >> UInt64(wanted)
      return later == 0 ? eligible.trailingZeroBitCount : wanted + later.trailingZeroBitCount
    }
  }

  private func action(
    _ action: PlanAction,
    _ place: Int,
    _ source: inout ChoiceSource,
    _ draft: inout PlanDraft
  ) -> Action {
    if action == .consume { return .consume(draft.header.consumers[place]) }
    let actor = draft.header.actors[place]
    switch action {
    case .write:
      let isPlainSQL =
        draft.header.foreignWrites == .captured
        && source.bool(probability: 0.3, label: "plain SQL")
      return .write(
        isPlainSQL ? plainSQL(&source, actor, &draft) : write(&source, actor, &draft)
      )
    case .begin: return .begin(write(&source, actor, &draft))
    case .batch: return .batch(batch(&source, actor, draft))
    case .relatedBatch: return .batch(relatedBatch(&source, actor, draft))
    case .belated:
      let steps = BelatedStep.allCases
      return .belated(actor.id, steps[source.weighted([8, 2, 2, 2, 1])])
    case .clock: return .clock(advance: advance(&source, draft))
    case .deliver: return .deliver(actor.id, fate(&source))
    case .poll: return .poll(actor.id, fate(&source))
    default: return Self.plain(action, by: actor.id)
    }
  }

  /// Returns a command whose only parameter is its actor.
  private static func plain(_ action: PlanAction, by actor: ActorID) -> Action {
    switch action {
    case .commit: .commit(actor)
    case .launch, .launchTwice: .launch(actor)
    case .stop: .stop(actor)
    case .crash: .crash(actor)
    case .retire: .retire(actor)
    case .suspend: .suspend(actor)
    case .resume: .resume(actor)
    case .fetch: .fetch(actor)
    case .merge: .merge(actor)
    case .record: .record(actor)
    case .purge: .purge(actor)
    case .resync: .resync(actor)
    default: .pass(actor)
    }
  }

  /// Draws what happens to a signal: it is delivered, late, lost or duplicated.
  private func fate(_ source: inout ChoiceSource) -> SignalFate {
    SignalFate.allCases[source.weighted([4, 2, 3, 1])]
  }

  /// Draws how far the clock moves, in seconds: usually by a gap between writes.
  ///
  /// The condition `pause` also allows jumps by days, `clockJump` jumps by days in both directions,
  /// and `clockBack` steps back by seconds.
  private func advance(_ source: inout ChoiceSource, _ draft: PlanDraft) -> Double {
    func weight(_ condition: Condition) -> Int { draft.active.contains(condition) ? 1 : 0 }
    let kinds = [12, 2 * weight(.pause), 2 * weight(.clockJump), 2 * weight(.clockBack)]
    switch source.weighted(kinds) {
    case 0: return min(style.gaps[source.index(below: style.gaps.count)], Self.day / 2)
    case 1: return Self.day * Double(source.int(in: 1...9))
    case 2: return Self.day * Double([1, 8, 40, 400, -1, -8][source.weighted([8, 4, 2, 1, 2, 1])])
    default: return -Double(source.int(in: 1...5))
    }
  }

  private static let day = 86_400.0
}

/// The state of a plan that is being generated.
struct PlanDraft {
  let header: PlanHeader
  /// The conditions, such as crashes or clocks that step back, that this plan may contain.
  let active: Set<Condition>
  var state: PlanState
  /// The random factors by which this plan multiplies the weights of the kinds of commands.
  let swarm: [Int]
  /// The actor priorities of ``PlanSchedule/pct(depth:)``; `nil` under another schedule.
  var priorities: PlanPriorities?
}

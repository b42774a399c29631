internal import PersistentHistory
internal import Traces

/// What one command did, or one thing that happened by itself.
struct CounterexampleStep {
  /// Where in a run a step lies.
  enum Phase {
    /// Before the first command: the actors are launched.
    case opening
    case plan
    /// After the last command: the lab lets everyone catch up and looks at the result.
    case closing
  }

  private(set) var phase = Phase.plan
  /// The command's position in the plan, or nothing for what the plan did not ask for.
  let position: Int?
  /// The word that was called, or nothing for what came by itself.
  private(set) var word: String?
  /// Who did it, or nothing for the store and the clock.
  let actor: ActorID?
  /// What happened, in order, the call itself left out.
  private(set) var events: [Event] = []
  /// The place in the trace of the first event.
  let at: Int

  /// The word that was called, or what came by itself.
  var verb: String {
    if let word { return word }
    switch events.first?.happening {
    case .viewed: return "view"
    case .recorded(nil): return "reset"
    default: return events.first?.happening.word.rawValue ?? ""
    }
  }

  /// Whether an event of the trace belongs to the step.
  func contains(_ place: Int) -> Bool { at == place || events.contains { $0.at == place } }

  /// The steps of a trace, each with its events even where calls of several actors overlap.
  static func all(of trace: Trace) -> [CounterexampleStep] {
    var steps: [CounterexampleStep] = []
    var open: [ActorID?: Int] = [:]
    for event in trace.events {
      if let step = CounterexampleStep(event) {
        open[event.actor] = steps.count
        steps.append(step)
      } else if let index = open[event.actor] ?? (event.actor == nil ? open.values.max() : nil) {
        steps[index].events.append(event)
      } else {
        steps.append(CounterexampleStep(actor: event.actor, events: [event], at: event.at))
      }
      switch event.happening {
      case .ended, .skipped: open[event.actor] = nil
      default: break
      }
    }
    return joined(inPhases(steps))
  }

  /// What stands for fetch, merge and record of the closing phase.
  static let catchUp = "catch up"

  /// The steps with what one actor does in a row to catch up in the closing phase as one step.
  private static func joined(_ steps: [CounterexampleStep]) -> [CounterexampleStep] {
    var result: [CounterexampleStep] = []
    for step in steps {
      var step = step
      if step.phase == .closing, ["fetch", "merge", "record"].contains(step.word) {
        if let last = result.last, last.word == catchUp, last.actor == step.actor,
          step.word != "fetch"
        {
          result[result.count - 1].events += step.events
          continue
        }
        step.word = catchUp
      }
      result.append(step)
    }
    return result
  }

  private static func inPhases(_ steps: [CounterexampleStep]) -> [CounterexampleStep] {
    let planned = steps.filter { $0.position != nil }
    let first = planned.first?.at ?? .max
    let last = planned.map { $0.events.last?.at ?? $0.at }.max() ?? -1
    return steps.map { step in
      var step = step
      step.phase = step.at < first ? .opening : step.at > last ? .closing : .plan
      return step
    }
  }

  /// The step that an event begins, or nothing when it belongs to one that is open.
  private init?(_ event: Event) {
    switch event.happening {
    case .called(let position, let word):
      self.init(position: position, word: word, actor: event.actor, at: event.at)
    case .skipped(let position, _):
      self.init(
        position: position,
        word: "skipped",
        actor: event.actor,
        events: [event],
        at: event.at
      )
    default: return nil
    }
  }

  private init(
    position: Int? = nil,
    word: String? = nil,
    actor: ActorID?,
    events: [Event] = [],
    at: Int
  ) {
    self.position = position
    self.word = word
    self.actor = actor
    self.events = events
    self.at = at
  }
}

extension CounterexampleStep {
  /// Whether a transaction was written, read, merged or purged here.
  func touches(_ name: TransactionName) -> Bool {
    events.contains { event in
      switch event.happening {
      case .committed(let transaction): transaction.name == name
      case .fetched(let names), .observed(let names), .merged(let names), .consumed(let names),
        .purged(let names):
        names.contains(name)
      default: false
      }
    }
  }

  /// Whether nothing happened but that actors were launched.
  var onlyLaunches: Bool {
    events.allSatisfy { event in
      switch event.happening {
      case .registered, .launched, .ended(_, .ok), .signalled: true
      // In plans that signals drive an actor looks around as it starts.
      case .woke, .merged([]), .recorded(nil): true
      default: false
      }
    }
  }

  /// Whether a transaction was written here.
  func commits(_ name: TransactionName) -> Bool {
    events.contains { event in
      if case .committed(let transaction) = event.happening { return transaction.name == name }
      return false
    }
  }
}

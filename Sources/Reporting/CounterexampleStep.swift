internal import PersistentHistory
internal import Traces

/// The events of one command, or one event outside of commands.
struct CounterexampleStep {
  /// The phase of a run in which a step occurs.
  enum Phase {
    /// The launches of actors before the first command.
    case opening
    case plan
    /// The phase after the last command, in which actors catch up and the lab reads the results.
    case closing
  }

  private(set) var phase = Phase.plan
  /// The command's position in the plan, or `nil` for a step outside of the plan.
  let position: Int?
  /// The word that was called, or `nil` for an event without a call.
  private(set) var word: String?
  /// The actor, or `nil` for the store and the clock.
  let actor: ActorID?
  /// The events in order, without the call.
  private(set) var events: [Event] = []
  /// The position of the first event in the trace.
  let at: Int

  /// The word that was called, or a word for the event.
  var verb: String {
    if let word { return word }
    switch events.first?.happening {
    case .viewed: return "view"
    case .recorded(nil): return "reset"
    default: return events.first?.happening.word.rawValue ?? ""
    }
  }

  /// Returns whether an event of the trace belongs to the step.
  func contains(_ place: Int) -> Bool { at == place || events.contains { $0.at == place } }

  /// Returns the steps of a trace, each with its events even if calls of several actors overlap.
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

  /// The word for fetch, merge and record in the closing phase.
  static let catchUp = "catch up"

  /// Merges an actor's consecutive steps for catching up in the closing phase.
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

  /// Creates the step that an event begins, or returns `nil` if the event belongs to an open step.
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
  /// Returns whether a transaction was written, read, merged, consumed or purged in the step.
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

  /// Whether the step contains only the launch of actors.
  var onlyLaunches: Bool {
    events.allSatisfy { event in
      switch event.happening {
      case .registered, .launched, .ended(_, .ok), .signalled: true
      // In plans driven by signals, an actor polls as it starts.
      case .woke, .merged([]), .recorded(nil): true
      default: false
      }
    }
  }

  /// Returns whether a transaction was written in the step.
  func commits(_ name: TransactionName) -> Bool {
    events.contains { event in
      if case .committed(let transaction) = event.happening { return transaction.name == name }
      return false
    }
  }
}

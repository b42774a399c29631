internal import Basics
internal import HistoryTypes
internal import Traces

/// One step of a trace: the events of one command, or one event outside of commands.
struct CounterexampleStep {
  /// The phase of a run in which a step occurs.
  enum Phase {
    /// The phase before the first command, in which actors are launched and the initial objects are
    /// written.
    case opening
    case plan
    /// The phase after the last command, in which actors catch up and the lab reads the results.
    case closing
  }

  private(set) var phase = Phase.plan
  /// The command's position in the plan; `nil` for a step outside of the plan.
  let position: Int?
  /// The name of the command, such as `write`, or `skipped` if the command was skipped.
  ///
  /// `nil` for an event outside of commands.
  private(set) var word: String?
  /// The actor of the step; `nil` for the store and the clock.
  let actor: ActorID?
  /// The events of the step in order, without the event `called` that starts a command.
  private(set) var events: [Event] = []
  /// The position of the step's first event in the trace.
  let at: Int

  /// The name of the command, such as `write`; for an event outside of commands, the event's name.
  var verb: String {
    if let word { return word }
    switch events.first?.kind {
    case .viewed: return "view"
    case .recorded(nil): return "reset"
    default: return events.first?.kind.word.rawValue ?? ""
    }
  }

  /// Returns whether the event at a position in the trace belongs to the step.
  func contains(_ place: Int) -> Bool { at == place || events.contains { $0.at == place } }

  /// Returns the steps of a trace, in order.
  ///
  /// If commands of several actors overlap, each event is added to the open step of the event's actor.
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
      switch event.kind {
      case .ended, .skipped: open[event.actor] = nil
      default: break
      }
    }
    return joined(inPhases(steps))
  }

  /// The name of a step that combines an actor's fetch, its merge and the recording of its cursor.
  ///
  /// Such a step occurs only after the plan's last command.
  static let catchUp = "catch up"

  /// Joins an actor's consecutive steps `fetch`, `merge` and `record` into one step, ``catchUp``.
  ///
  /// Only steps after the plan's last command are joined.
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

  /// Creates the step that starts with an event; `nil` if the event belongs to an earlier step.
  private init?(_ event: Event) {
    switch event.kind {
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
      switch event.kind {
      case .committed(let transaction): transaction.name == name
      case .fetched(let names), .observed(let names), .merged(let names), .consumed(let names),
        .purged(let names):
        names.contains(name)
      default: false
      }
    }
  }

  /// Whether the step contains only events of launches.
  var onlyLaunches: Bool {
    events.allSatisfy { event in
      switch event.kind {
      case .registered, .launched, .ended(_, .ok), .signalled: true
      // In plans driven by signals, an actor polls when it starts.
      case .woke, .merged([]), .recorded(nil): true
      default: false
      }
    }
  }

  /// Returns whether a transaction was written in the step.
  func commits(_ name: TransactionName) -> Bool {
    events.contains { event in
      if case .committed(let transaction) = event.kind { return transaction.name == name }
      return false
    }
  }
}

/// Describes the steps of a trace in words.
struct CounterexampleNarrator {
  private let trace: Trace
  /// The position in the trace of the event that violates the invariant; `nil` if there is none.
  ///
  /// The text of a step includes this event even if it adds no information.
  private let violationAt: Int?
  /// The positions in the trace of the events that change an actor's cursor.
  private let moves: Set<Int>
  /// The store's objects at the end of the trace; `nil` if the trace does not contain them.
  private let data: Objects?

  init(_ trace: Trace, violationAt: Int?) {
    self.trace = trace
    self.violationAt = violationAt
    moves = Self.moves(in: trace)
    data =
      trace.events.lazy.reversed().compactMap { event in
        if case .data(let objects) = event.kind { objects } else { nil }
      }.first
  }

  private static func moves(in trace: Trace) -> Set<Int> {
    var positions = TracePositions()
    var moves: Set<Int> = []
    for event in trace.events {
      let before = event.actor.flatMap { positions.cursors[$0] }
      positions.apply(event)
      if let actor = event.actor, positions.cursors[actor] != before { moves.insert(event.at) }
    }
    return moves
  }

  /// Returns a short description of the step; empty if the step contains no event of interest.
  func text(of step: CounterexampleStep) -> String {
    let action = step.position.flatMap { position in
      trace.header.plan.commands.indices.contains(position)
        ? trace.header.plan.commands[position].action : nil
    }
    let verb = verb(of: step, action)
    // Except in a `watch` step, a live query's report follows after a semicolon, which separates it
    // from the changes of a write.
    let isReport: (String) -> Bool = { step.word != "watch" && $0.hasPrefix("list ") }
    let all = phrases(of: step)
    let parts = all.filter { !isReport($0) }
    let said = parts.filter { !$0.hasPrefix("->") }.joined(separator: ", ")
    let result = parts.filter { $0.hasPrefix("->") }.joined(separator: " ")
    let colon = needsColon(step, action) && !said.isEmpty && !said.hasPrefix("fails") ? ":" : ""
    let text = [verb.isEmpty ? "" : verb + colon, said, result].filter { !$0.isEmpty }
      .joined(separator: " ")
    return ([text] + all.filter(isReport)).filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// Returns whether the text has a colon between the command and the events that it caused.
  private func needsColon(_ step: CounterexampleStep, _ action: Action?) -> Bool {
    switch action {
    case .write, .begin, .batch, .clock: false
    default: !["launch", "skipped"].contains(step.word)
    }
  }

  /// Returns the text of the command; empty if the text of an event already names the command.
  private func verb(of step: CounterexampleStep, _ action: Action?) -> String {
    switch action {
    case _ where step.word == "skipped": return "(skipped)"
    case nil where step.phase == .opening && step.word == "write":
      return CounterexamplePhrase.opening(trace.header.plan.header)
    case .write(let write): return CounterexamplePhrase.write(write)
    case .begin(let write): return "begin: " + CounterexamplePhrase.write(write)
    case .batch(let batch): return CounterexamplePhrase.batch(batch)
    case .deliver(_, let fate), .poll(_, let fate):
      return (step.word ?? "") + (fate == .delivered ? "" : " (\(fate.rawValue))")
    case .query(let query): return CounterexamplePhrase.query(query)
    case .watch(let watch): return CounterexamplePhrase.watch(watch)
    case .read(let reading): return CounterexamplePhrase.reading(reading)
    case .belated(_, let late): return "older process: " + late.rawValue
    case .clock(let advance): return "clock " + CounterexamplePhrase.duration(advance)
    default: break
    }
    guard let word = step.word else { return "" }
    let speaking = step.events.contains { speaks($0.kind, for: word) }
    return speaking ? "" : CounterexamplePhrase.printable(word)
  }

  /// Returns whether the text of an event already names the command that caused it.
  private func speaks(_ kind: EventKind, for word: String) -> Bool {
    switch kind {
    case .fetched: word == "fetch"
    case .merged: word == "merge"
    case .recorded: word == "record"
    case .purged: word == "purge"
    case .consumed: word == "consume"
    case .resynced: word == "resync"
    case .viewed: word == "view"
    case .data: word == "data"
    case .history: word == "history"
    default: false
    }
  }

  private func phrases(of step: CounterexampleStep) -> [String] {
    guard let word = step.word, Self.passing.contains(word) else {
      return step.events.compactMap { phrase($0.kind, in: step) }
    }
    let phrases = step.events.filter { $0.at == violationAt || !isEmpty($0, in: step) }
      .compactMap { phrase($0.kind, in: step) }
    return phrases.isEmpty ? ["nothing new"] : phrases
  }

  /// The commands that may fetch transactions, merge them and record the cursor in one step.
  private static let passing: Set<String> = ["pass", "deliver", "poll", CounterexampleStep.catchUp]

  /// Returns whether the text of a step leaves out an event because the event adds no information.
  ///
  /// Left out are wake-ups, events with an empty list, a fetch or observation of the transactions
  /// that the same step merges, and a recorded cursor that does not move.
  private func isEmpty(_ event: Event, in step: CounterexampleStep) -> Bool {
    switch event.kind {
    case .merged([]), .purged([]), .fetched([]), .observed([]), .woke: true
    case .fetched(let names), .observed(let names):
      step.events.contains { $0.kind == .merged(names) }
    case .recorded: !moves.contains(event.at)
    default: false
    }
  }

  private func phrase(_ kind: EventKind, in step: CounterexampleStep) -> String? {
    typealias Say = CounterexamplePhrase
    switch kind {
    // Signals follow every commit, so they are left out; the effect of a signal is described later.
    case .called, .ended(_, .ok), .clock, .signalled, .passed: return nil
    case .ended(_, .failed(let failure)) where isReported(failure, in: step): return nil
    case .ended(_, .failed(let failure)): return "fails " + Say.failure(failure)
    case .ended(_, .unknown(let failure)): return "may have failed " + Say.failure(failure)
    case .skipped(_, let reason): return Say.printable(reason)
    case .registered(let cursor):
      return launch(step) + "as a new member" + (cursor.map { " at " + Say.name($0) } ?? "")
    case .launched(let cursor):
      return launch(step) + (cursor.map { "with cursor " + Say.name($0) } ?? "without a cursor")
    case .stopped: return step.word == "stop" ? nil : "stops"
    case .crashed: return step.word == "crash" ? nil : "crashes"
    case .retired: return step.word == "retire" ? nil : "retires"
    case .suspended: return step.word == "suspend" ? nil : "is suspended"
    case .resumed: return step.word == "resume" ? nil : "is resumed"
    case .locks(let held): return held.isEmpty ? nil : "holds " + held.joinedWithAnd
    case .committed(let transaction): return "->" + Say.joint + Say.name(transaction.name)
    case .wroteNothing: return "->" + Say.joint + "nothing"
    case .fetched(let names): return "fetch " + Say.names(names)
    case .observed(let names): return "observe " + Say.names(names)
    case .merged(let names): return "merge " + Say.names(names)
    case .finished(let names): return "a hook finishes " + Say.names(names)
    case .recorded(nil) where step.word == nil || step.word == "purge": return "cursor reset"
    case .recorded(let cursor): return "record " + Say.cursor(cursor)
    case .received(let page): return "receive " + Say.names(page.map(\.name))
    case .consumed(let names): return "consume " + Say.names(names)
    case .purged(let names): return "purge " + Say.names(names)
    case .lost: return "is cut off by the retention limit"
    case .expired: return "gets the error that history expired"
    case .rewound: return "gets the error that history was rewound"
    case .resynced(let cursor): return "resync at " + Say.cursor(cursor)
    case .viewed(let context, let objects): return view(context, objects, in: step)
    case .data(let objects): return "data: " + Say.objects(objects)
    case .history(let held): return "history: " + Say.names(held.map(\.name))
    case .answered(let answer): return "answer: " + Say.answer(answer.lines)
    case .listed(let report): return Say.report(report)
    case .woke: return "wakes"
    case .recovered(let through): return "the store recovers through " + Say.cursor(through)
    case .damaged(let reason): return "the store is damaged: " + Say.printable(reason)
    case .fault(let fault): return "fault: " + Say.fault(fault)
    }
  }

  /// Returns whether an `expired` or `rewound` event of the step reports the same failure.
  private func isReported(_ failure: SystemFailure, in step: CounterexampleStep) -> Bool {
    step.events.contains { event in
      switch event.kind {
      case .expired: failure.code == .expired
      case .rewound: failure.code == .rewound
      default: false
      }
    }
  }

  /// Returns the word `launch` for a launch outside of commands; empty for the command `launch`.
  private func launch(_ step: CounterexampleStep) -> String { step.word == nil ? "launch " : "" }

  /// Returns a phrase for the objects in a context.
  ///
  /// After the plan's last command, the phrase contains only the differences from the store's data.
  private func view(
    _ context: String,
    _ objects: Objects,
    in step: CounterexampleStep
  ) -> String {
    let name = context == "view" ? "view" : "view \(CounterexamplePhrase.printable(context))"
    guard step.phase == .closing, let data else {
      return "\(name): \(CounterexamplePhrase.objects(objects))"
    }
    return "\(name) " + CounterexamplePhrase.difference(of: objects, from: data)
  }
}

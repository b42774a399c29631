internal import PersistentHistory
internal import Traces

/// What a counterexample tells: its headings, rows and sentences, before they are set in columns.
struct CounterexampleStory {
  private let counterexample: Counterexample
  private let steps: [CounterexampleStep]
  private let columns: [ActorID: Int]
  private let isNarrow: Bool

  /// The names above the columns.
  let headings: [String]
  /// The steps; those of the closing phase that tell nothing are one row.
  private(set) var rows: [CounterexampleRow] = []
  /// The rows that the lost transaction lives through, if one was lost.
  private(set) var life: CounterexampleLife?

  /// Takes the story from the trace; a narrow one has a column for who and one for what.
  init(_ counterexample: Counterexample, isNarrow: Bool) {
    let header = counterexample.trace.header.plan.header
    self.counterexample = counterexample
    self.isNarrow = isNarrow
    steps = CounterexampleStep.all(of: counterexample.trace)
    let actors = header.actors.map(\.id)
    let pairs =
      actors.enumerated().map { ($1, $0) } + header.consumers.map { ($0, actors.count) }
    columns = Dictionary(pairs) { first, _ in first }
    let consumers = header.consumers.map { CounterexamplePhrase.printable($0.name) }
    headings =
      isNarrow
      ? ["who", "what"]
      : actors.map { CounterexamplePhrase.printable($0.name) }
        + (consumers.isEmpty ? [] : [consumers.joined(separator: ", ")])
    tell()
  }

  private var violation: Violation { counterexample.violation }

  /// Which system broke which invariant, in how many commands.
  var title: String {
    let header = counterexample.trace.header
    let count = header.plan.commands.count
    return CounterexamplePhrase.printable(
      "\(violation.checker) is broken by \(header.system) in \(count) "
        + "\(count == 1 ? "command" : "commands") (seed 0x\(String(header.plan.header.seed, radix: 16)))"
    )
  }

  /// What happened, as the checker says it.
  var sentence: String {
    let text = CounterexamplePhrase.printable(violation.because)
    return [".", "!", "?"].contains { text.hasSuffix($0) } ? text : text + "."
  }

  /// Where the lost transaction was written, merged and purged.
  var lifeSentence: String? {
    guard let name = violation.transaction else { return nil }
    var said: [String] = []
    var lastVerb = ""
    for deed in steps.filter({ $0.phase != .closing }).flatMap({ deeds(of: $0, to: name) }) {
      said.append(deed.verb == lastVerb ? deed.who : "\(deed.verb) by \(deed.who)")
      lastVerb = deed.verb
    }
    if said.isEmpty { return nil }
    return "\(CounterexamplePhrase.name(name)) was \(said.joined(separator: ", "))."
  }

  private func deeds(
    of step: CounterexampleStep,
    to name: TransactionName
  ) -> [(verb: String, who: String)] {
    let place = step.position.map { " in step \($0 + 1)" } ?? ""
    return step.events.compactMap { event in
      let who = CounterexamplePhrase.printable(event.actor?.name ?? "the store") + place
      switch event.happening {
      case .committed(let written) where written.name == name: return ("written", who)
      case .merged(let names) where names.contains(name): return ("merged", who)
      case .consumed(let names) where names.contains(name): return ("consumed", who)
      case .purged(let names) where names.contains(name): return ("purged", who)
      default: return nil
      }
    }
  }
}

extension CounterexampleStory {
  /// Makes the rows, and notes in which of them the lost transaction was written and lost.
  private mutating func tell() {
    let narrator = CounterexampleNarrator(counterexample.trace)
    var written: Int?
    var lost: Int?
    var hidden: [CounterexampleStep] = []
    for step in steps {
      if !matters(step) {
        if step.phase == .closing { hidden.append(step) }
        continue
      }
      closeUp(&hidden)
      let text = narrator.text(of: step)
      let breaks = step.contains(violation.at)
      if text.isEmpty, !breaks { continue }
      rows.append(row(of: step, text, breaks: breaks))
      if let name = violation.transaction, step.commits(name), written == nil {
        written = rows.count - 1
      }
      if breaks { lost = rows.count - 1 }
    }
    closeUp(&hidden)
    guard let name = violation.transaction, let written, let lost, written <= lost else { return }
    life = CounterexampleLife(name: CounterexamplePhrase.name(name), rows: written...lost)
  }

  /// Whether a step is worth a row: all but launches before the plan, and what tells nothing after.
  private func matters(_ step: CounterexampleStep) -> Bool {
    if step.contains(violation.at) { return true }
    switch step.phase {
    case .opening: return !step.onlyLaunches
    case .plan: return true
    case .closing: return violation.transaction.map { step.touches($0) } ?? false
    }
  }

  private func row(
    of step: CounterexampleStep,
    _ text: String,
    breaks: Bool
  ) -> CounterexampleRow {
    var row = CounterexampleRow(kind: step.word == "skipped" ? .quiet : .step)
    if breaks { row.kind = .violation }
    row.number = step.position.map { String($0 + 1) } ?? ""
    guard let actor = step.actor else {
      row.note = text
      return row
    }
    row.cells = cells(of: actor, text)
    return row
  }

  private func cells(of actor: ActorID, _ text: String) -> [Int: String] {
    let header = counterexample.trace.header.plan.header
    let name = CounterexamplePhrase.printable(actor.name)
    if isNarrow { return [0: name, 1: text] }
    guard let column = columns[actor] else { return [0: "\(name): \(text)"] }
    let isShared = header.consumers.count > 1 && column == header.actors.count
    return [column: isShared ? "\(name): \(text)" : text]
  }

  /// One row for the steps of the closing phase that told nothing.
  private mutating func closeUp(_ hidden: inout [CounterexampleStep]) {
    guard !hidden.isEmpty else { return }
    let words = unique(hidden.map(\.verb)).map(CounterexamplePhrase.printable)
    let count = "\(hidden.count) closing \(hidden.count == 1 ? "step" : "steps")"
    let note = "\(count): \(words.joined(separator: ", "))"
    rows.append(CounterexampleRow(kind: .quiet, note: note))
    hidden = []
  }

  private func unique(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { seen.insert($0).inserted }
  }
}

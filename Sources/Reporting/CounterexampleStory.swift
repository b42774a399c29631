import Basics
internal import HistoryTypes
internal import Measuring
internal import Traces

/// The content of a counterexample's report without its layout: headings, rows and sentences.
///
/// The lost transaction is the one that the violation is about. Some violations are about none.
struct CounterexampleStory {
  private let counterexample: Counterexample
  private let steps: [CounterexampleStep]
  private let columns: [ActorID: Int]
  private let isNarrow: Bool

  /// The headings of the table of steps: `actor` and `event`, or one for each actor.
  ///
  /// In the second case, the last column is that of all consumers, if there are any.
  let headings: [String]
  /// The rows, usually one per step.
  ///
  /// Consecutive steps after the plan's last command share a row. Of these steps, two kinds have rows
  /// of their own: those that show the violation, and those that touch the lost transaction before
  /// the violation.
  private(set) var rows: [CounterexampleRow] = []
  /// The events before the first row, which are launches.
  private(set) var opening: [Event] = []
  /// The rows from the write of the lost transaction to the violation; `nil` if there are none.
  private(set) var life: CounterexampleLife?

  /// Collects the headings, rows and sentences of a report about a counterexample.
  ///
  /// A narrow report has two columns, actors and actions.
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
      ? ["actor", "event"]
      : actors.map { CounterexamplePhrase.printable($0.name) }
        + (consumers.isEmpty ? [] : [consumers.joined(separator: ", ")])
    addRows()
  }

  private var violation: Violation { counterexample.violation }

  /// A title with the system, the violated invariant, the number of commands and the seed.
  var title: String {
    let header = counterexample.trace.header
    let count = header.plan.commands.count
    return CounterexamplePhrase.printable(
      "\(header.system) violates \(violation.checker) in "
        + "\(count.counted("command")) (seed 0x\(String(header.plan.header.seed, radix: 16)))"
    )
  }

  /// The checker's explanation of the violation, as a sentence.
  var sentence: String {
    let text = CounterexamplePhrase.printable(violation.because)
    return [".", "!", "?"].contains { text.hasSuffix($0) } ? text : text + "."
  }

  /// A sentence that names the steps and actors that wrote, merged and purged the lost transaction.
  var lifeSentence: String? {
    guard let name = violation.transaction else { return nil }
    var said: [String] = []
    var last: (verb: String, who: String) = ("", "")
    for action in steps.filter({ isReported($0) }).flatMap({ actions(of: $0, to: name) }) {
      // A member that merged the transaction twice in succession is named once.
      if action == last { continue }
      said.append(action.verb == last.verb ? action.who : "\(action.verb) by \(action.who)")
      last = action
    }
    // A sentence about the write alone is left out, because the main sentence names the writer.
    if said.count < 2 { return nil }
    let subject = CounterexamplePhrase.name(name) + numberInFile(of: name)
    return "\(subject) was \(said.joined(separator: ", "))."
  }

  /// Returns a clause such as `, transaction 7 of the file,`, or an empty text.
  ///
  /// A write of a plan may repeat the changes of a transaction in a store file. If the transaction
  /// `name` was committed by such a write, the clause has the number of the file's transaction.
  /// Otherwise the text is empty.
  private func numberInFile(of name: TransactionName) -> String {
    let commands = counterexample.trace.header.plan.commands
    for position in steps.filter({ $0.commits(name) }).compactMap(\.position) {
      guard commands.indices.contains(position), case .write(let write) = commands[position].action,
        let number = write.fileTransaction
      else { continue }
      return ", transaction \(number) of the file,"
    }
    return ""
  }

  /// Returns whether ``lifeSentence``, the sentence about the lost transaction, may mention a step.
  ///
  /// Steps after the plan's last command are left out if they start after the violation.
  private func isReported(_ step: CounterexampleStep) -> Bool {
    step.phase != .closing || step.at <= violation.at
  }

  /// Returns the transaction with a name, as described by the `committed` event in the trace.
  func transaction(named name: TransactionName) -> CommittedTransaction? {
    for event in counterexample.trace.events {
      if case .committed(let text) = event.kind, text.name == name { return text }
    }
    return nil
  }

  private func actions(
    of step: CounterexampleStep,
    to name: TransactionName
  ) -> [(verb: String, who: String)] {
    let place =
      step.position.map { " in step \($0 + 1)" } ?? (step.phase == .closing ? " at the end" : "")
    // Events after the plan's last command are left out if they come after the violation.
    let events = step.events.filter { step.phase != .closing || $0.at <= violation.at }
    return events.compactMap { event in
      let who = CounterexamplePhrase.printable(event.actor?.name ?? "the store") + place
      switch event.kind {
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
  /// Creates the rows, and sets ``life`` if the violation is about a lost transaction.
  private mutating func addRows() {
    let narrator = CounterexampleNarrator(counterexample.trace, violationAt: violation.at)
    var written: Int?
    var lost: Int?
    var hidden: [CounterexampleStep] = []
    for step in steps {
      if step.phase == .closing, !matters(step) {
        hidden.append(step)
        continue
      }
      let breaks = step.contains(violation.at)
      if breaks, let omission = omission(step) {
        // If the violation was found at the end, the closing steps precede its row; otherwise they follow.
        if step.actor == nil { hidden.append(step) }
        closeUp(&hidden)
        rows.append(.omission(omission))
        lost = rows.count - 1
        if step.phase != .closing {
          rows.append(row(of: step, narrator.text(of: step), breaks: false))
        } else if step.actor != nil {
          hidden.append(step)
        }
        continue
      }
      closeUp(&hidden)
      let text = narrator.text(of: step)
      if !breaks, text.isEmpty || !matters(step) {
        absorb(step)
        continue
      }
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

  /// Returns a text for a violation in which an expected event is missing; `nil` for other violations.
  private func omission(_ step: CounterexampleStep) -> String? {
    switch violation.checker {
    case "WakeUp": "the time for a pass is over"
    case "NoLostTransaction", "ObserverDelivery":
      step.phase == .closing && step.actor == nil ? "everyone has caught up" : nil
    default: nil
    }
  }

  /// Adds the events of a step that has no row of its own to the last row so far.
  ///
  /// If there is no row yet, the events are added to ``opening``.
  private mutating func absorb(_ step: CounterexampleStep) {
    if rows.isEmpty {
      opening += step.events
    } else {
      rows[rows.count - 1].events += step.events
    }
  }

  /// Returns whether a step may have a row of its own.
  ///
  /// The step that violates the invariant always may have a row. A step before the plan's first
  /// command may have a row unless it only launches actors. A step after the plan's last command may
  /// have a row only if it precedes the violation and touches the lost transaction, the one that the
  /// violation is about.
  private func matters(_ step: CounterexampleStep) -> Bool {
    if step.contains(violation.at) { return true }
    switch step.phase {
    case .opening: return !step.onlyLaunches
    case .plan: return true
    case .closing:
      guard let name = violation.transaction, step.at < violation.at else { return false }
      return step.touches(name)
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
    row.actor = step.actor
    row.verb = CounterexamplePhrase.printable(step.verb)
    row.text = text
    row.events = step.events
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

  /// Adds one row for all steps in `hidden`, which have no row of their own, and empties `hidden`.
  ///
  /// These are usually steps after the plan's last command.
  private mutating func closeUp(_ hidden: inout [CounterexampleStep]) {
    guard !hidden.isEmpty else { return }
    let words = hidden.map(\.verb).uniqued.map(CounterexamplePhrase.printable)
    let count = hidden.count.counted("closing step")
    let note = "\(count): \(words.joined(separator: ", "))"
    var row = CounterexampleRow(kind: .quiet, note: note)
    row.text = note
    row.events = hidden.flatMap(\.events)
    rows.append(row)
    hidden = []
  }
}

/// The texts of tooltips, which contain names and values in full.
extension CounterexampleStory {
  /// Returns the actor, action and time of a row, for a tooltip.
  func value(of row: CounterexampleRow) -> String {
    let place = row.number.isEmpty ? "" : "Step \(row.number), "
    let who = row.actor.map { CounterexamplePhrase.printable($0.name) } ?? "the store"
    let times = row.events.compactMap { event -> String? in
      guard case .committed(let transaction) = event.kind else { return nil }
      return " at \(CounterexamplePhrase.value(.double(transaction.timestamp))) s"
    }
    let text = "\(place)\(who): \(row.text)\(times.first ?? "")"
    return text.replacing("\u{a0}", with: " ")
  }

  /// Returns a transaction's author, context, time and changes, for a tooltip.
  func value(of name: TransactionName) -> String {
    typealias Say = CounterexamplePhrase
    guard let text = transaction(named: name) else { return Say.name(name) }
    let author = text.author.map { "author " + Say.printable($0) } ?? "no author"
    let context = text.context.map { ", context " + Say.printable($0) } ?? ""
    let changes = text.changes.map { change in
      "\(change.type.word) \(Say.object(change.object, change.values))"
    }
    let time = Say.value(.double(text.timestamp))
    let said = changes.isEmpty ? "no changes" : Say.list(changes)
    return "\(Say.name(name)): \(author)\(context), at \(time) s; \(said)"
      .replacing("\u{a0}", with: " ")
  }

  /// Returns the movements of an actor's cursor, row by row, for a tooltip.
  func cursors(of actor: ActorID, _ positions: [TracePositions]) -> String {
    var text = ["The cursor of \(CounterexamplePhrase.printable(actor.name))"]
    for (row, (before, after)) in zip(rows, zip(positions, positions.dropFirst())) {
      guard let cursor = after.cursors[actor], cursor != before.cursors[actor] else { continue }
      let place = row.number.isEmpty ? "then" : "step \(row.number)"
      text.append("\(place): \(CounterexamplePhrase.cursor(after.name(at: cursor)))")
    }
    return text.joined(separator: "; ")
  }
}

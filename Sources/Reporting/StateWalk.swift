import HistoryTypes
package import Traces

/// The states of a system between the commands of a plan; the page shows one state at a time.
///
/// A slider chooses the state: it moves with the pointer, the arrow keys, Home and End. A picture below
/// the slider marks the chosen state in its rows and on its curve. A click on a row or on a point
/// of the curve also chooses a state. Without a script, and on paper, all states appear in order.
package struct StateWalk: Sendable, Hashable {
  /// One state of the system, after a command.
  package struct Step: Sendable, Hashable {
    /// The command that led to the state.
    package var title: String
    /// Sentences about the state.
    package var details: [String]
    /// The table that shows the state.
    package var table: ReportTable
    /// Whether the command that led to the state violates the invariant.
    package var isBroken: Bool

    package init(title: String, details: [String], table: ReportTable, isBroken: Bool = false) {
      self.title = title
      self.details = details
      self.table = table
      self.isBroken = isBroken
    }
  }

  /// The text before the slider that chooses the state, such as `State after command`.
  package var label: String
  /// The states, in the order of the plan.
  package var steps: [Step]
  /// The picture of the plan, or `nil` for none.
  ///
  /// The picture's curve has one point for each state.
  package var picture: CounterexamplePicture?

  /// Creates a choice of states for a page; by default, without a picture of the plan.
  package init(label: String, steps: [Step], picture: CounterexamplePicture? = nil) {
    self.label = label
    self.steps = steps
    self.picture = picture
  }

  /// Returns the slider, the states, the picture, and the script that shows one state at a time.
  func html() -> HTML {
    let last = max(0, steps.count - 1)
    let slider = HTML.element(
      "label",
      ["class": "walk-slider"],
      [
        .element("span", text: label),
        .shape(
          "input",
          [
            "type": "range", "min": "0", "max": String(last), "value": String(last),
          ]
        ),
      ]
    )
    let states = steps.map { step in
      HTML.element(
        "div",
        ["class": step.isBroken ? "walk-step bad" : "walk-step"],
        [.element("p", [:], [.element("strong", text: step.title)])]
          + step.details.map { .element("p", text: $0) } + [step.table.html()]
      )
    }
    return .element(
      "div",
      ["class": "walk"],
      [
        .element(
          "div",
          ["class": "walk-panel"],
          [slider, .element("div", ["class": "walk-steps", "aria-live": "polite"], states)]
        )
      ] + (picture.map { [$0.html()] } ?? []) + [.element("script", [:], [.own(Self.script)])]
    )
  }

  /// Returns the states as Markdown, one after the other.
  func markdown() -> String {
    steps.map { step in
      (["**\(step.title)**"] + step.details + [step.table.markdown()]).joined(separator: "\n\n")
    }.joined(separator: "\n\n")
  }

  /// The script that shows the chosen state, and marks that state's row and curve point in the picture.
  private static let script = #"""
    for (const walk of document.querySelectorAll(".walk:not(.on)")) {
      const slider = walk.querySelector("input"), steps = walk.querySelectorAll(".walk-step");
      const marks = walk.querySelectorAll("[data-walk]");
      const states = (mark) => mark.dataset.walk.split(" ");
      const show = () => {
        const place = Number(slider.value);
        steps.forEach((step, at) => step.classList.toggle("now", at === place));
        marks.forEach((mark) => mark.classList.toggle("now", states(mark).includes(slider.value)));
        slider.setAttribute("aria-valuetext", steps[place].querySelector("strong").textContent);
      };
      walk.classList.add("on");
      slider.addEventListener("input", show);
      walk.addEventListener("click", (e) => {
        const mark = e.target.closest("[data-walk]");
        if (!mark || String(getSelection())) return;
        slider.value = states(mark).at(-1);
        show();
      });
      show();
    }
    """#
}

/// The steps of a trace, and the state after each of them.
package struct TraceWalk: Sendable {
  /// One step of a trace: a command, or an event between two commands.
  package struct Step: Sendable, Hashable {
    /// The command's number, counted from 1; `nil` for a step outside of the plan.
    package let number: Int?
    /// The actor or consumer of the step; `nil` for the store and the clock.
    package let actor: ActorID?
    /// A short description of the action.
    package let text: String
    /// The position of the step's last event in the trace.
    package let lastAt: Int
    /// Whether the step violates the invariant.
    package let isBroken: Bool
  }

  /// The steps up to the plan's last command, in order, including launches before the first one.
  package let steps: [Step]
  private let trace: Trace

  /// Creates the steps of a trace, and marks the step that violates the invariant.
  package init(_ trace: Trace, violation: Violation? = nil) {
    self.trace = trace
    let narrator = CounterexampleNarrator(trace, violationAt: violation?.at)
    steps = CounterexampleStep.all(of: trace).filter { $0.phase != .closing }.compactMap { step in
      let text = narrator.text(of: step).replacing("\u{a0}", with: " ")
      let isBroken = violation.map { step.contains($0.at) } ?? false
      guard !text.isEmpty || step.position != nil else { return nil }
      return Step(
        number: step.position.map { $0 + 1 },
        actor: step.actor,
        text: text,
        lastAt: step.events.last?.at ?? step.at,
        isBroken: isBroken
      )
    }
  }

  /// Returns a table of the state after the event with the number `at`.
  ///
  /// The table has the cursor of each actor and consumer, and the contents of each actor's contexts.
  /// It also has the store's data, history and watermark (the least cursor of all members).
  ///
  /// `answers` are events in which the actors report the contents of their contexts in this state,
  /// and the store its data. The cursors, the watermark and the history come from the trace.
  ///
  /// - Complexity: linear in the trace up to the event.
  package func state(after at: Int, answers: [Event]) -> ReportTable {
    var positions = TracePositions()
    for event in trace.events.prefix(while: { $0.at <= at }) { positions.apply(event) }
    var table = ReportTable(columns: [.text("who"), .text("cursor"), .text("holds")])
    let header = trace.header.plan.header
    for id in header.actors.map(\.id) + header.consumers {
      for row in rows(of: id, positions, answers) { table.append(row) }
    }
    table.append([
      "store", "watermark \(Self.label(positions.watermark, positions))",
      data(answers) + "; history: \(CounterexamplePhrase.names(positions.held))",
    ])
    return table
  }

  private func rows(
    of id: ActorID,
    _ positions: TracePositions,
    _ answers: [Event]
  ) -> [[String]] {
    let name = CounterexamplePhrase.printable(id.name)
    let cursor = Self.label(positions.cursors[id], positions)
    guard positions.running.contains(id) else { return [[name, cursor, "(does not run)"]] }
    let views = answers.compactMap { event -> [String]? in
      guard event.actor == id, case .viewed(let context, let objects) = event.kind else {
        return nil
      }
      let text = context == "view" ? "view" : "view \(CounterexamplePhrase.printable(context))"
      return [name, cursor, "\(text): \(Self.plain(objects))"]
    }
    return views.isEmpty ? [[name, cursor, ""]] : views
  }

  private func data(_ answers: [Event]) -> String {
    for event in answers {
      if case .data(let objects) = event.kind { return "data: \(Self.plain(objects))" }
    }
    return "data: unknown"
  }

  private static func plain(_ objects: Objects) -> String {
    CounterexamplePhrase.objects(objects).replacing("\u{a0}", with: " ")
  }

  private static func label(_ cursor: Int?, _ positions: TracePositions) -> String {
    cursor.map { CounterexamplePhrase.cursor(positions.name(at: $0)) } ?? "none"
  }
}

/// The cursors, the watermark (least cursor) and the content of history after the events so far.
///
/// A cursor is given as the number of transactions up to it, in commit order; 0 is before the first
/// transaction. Members are the actors and consumers that the trace registers, until they retire or
/// are cut off.
package struct TracePositions: Sendable, Hashable {
  /// The committed transactions, in commit order.
  package private(set) var transactions: [TransactionName] = []
  /// The indices in `transactions` of the transactions that were purged, or lost in a power-off.
  package private(set) var purged: Set<Int> = []
  /// The number of transactions up to each member's cursor.
  package private(set) var cursors: [ActorID: Int] = [:]
  /// The actors and consumers that are launched.
  package private(set) var running: Set<ActorID> = []
  private var positions: [TransactionName: Int] = [:]

  /// Creates the state before the first event.
  package init() {}

  /// The least cursor of all members; `nil` if there are no members.
  package var watermark: Int? { cursors.values.min() }

  /// The transactions that are in history, in commit order.
  package var held: [TransactionName] {
    transactions.indices.filter { !purged.contains($0) }.map { transactions[$0] }
  }

  /// Returns the position of a transaction; `nil` if no event committed or listed it.
  package func position(of name: TransactionName) -> Int? { positions[name] }

  /// Returns the transaction at a cursor; `nil` before the first transaction.
  package func name(at cursor: Int) -> TransactionName? {
    cursor > 0 ? transactions[cursor - 1] : nil
  }

  /// Updates the state with an event.
  ///
  /// - Complexity: linear in the transactions that the event names.
  package mutating func apply(_ event: Event) {
    switch event.kind {
    case .committed(let transaction): add(transaction.name)
    case .history(let held): for transaction in held { add(transaction.name) }
    case .purged(let names): purged.formUnion(names.compactMap { positions[$0] })
    case .recovered(let last): recover(through: last)
    default: break
    }
    guard let actor = event.actor else { return }
    switch event.kind {
    case .registered(let cursor), .launched(let cursor):
      running.insert(actor)
      cursors[actor] = count(through: cursor)
    case .recorded(let cursor) where cursors[actor] != nil: cursors[actor] = count(through: cursor)
    case .resynced(let cursor): cursors[actor] = count(through: cursor)
    case .consumed(let names): consume(actor, names)
    case .stopped, .crashed: running.remove(actor)
    case .lost: cursors[actor] = nil
    case .retired:
      running.remove(actor)
      cursors[actor] = nil
    default: break
    }
  }

  private mutating func add(_ name: TransactionName) {
    guard positions[name] == nil else { return }
    positions[name] = transactions.count
    transactions.append(name)
  }

  /// Removes the transactions that a power-off rolled back, because their names may be reused.
  private mutating func recover(through last: TransactionName?) {
    for position in count(through: last)..<transactions.count {
      purged.insert(position)
      positions[transactions[position]] = nil
    }
  }

  private func count(through cursor: TransactionName?) -> Int {
    cursor.flatMap { positions[$0] }.map { $0 + 1 } ?? 0
  }

  private mutating func consume(_ actor: ActorID, _ names: [TransactionName]) {
    guard let cursor = cursors[actor] else { return }
    cursors[actor] = max(cursor, names.map { count(through: $0) }.max() ?? 0)
  }
}

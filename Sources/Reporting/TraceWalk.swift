package import PersistentHistory
package import Traces

/// A trace to walk through: what each step did, and where everyone stood after it.
package struct TraceWalk: Sendable {
  /// A command, what came by itself between two, or something of the closing phase.
  package struct Step: Sendable, Hashable {
    /// The command's number, counted from 1; nothing for what the plan did not ask for.
    package let number: Int?
    /// Who did it; nothing for the store and the clock.
    package let actor: ActorID?
    /// What was done, in a few words.
    package let text: String
    /// The position of its last event in the trace.
    package let lastAt: Int
    /// Whether it breaks the invariant.
    package let isBroken: Bool
  }

  /// The launches of the beginning and the steps of the plan, in order; the closing phase is left out.
  package let steps: [Step]
  private let trace: Trace

  /// Takes the steps of a trace; the one that breaks an invariant is marked.
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

  /// Where everyone stands after an event, with what the contexts and the store answered then.
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
      guard event.actor == id, case .viewed(let context, let objects) = event.happening else {
        return nil
      }
      let told = context == "view" ? "view" : "view \(CounterexamplePhrase.printable(context))"
      return [name, cursor, "\(told): \(Self.plain(objects))"]
    }
    return views.isEmpty ? [[name, cursor, ""]] : views
  }

  private func data(_ answers: [Event]) -> String {
    for event in answers {
      if case .data(let objects) = event.happening { return "data: \(Self.plain(objects))" }
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

/// A counterexample for people: who did what, in order, and the step at which it broke.
package struct StepTable: Sendable, Hashable {
  /// One step.
  package struct Step: Sendable, Hashable {
    /// Its number, as the plan or the trace counts.
    package var number: Int
    /// Who did it; empty for the lab itself.
    package var actor: String
    /// What it did.
    package var action: String
    /// What came of it.
    package var outcome: String
    /// How the step stands out; nil for a plain one.
    package var mark: VerdictState?

    /// Makes a step.
    package init(
      number: Int,
      actor: String,
      action: String,
      outcome: String,
      mark: VerdictState? = nil
    ) {
      self.number = number
      self.actor = actor
      self.action = action
      self.outcome = outcome
      self.mark = mark
    }
  }

  /// What the steps show, in a few words.
  package var caption: String
  /// The steps in order.
  package var steps: [Step]

  /// Makes a table of steps.
  package init(caption: String, steps: [Step]) {
    self.caption = caption
    self.steps = steps
  }

  /// The actors in the order of their first step, the lab left out.
  package var actors: [String] {
    var seen: Set<String> = [""]
    return steps.map(\.actor).filter { seen.insert($0).inserted }
  }

  /// The same as a plain table, for terminals and Markdown.
  package var table: ReportTable {
    var table = ReportTable(
      caption: caption,
      columns: [.number("step"), .text("who"), .text("does"), .text("what comes of it")]
    )
    for step in steps {
      let cells = [String(step.number), step.actor, step.action, step.outcome]
      table.append(ReportTable.Row(cells, mark: step.mark))
    }
    return table
  }
}

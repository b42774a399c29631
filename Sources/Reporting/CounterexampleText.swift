internal import PersistentHistory
package import Traces

/// A counterexample as text for a terminal: who did what, step by step, and what was lost.
///
/// One column an actor, one for the consumers, one line a step. The transaction that was lost is
/// followed from its write to its loss by a line beside the steps, in colour if that is asked for;
/// the step that breaks the invariant is marked `>`. Everything is taken from the trace.
package struct CounterexampleText {
  /// The columns of the terminal; lines are not longer, the replay command excepted.
  package var width: Int
  /// Whether the text has escape sequences for colours.
  package var colour: Bool

  package init(width: Int = 100, colour: Bool = false) {
    self.width = width
    self.colour = colour
  }

  /// The text, each line with its newline.
  ///
  /// The replay command is the one that shows the same again; it is printed as it is given.
  ///
  /// - Complexity: linear in the trace.
  package func render(_ counterexample: Counterexample, replay: String) -> String {
    let story = CounterexampleStory(counterexample, isNarrow: isNarrow(counterexample))
    let table = CounterexampleTable(
      headings: story.headings,
      rows: story.rows,
      life: story.life,
      width: width,
      colour: colour
    )
    let paragraphs = [
      wrapped(story.title, .bold), table.lines(), wrapped(story.sentence, nil) + lived(story),
      ["Replay: " + replay],
    ]
    return paragraphs.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  /// Whether the actors are too many for a column each.
  private func isNarrow(_ counterexample: Counterexample) -> Bool {
    let header = counterexample.trace.header.plan.header
    let columns = header.actors.count + (header.consumers.isEmpty ? 0 : 1)
    return columns > 1 && !CounterexampleTable.fits(columns, within: width)
  }

  private func lived(_ story: CounterexampleStory) -> [String] {
    story.lifeSentence.map { wrapped($0, nil) } ?? []
  }

  private func wrapped(_ text: String, _ style: CounterexampleStyle?) -> [String] {
    CounterexampleCell.wrap(text, to: max(1, width)).map { line in
      guard colour, let style else { return line }
      return style.rawValue + line + CounterexampleStyle.end
    }
  }
}

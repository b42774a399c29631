internal import PersistentHistory
package import Traces

/// A counterexample as text for a terminal: the steps by actor, and the loss.
///
/// It has one column per actor, one for the consumers, and one row per step. A line next to the
/// steps follows the lost transaction from its write to its loss, optionally in colour; the step
/// that violates the invariant is marked `>`. All content comes from the trace.
package struct CounterexampleText {
  /// The maximum length of lines in terminal columns, except for the replay command.
  package var width: Int
  /// Whether the text contains escape sequences for colours.
  package var colour: Bool

  package init(width: Int = 100, colour: Bool = false) {
    self.width = width
    self.colour = colour
  }

  /// Returns the text, each line with its newline.
  ///
  /// The replay command reproduces the counterexample; it is printed unchanged.
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

  /// Returns whether the actors are too many for one column each.
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

internal import HistoryTypes
package import Traces

/// A counterexample as text for a terminal: the steps by actor, and the lost transaction.
///
/// The text has one column per actor, one column for all consumers, and one row per step. A vertical
/// line next to the steps follows the lost transaction from its write to its loss, optionally in
/// colour. The step that violates the invariant is marked `>`. All content comes from the trace.
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

  /// Returns whether there are too many actors for one column per actor.
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

/// A web page for one counterexample: its picture, and the commands to run it again.
package struct CounterexamplePage: Sendable {
  package var counterexample: Counterexample
  /// A sentence that explains the violated invariant; `nil` leaves the sentence out.
  package var meaning: String?
  /// The command that replays the counterexample.
  package var replay: String
  /// The name of the counterexample's file in the page's folder.
  package var file: String

  package init(
    _ counterexample: Counterexample,
    meaning: String? = nil,
    replay: String,
    file: String
  ) {
    self.counterexample = counterexample
    self.meaning = meaning
    self.replay = replay
    self.file = file
  }

  /// Returns the page as one HTML file that needs no network and no script.
  package func html() -> String { page.html(images: .drawn([:])) }

  private var page: ReportPage {
    let story = CounterexampleStory(counterexample, isNarrow: false)
    let checker = CounterexamplePhrase.printable(counterexample.violation.checker)
    let meant = meaning.map { [PageBlock.definitions([.init(checker, $0)])] } ?? []
    let lived = story.lifeSentence.map { [PageBlock.paragraph($0)] } ?? []
    return ReportPage(
      title: story.title,
      lead: story.sentence,
      sections: [
        PageSection(
          "What happened",
          meant + [.counterexample(CounterexamplePicture(counterexample))] + lived
        ),
        PageSection("See it again", again),
      ],
      environment: counterexample.trace.header.versions.sorted { $0.key < $1.key }
        .map { ReportPage.Fact($0.key, $0.value) }
    )
  }

  /// The sentence for pages that says how to install the `history-lab` command.
  package static let installSentence =
    "The script scripts/install of the package puts history-lab on the PATH."

  private var again: [PageBlock] {
    let plan = PlanCodec.encode(counterexample.trace.header.plan)
    return [
      .command(replay, purpose: "Run the plan again, in the folder of this page:"),
      .command(replay + " --step", purpose: "Walk through the plan, one command at a time:"),
      .paragraph(Self.installSentence),
      .command(plan, purpose: "The plan, to save as a file:"),
      .link(path: file, text: "The plan with all events of its run"),
      .paragraph(
        "That file is a complete test: copy it unchanged into a folder of counterexamples that tests "
          + "replay, such as Tests/HistoryLabTests/Counterexamples."
      ),
    ]
  }
}

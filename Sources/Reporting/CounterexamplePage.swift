internal import PersistentHistory
package import Traces

/// A web page for one counterexample: its picture, and the commands to run it again.
package struct CounterexamplePage: Sendable {
  /// The counterexample to show.
  package var counterexample: Counterexample
  /// A sentence that explains the violated invariant, or `nil` to omit it.
  package var meaning: String?
  /// The command that replays the counterexample.
  package var replay: String
  /// The name of the counterexample's file in the page's folder.
  package var file: String

  /// Creates a page.
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

  /// Returns the page as one HTML file that needs neither network nor script.
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

  private var again: [PageBlock] {
    let plan = PlanCodec.encode(counterexample.trace.header.plan)
    return [
      .command(replay, purpose: "Run it again, in the folder of this page:"),
      .command(replay + " --step", purpose: "Walk through it, a command at a time:"),
      .command(plan, purpose: "The plan, for a file of one's own:"),
      .link(path: file, text: "The plan with everything that happened"),
      .paragraph(
        "That file is a test as it stands: where a folder of counterexamples is replayed with the tests, "
          + "as in Tests/HistoryLabTests/Counterexamples, drop it in unchanged."
      ),
    ]
  }
}

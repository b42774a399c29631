/// The specification of the whole command.
struct ToolSpec: Sendable {
  let name: String
  let sentence: String
  let verbs: [VerbSpec]
  let examples: [Example]

  /// The verbs that can be run, subverbs included.
  var leaves: [VerbSpec] { verbs.flatMap(\.leaves) }

  /// Returns the words that print the help of a verb, or of the tool.
  func hint(for verb: VerbSpec?) -> String {
    [verb?.name, "--help"].compactMap { $0 }.joined(separator: " ")
  }
}

extension ToolSpec {
  /// The specification of the command `history-lab`.
  static let historyLab = ToolSpec(
    name: "history-lab",
    sentence: "tests persistent history tracking, and measures what it costs.",
    verbs: [
      CheckVerb.spec, ReplayVerb.spec, ExploreVerb.spec, MutantsVerb.spec, StressVerb.spec,
      BenchRunVerb.group, ReportVerb.spec, HistoryListVerb.group, InspectVerb.spec,
      AdviseVerb.spec, ConvertVerb.spec, ServeVerb.spec, ProtocolCheckVerb.group, ListVerb.spec,
    ],
    examples: [
      Example("check", "200 random plans on our tracker."),
      Example("check --system article --seed 1", "A published protocol, and what breaks it."),
      Example("bench run --quick", "What fetch, merge and purge cost, in under a minute."),
      Example("inspect Photos.sqlite", "What the history of a store file holds."),
    ]
  )

  static let version = "0.2.0"
}

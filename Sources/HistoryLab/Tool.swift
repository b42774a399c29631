extension ToolSpec {
  /// The specification of the command `history-lab`.
  static let historyLab = ToolSpec(
    name: "history-lab",
    sentence: "tests persistent history tracking, and measures what it costs.",
    verbs: [
      CheckOptions.spec, ReplayOptions.spec, ExploreOptions.spec, MutantsOptions.spec,
      StressOptions.spec, BenchRunOptions.spec, ReportOptions.spec,
      HistoryListOptions.group, InspectOptions.spec, ConvertOptions.spec, ServeOptions.spec,
      ProtocolCheckOptions.group, ListOptions.spec,
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

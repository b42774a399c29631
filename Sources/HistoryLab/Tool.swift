import BenchCommands
import Commands
import FileCommands

extension ToolSpec {
  /// The specification of the command `history-lab`.
  static let historyLab = ToolSpec(
    name: commandName,
    sentence: "tests persistent history tracking, and measures what it costs.",
    verbs: [
      CheckVerb.spec, ReplayVerb.spec, WhyVerb.spec, BisectVerb.spec, ExploreVerb.spec,
      RepairVerb.spec, MutantsVerb.spec, StressVerb.spec, CampaignVerbs.group,
      .bench, ReportVerb.spec, HistoryListVerb.group, .inspect,
      .advise, .convert, ServeVerb.spec, ProtocolCheckVerb.group, .list,
    ],
    examples: [
      Example("check", "200 random plans on our tracker."),
      Example("check --system article --seed 1", "A published protocol, and what breaks it."),
      Example("bench run --quick", "What fetch, merge and purge cost, in under a minute."),
      Example("inspect Photos.sqlite", "What the history of a store file holds."),
    ]
  )
}

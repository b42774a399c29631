import Basics
import Campaigns
import Commands
import Reporting

struct CampaignStatusOptions: VerbOptions {
  @Argument(.campaign()) var folder: String
  @Flag(.json) var json
}

/// Shows the progress and the findings of a campaign.
struct CampaignStatusVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign status",
    sentence: "Shows which tasks are done, who works on the others, and what was found.",
    examples: [
      Example("campaign status search", "As text; the page is search/index.html."),
      Example("campaign status search --json", "As JSON."),
    ]
  ) { CampaignStatusVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignStatusOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let campaign = try CampaignFolder.open(options.folder, reader: .current(composition))
    if let sentence = campaign.differenceSentence { terminal.log("history-lab: \(sentence)") }
    let status = try LabError.mapping { () throws(CampaignError) in try CampaignStatus(campaign) }
    CampaignPage.write(status, of: campaign)
    if options.json {
      terminal.print(try JSONText.document(CampaignDocument(status), named: "the status"))
    } else {
      let text = CampaignText(status, folder: options.folder, command: terminal.command)
      terminal.print(text.sentence)
      if !text.estimate.isEmpty { terminal.print(text.estimate) }
      if status.done > 0 { terminal.print(text.states) }
      for table in text.tables { terminal.print(table) }
    }
    return status.exitCode
  }
}

struct CampaignDrainOptions: VerbOptions {
  @Argument(.campaign()) var folder: String
  @Flag("off", "Lets workers take tasks again.") var off
}

/// Makes the workers of a campaign end after their current task.
struct CampaignDrainVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign drain",
    sentence: "Makes all workers end after their current task.",
    examples: [
      Example("campaign drain search", "Before a machine is needed for something else."),
      Example("campaign drain search --off", "Lets workers take tasks again."),
    ]
  ) { CampaignDrainVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignDrainOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let campaign = try CampaignFolder.open(options.folder)
    try LabError.mapping { () throws(CampaignError) in try campaign.setDrained(!options.off) }
    let undo = terminal.command.line("campaign drain --off \(options.folder.shellQuoted)")
    terminal.print(
      options.off
        ? "Workers take tasks again; restart the workers that have ended."
        : "Workers end after their current task. To cancel this: \(undo)"
    )
    return .good
  }
}

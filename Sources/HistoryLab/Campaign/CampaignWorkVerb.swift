import Basics
import Campaigns
import Commands
import HistoryTypes
import Programs

struct CampaignWorkOptions: VerbOptions {
  @Argument(.campaign()) var folder: String
  @Option(.jobs) var jobs: Int
  @Option(
    "patience",
    .decimal("SECONDS", 1...86_400),
    "Repeats a task whose worker has not updated its claim for SECONDS."
  )
  var patience = 120.0
}

/// Runs tasks of a campaign until every task has a result or `campaign drain` stops all workers.
struct CampaignWorkVerb: Verb {
  static let spec = VerbSpec(
    name: "campaign work",
    sentence: "Takes tasks of a campaign until all are done, or the campaign is drained.",
    examples: [
      Example("campaign work search", "One worker; more may be started and killed at any time."),
      Example("campaign work search --jobs 2", "A worker that runs two plans at a time."),
    ]
  ) { CampaignWorkVerb(options: $0, composition: $1, terminal: $2) }

  let options: CampaignWorkOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let campaign = try CampaignFolder.open(options.folder, composition)
    let outcome = await work(on: campaign)
    let (count, status) = try LabError.mapping { () throws(CampaignError) in
      (try outcome.get(), try CampaignStatus(campaign))
    }
    CampaignPage.write(status, of: campaign)
    terminal.print("This worker added \(count.counted("result")).")
    terminal.print(CampaignText(status, folder: options.folder, command: terminal.command).sentence)
    return status.exitCode
  }
}

extension CampaignWorkVerb {
  /// Runs tasks on a separate thread, because the worker blocks while it waits for commands.
  private func work(on campaign: CampaignFolder) async -> Result<Int, CampaignError> {
    let bar = ProgressBar(WorkState("campaign", unit: "results"), on: terminal)
    defer { bar.finish() }
    return await withTaskGroup(of: Result<Int, CampaignError>.self) { group in
      group.addTask(executorPreference: ThreadPerJob()) {
        do throws(CampaignError) {
          return .success(try worker(on: campaign, bar).work())
        } catch {
          return .failure(error)
        }
      }
      return await group.next() ?? .success(0)
    }
  }

  private func worker(on campaign: CampaignFolder, _ bar: ProgressBar) -> CampaignWorker {
    let commands = composition[CampaignCommands.self]
    let executable = composition.command.map {
      TaskExecutable($0, build: campaign.program.build)
    }
    let page = CampaignPage()
    return CampaignWorker(
      campaign,
      name: CampaignProgram.workerName(composition),
      patience: .seconds(options.patience),
      isInterrupted: { Interruption.isRequested },
      onProgress: { isResult in
        if isResult {
          bar.advance()
          page.write(of: campaign)
        } else {
          page.writeIfDue(of: campaign)
        }
      },
      run: { (words, output, isWanted) throws(CampaignError) in
        // The file may be replaced before the command starts, so it is compared afterwards.
        let exit = try commands.run(
          words,
          output: output,
          jobs: options.jobs,
          composition,
          isWanted
        )
        try executable?.requireUnchanged()
        return exit
      }
    )
  }
}

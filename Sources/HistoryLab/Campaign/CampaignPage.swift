import Basics
import Campaigns
import Commands
import HistoryTypes
import Reporting
import Synchronization

/// The writer of a campaign's HTML page, which is replaced while the campaign runs.
///
/// The page is a file in the campaign's folder and needs no server. Each task's result is read only
/// once, because the page is written often.
final class CampaignPage: Sendable {
  /// The minimum time between two writes of the page by one worker.
  static let interval = Duration.seconds(5)
  /// The interval at which a browser reloads the page, in seconds.
  static let refreshSeconds = 10

  private struct State {
    var cache = ResultCache()
    /// The time at which the page is next due to be written; `nil` before the first write.
    var next: ContinuousClock.Instant?
    /// The version of the page's file when this worker last wrote or checked the file.
    var seen: FileVersion?
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> ContinuousClock.Instant

  /// Creates the writer of a page, which measures times with the given clock.
  init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Writes the page if it is due and no other worker has written it in the meantime.
  ///
  /// The page is due if this worker has not written it yet. After a write, it is due again after five
  /// seconds, or after ten times the duration of the write if that is longer. If another worker has
  /// written the page by then, this worker does not write it, and checks again after five seconds.
  ///
  /// Each write reads all tasks. Because of the delays, calls of this function use at most a tenth of
  /// a worker's time, and usually only one of several workers writes the page.
  func writeIfDue(of campaign: CampaignFolder) {
    let isDue = state.withLock { state in
      if let next = state.next, now() < next { return false }
      let version = FileVersion(Self.file(of: campaign))
      guard state.next != nil, version != state.seen else { return true }
      (state.next, state.seen) = (now() + Self.interval, version)
      return false
    }
    if isDue { write(of: campaign) }
  }

  /// Writes the page; if that fails, the page stays as it was.
  ///
  /// Errors are ignored, because a page that cannot be written must not end a worker. A problem
  /// that also affects tasks is reported by the tasks.
  func write(of campaign: CampaignFolder) {
    let start = now()
    let file = Self.file(of: campaign)
    defer {
      let end = now()
      let next = end + max(Self.interval, (end - start) * 10)
      state.withLock { ($0.next, $0.seen) = (next, FileVersion(file)) }
    }
    do throws(CampaignError) {
      let status = try state.withLock { state throws(CampaignError) in
        try CampaignStatus(campaign, &state.cache)
      }
      Self.write(status, of: campaign)
    } catch {
      return
    }
  }

  /// Writes the page for a status that was just read.
  ///
  /// If writing fails, the page stays as it was.
  static func write(_ status: CampaignStatus, of campaign: CampaignFolder) {
    do throws(LabError) {
      try PageFile.write(html(status), to: file(of: campaign))
    } catch {
      return
    }
  }

  private static func file(of campaign: CampaignFolder) -> String { campaign.path + "/index.html" }

  /// Returns the HTML of the page, which uses no other files.
  static func html(_ status: CampaignStatus) -> String {
    let (growth, drawings) = CampaignCharts(status.growth).sections
    return page(status, growth).html(images: .drawn(drawings))
  }

  private static func page(_ status: CampaignStatus, _ growth: [PageSection]) -> ReportPage {
    let text = CampaignText(status, folder: "", command: .plain)
    var page = ReportPage(
      title: "Campaign",
      lead: [text.sentence, text.estimate].filter { !$0.isEmpty }.joined(separator: " "),
      tiles: tiles(status, text),
      sections: text.tables.filter { $0.caption != text.workers.caption }.map { table in
        var plain = table
        plain.caption = ""
        return PageSection(table.caption, [.table(plain)])
      } + growth,
      environment: [
        .init("Lab", status.program.lab), .init("Build", status.program.build),
        .init("Libraries", status.program.libraries),
      ]
    )
    // The page of a drained campaign is complete once no worker is in the middle of a task.
    if status.left > 0, !status.isDrained || !status.claimed.isEmpty {
      page.refreshSeconds = refreshSeconds
    }
    return page
  }

  private static func tiles(_ status: CampaignStatus, _ text: CampaignText) -> [VerdictTile] {
    [
      VerdictTile(
        subject: "Work",
        state: status.left == 0 && status.givenUp.isEmpty && status.undecided.isEmpty
          ? .good : .unknown,
        word: status.left == 0 ? "done" : status.isDrained ? "drained" : "goes on",
        answer: "\(status.done.grouped) of \(status.tasks.grouped)",
        detail: "tasks with a result"
      ),
      VerdictTile(
        subject: "Failures",
        state: status.verdict == "invalid" ? .bad : .good,
        word: status.verdict == "invalid" ? "found" : "none so far",
        answer: (status.groups.count + status.foundWithoutPlan.count).grouped,
        detail: status.failures.isEmpty
          ? "equal plans are counted once"
          : "groups of \(status.failures.count.counted("failure"))"
      ),
      plans(status), states(status.growth),
    ]
  }

  private static func plans(_ status: CampaignStatus) -> VerdictTile {
    let seconds = status.growth.workers.map(\.planSeconds).reduce(0, +)
    guard status.plans > 0, seconds > 0 else {
      return VerdictTile(
        subject: "Plans",
        state: .unknown,
        word: "not measured",
        answer: "unknown",
        detail: "Only check counts plans."
      )
    }
    let rate = NumberText.significant(Double(status.plans) / seconds)
    return VerdictTile(
      subject: "Plans",
      state: .measured,
      answer: status.plans.grouped,
      detail: "\(status.steps.grouped) steps; \(rate) plans a second and worker"
    )
  }

  private static func states(_ growth: CampaignGrowth) -> VerdictTile {
    guard let states = growth.states else {
      return VerdictTile(
        subject: "Different states",
        state: .unknown,
        word: "not measured",
        answer: "unknown",
        detail: "Only check and explore count states."
      )
    }
    let left = zip(states.newShare, states.newShareError).map { share, error in
      "Counted in one of \(PlanRecipe.readShare) random plans. A state of the next random plan is a new one "
        + "with a probability of about \(CampaignText.share(share, error))."
    }
    return VerdictTile(
      subject: "Different states",
      state: .measured,
      answer: CampaignText.distinct(states),
      detail: left ?? "Without random plans, the states not reached yet cannot be estimated."
    )
  }

  private static func zip(_ one: Double?, _ other: Double?) -> (Double, Double)? {
    guard let one, let other else { return nil }
    return (one, other)
  }
}

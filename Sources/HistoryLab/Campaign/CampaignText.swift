import Basics
import Campaigns
import Commands
import Foundation
import HistoryTypes
import Reporting

/// The status of a campaign as text and as a page.
struct CampaignText {
  private let status: CampaignStatus
  private let folder: String
  private let command: ShellCommand

  init(_ status: CampaignStatus, folder: String, command: ShellCommand) {
    (self.status, self.folder, self.command) = (status, folder, command)
  }

  /// The campaign's status in one line.
  var sentence: String {
    var parts = [
      "\(status.done.grouped) of \(status.tasks.counted("task")) done",
      "\(status.plans.counted("plan")), \(status.steps.counted("step"))",
      status.failures.isEmpty
        ? "nothing found" : "\(status.failures.count.counted("failure")) found",
    ]
    let others = status.foundWithoutPlan.count
    if others > 0 { parts.append("\(others.counted("task")) failed without a counterexample") }
    if !status.undecided.isEmpty {
      parts.append("\(status.undecided.count.counted("task")) undecided")
    }
    if !status.givenUp.isEmpty { parts.append("\(status.givenUp.count.counted("task")) given up") }
    if status.isDrained { parts.append("drained") }
    return parts.joined(separator: "; ") + "."
  }

  /// An estimate of the failures that the campaign has not found yet; empty if no plans have run.
  var estimate: String {
    let estimate = status.estimate
    if let share = estimate.failingShareMax {
      return "With a confidence of 95 %, at most one in \(Int(1 / share).grouped) random plans "
        + "fails."
    }
    guard let share = estimate.newFailureShare, let least = estimate.unseenCountMin else {
      return ""
    }
    return "The next counterexample is a new failure with a probability of about "
      + "\(Int((100 * share).rounded())) %; the estimated number of further failures is at least "
      + "\(Int(least.rounded(.up)).grouped)."
  }

  /// The tables that have rows.
  var tables: [ReportTable] {
    [
      failures, results(status.foundWithoutPlan, "Found, without a counterexample"),
      results(status.undecided, "Undecided"), claimed, givenUp, workers,
    ]
    .filter { !$0.rows.isEmpty }
  }

  /// The failures, the most frequent first.
  var failures: ReportTable {
    var table = ReportTable(
      caption: "Found",
      columns: [
        .text("system"), .text("invariant"), .number("plans"), .number("tasks"),
        .text("seed:plan"), .number("commands"), .text("seen again"), .text("replay"),
      ]
    )
    for failure in status.failures {
      let again = failure.isConfirmed.map { $0 ? "yes" : "no" } ?? "not tried"
      let file = (folder.isEmpty ? "" : folder + "/") + failure.path
      table.append([
        failure.system, failure.invariant, failure.planCount.grouped, failure.tasks.count.grouped,
        Self.places(failure.plans),
        failure.commandCount.grouped, again,
        command.line("replay \(file.shellQuoted)"),
      ])
    }
    return table
  }

  /// Returns the first and the last plan that shrank to a failure, each as `SEED:PLAN`.
  private static func places(_ plans: [KnownFailure.Place]) -> String {
    guard let first = plans.first, let last = plans.last else { return "" }
    func text(_ place: KnownFailure.Place) -> String {
      "0x\(String(place.seed, radix: 16)):\(place.plan)"
    }
    if first == last { return text(first) }
    return text(first) + "–" + (first.seed == last.seed ? String(last.plan) : text(last))
  }

  private var claimed: ReportTable {
    var table = ReportTable(
      caption: "Tasks in progress",
      columns: [.text("task"), .text("worker"), .number("claim"), .text("")]
    )
    for claim in status.claimed {
      table.append([claim.task, claim.worker, String(claim.claim), claim.failure ?? ""])
    }
    return table
  }

  /// Returns a table of results, with the file that contains each command's findings.
  private func results(_ results: [TaskResult], _ caption: String) -> ReportTable {
    var table = ReportTable(caption: caption, columns: [.text("task"), .text("read")])
    for result in results {
      let place = CampaignFolder.resultPath(ofTask: result.task) + "/output.txt"
      table.append([result.task, (folder.isEmpty ? "" : folder + "/") + place])
    }
    return table
  }

  private var givenUp: ReportTable {
    var table = ReportTable(caption: "Given up", columns: [.text("task"), .text("reason")])
    for result in status.givenUp { table.append([result.task, result.because ?? ""]) }
    return table
  }

  private var workers: ReportTable {
    var table = ReportTable(caption: "Workers", columns: [.text("worker"), .number("results")])
    for (worker, count) in status.resultsByWorker.sorted(by: { $0.key < $1.key }) {
      table.append([worker, count.grouped])
    }
    return table
  }
}

/// The status of a campaign as JSON, in the format of `campaign status --json`.
struct CampaignDocument: Encodable {
  /// The version of the format.
  let campaignStatus = 1
  let verdict: String
  let status: CampaignStatus
  let estimate: FailureEstimate

  init(_ status: CampaignStatus) {
    (verdict, self.status, estimate) = (status.verdict, status, status.estimate)
  }
}

/// The page of a campaign, a file in its folder that is replaced while the campaign runs.
enum CampaignPage {
  /// Writes the page; if that fails, the page stays as it was.
  ///
  /// Errors are ignored, because a page that cannot be written must not end a worker. A problem
  /// that also affects tasks is reported by the tasks.
  static func write(of campaign: CampaignFolder) {
    do {
      let page = page(try CampaignStatus(campaign))
      try PageFile.write(page.html(images: .drawn([:])), to: campaign.path + "/index.html")
    } catch {
      return
    }
  }

  static func page(_ status: CampaignStatus) -> ReportPage {
    let text = CampaignText(status, folder: "", command: .plain)
    let rate = status.seconds > 0 ? Double(status.plans) / status.seconds : 0
    return ReportPage(
      title: "Campaign",
      lead: [text.sentence, text.estimate].filter { !$0.isEmpty }.joined(separator: " "),
      tiles: [
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
          answer: (status.failures.count + status.foundWithoutPlan.count).grouped,
          detail: "equal plans are counted once"
        ),
        VerdictTile(
          subject: "Plans",
          state: .measured,
          answer: status.plans.grouped,
          detail:
            "\(status.steps.grouped) steps; \(NumberText.significant(rate)) plans a second and worker"
        ),
      ],
      sections: text.tables.map { table in
        var plain = table
        plain.caption = ""
        return PageSection(table.caption, [.table(plain)])
      },
      environment: []
    )
  }
}

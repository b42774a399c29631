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
    var parts = ["\(status.done.grouped) of \(status.tasks.counted("task")) done"]
    // The results of explorations have no count of plans.
    if status.plans > 0 || status.done == 0 {
      parts.append("\(status.plans.counted("plan")), \(status.steps.counted("step"))")
    }
    parts.append(
      status.failures.isEmpty
        ? "nothing found"
        : "\(status.failures.count.counted("failure")) found, in \(status.groups.count.counted("group"))"
    )
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
    guard let share = estimate.newFailureShare, let error = estimate.newFailureShareError,
      let least = estimate.unseenCountMin
    else { return "" }
    return "The next counterexample is a new failure with a probability of about "
      + "\(Self.share(share, error)); the estimated number of further failures "
      + "is at least \(Int(least.rounded(.up)).grouped)."
  }

  /// The number of different states, and an estimate of the states that no plan has reached.
  var states: String {
    guard let states = status.growth.states else {
      return "States: not measured; only check and explore count them."
    }
    let count = "\(Self.distinct(states)) different states\(Self.counted(status.growth))."
    guard let share = states.newShare, let error = states.newShareError,
      let least = states.unseenMin
    else { return count }
    return "\(count) A state of the next random plan is a new one with a probability of about "
      + "\(Self.share(share, error)); such plans can reach at least "
      + "\(Self.rounded(least.rounded(.up))) further states."
  }

  /// Returns a phrase that says in which plans the states were counted; empty if only explorations ran.
  static func counted(_ growth: CampaignGrowth) -> String {
    growth.states?.newShare == nil ? "" : ", counted in one of \(PlanRecipe.readShare) random plans"
  }

  /// Returns the number of different states with its error, such as `1,230,000 ± 6 %`.
  static func distinct(_ states: StateEstimate) -> String {
    guard states.distinctError > 0 else { return Int(states.distinct).grouped }
    return "\(rounded(states.distinct)) ± \(percent(states.distinctError / states.distinct)) %"
  }

  /// Returns a number with three significant digits and grouped thousands.
  private static func rounded(_ value: Double) -> String {
    var unit = 1.0
    while unit * 1_000 <= value { unit *= 10 }
    return Int((value / unit).rounded() * unit).grouped
  }

  /// Returns a share in percent with its error interval, such as `37 % (33 to 41 %)`.
  static func share(_ share: Double, _ error: Double) -> String {
    "\(percent(share)) % (\(percent(max(0, share - error))) to \(percent(min(1, share + error))) %)"
  }

  /// Returns a share as a number in percent, with one decimal place if it is below 1 %.
  static func percent(_ share: Double) -> String {
    let percent = 100 * share
    return percent < 0.95
      ? NumberText.exact((10 * percent).rounded() / 10) : "\(Int(percent.rounded()))"
  }

  /// The tables of the status, without those that have no rows.
  var tables: [ReportTable] {
    [
      groups, failures, results(status.foundWithoutPlan, "Found, without a counterexample"),
      lengths, results(status.undecided, "Undecided"), claimed, givenUp, workers,
    ]
    .filter { !$0.rows.isEmpty }
  }

  /// A table of the groups of failures that probably have one cause each, the largest group first.
  private var groups: ReportTable {
    var table = ReportTable(
      caption: "Groups of failures",
      columns: [
        .number("group"), .text("system"), .text("invariant"), .text("also broken"),
        .number("failures"), .number("tasks"), .number("commands"), .text("for example"),
      ]
    )
    for (place, group) in status.groups.enumerated() {
      let example = group.example
      let others = group.alsoBroken.map { "\($0.invariant) (\($0.failureCount.grouped))" }
      table.append([
        (place + 1).grouped, example.system, group.invariant, others.joined(separator: ", "),
        group.failures.count.grouped, Set(group.failures.flatMap(\.tasks)).count.grouped,
        example.commandCount.grouped, example.because,
      ])
    }
    return table
  }

  /// A table of all failures; failures that probably have one cause are next to each other.
  var failures: ReportTable {
    var table = ReportTable(
      caption: "Found",
      columns: [
        .number("group"), .text("system"), .text("invariant"), .number("plans"), .number("tasks"),
        .text("machines"), .text("seed:plan"), .number("commands"), .text("seen again"),
        .text("replay"),
      ]
    )
    for (place, group) in status.groups.enumerated() {
      for failure in group.failures { table.append([(place + 1).grouped] + cells(failure)) }
    }
    return table
  }

  private func cells(_ failure: KnownFailure) -> [String] {
    let again = failure.isConfirmed.map { $0 ? "yes" : "no" } ?? "unknown"
    let file = (folder.isEmpty ? "" : folder + "/") + failure.path
    return [
      failure.system, failure.invariant, failure.planCount.grouped, failure.tasks.count.grouped,
      Self.machines(failure.machines), Self.places(failure.plans), failure.commandCount.grouped,
      again, command.line("replay \(file.shellQuoted)"),
    ]
  }

  /// Returns all names of up to three machines, or two names and the number of the others.
  private static func machines(_ names: [String]) -> String {
    guard names.count > 3 else { return names.joined(separator: ", ") }
    return names.prefix(2).joined(separator: ", ") + " and \((names.count - 2).grouped) others"
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

  /// A table of the explorations that are divided into tasks, with one row for each exploration.
  ///
  /// A row has the plan lengths (numbers of commands) of which all plans were explored, and the
  /// progress of the next length.
  private var lengths: ReportTable {
    var table = ReportTable(
      caption: "Explorations",
      columns: [.text("group"), .text("complete lengths"), .text("next length")]
    )
    for rounds in status.rounds {
      let complete = rounds.completeLength ?? -1
      table.append([
        String(rounds.group),
        complete < 0 ? "none of 0 to \(rounds.depth)" : "0 to \(complete) of \(rounds.depth)",
        complete == rounds.depth
          ? "none" : "\(complete + 1): \(rounds.done) of \(rounds.count.counted("slice"))",
      ])
    }
    return table
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

  /// Returns a table of tasks with results, with the file that contains each task's output.
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

  /// A table of the workers that have results, with their plans and states per second.
  var workers: ReportTable {
    var table = ReportTable(
      caption: "Workers",
      columns: [
        .text("worker"), .number("results"), .number("plans a second"),
        .number("counted states a second"),
      ]
    )
    for worker in status.growth.workers {
      let rates = [worker.planRate, worker.stateRate].map { rate in
        rate.map(NumberText.significant) ?? "not measured"
      }
      table.append([worker.name, worker.results.grouped] + rates)
    }
    return table
  }
}

/// The status of a campaign as JSON, in the format of `campaign status --json`.
struct CampaignDocument: Encodable {
  /// A group of similar failures; `example` and `failures` contain the keys of failures.
  struct Group: Encodable {
    let symptom: FailureSymptom?
    let alsoBroken: [FailureGroup.BrokenInvariant]
    let example: String
    let failures: [String]
  }
  /// The version of the document's format; the key shows the kind of document.
  let campaignStatus = 1
  let verdict: String
  let status: CampaignStatus
  let groups: [Group]
  let estimate: FailureEstimate

  init(_ status: CampaignStatus) {
    (verdict, self.status, estimate) = (status.verdict, status, status.estimate)
    groups = status.groups.map {
      Group(
        symptom: $0.symptom,
        alsoBroken: $0.alsoBroken,
        example: $0.example.key,
        failures: $0.failures.map(\.key)
      )
    }
  }
}

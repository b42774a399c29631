import Basics
import Checkers
import Commands
import Foundation
import HistoryTypes
import Reporting
import Simulation
import Systems
import Traces
import Workloads

/// Explains one plan of each seeded bug as `why` does, and compares the command that the explanation
/// names with the commands at which the bug acts.
struct MutantPlacesVerb: Verb {
  let options: MutantsOptions
  let composition: Composition
  let terminal: Terminal
  /// The folder with a plan `NAME.jsonl` for each seeded bug.
  let plans: String

  func run() async throws(LabError) -> ExitCode {
    let bugs = options.mutants.filter { $0.equivalence == nil }
    var places: [MutantPlace] = []
    let bar = ProgressBar(WorkState("explaining", unit: "bugs", total: bugs.count), on: terminal)
    defer { bar.finish() }
    for mutant in bugs {
      if Interruption.isRequested { throw .interrupted }
      places.append(try await place(of: mutant))
      bar.advance(note: mutant.name)
    }
    bar.finish()
    let report = MutantPlacesReport(places: places)
    terminal.print(options.isMarkdown ? report.markdown : report.table.text())
    if !options.isMarkdown { terminal.print(report.sentence) }
    return report.isGood ? .good : .violation
  }

  /// Finds the commands of a bug's plan at which the bug acts, and explains the plan as `why` does.
  private func place(of mutant: Mutant) async throws(LabError) -> MutantPlace {
    let path = "\(plans)/\(mutant.name).jsonl"
    guard let text = FileManager.default.contents(atPath: path) else {
      throw .usage(
        "--why: there is no plan \(path.quoted). Pass a folder with a plan for each bug."
      )
    }
    let plan: Plan
    do throws(FormatError) {
      plan = try LabFile(String(decoding: text, as: UTF8.self)).plan
    } catch {
      throw .usage("--why: \(path.quoted): \(error.description)")
    }
    let system = composition[MutantTrials.self].system(mutant)
    let acts: [Int]
    do throws(SystemFailure) {
      acts = try actions(of: system, in: plan)
    } catch {
      throw .lab("\(path.quoted) could not be run on \(system.name): \(error.message)")
    }
    return try await explained(mutant, plan, system, acts: acts)
  }

  /// Returns the numbers of the commands at which the edited code behaves differently.
  ///
  /// For each command after the first, the edited code runs twice up to the state before the
  /// command. One of the two runs then switches the edit off. Both runs replace their connections,
  /// if possible, because a prepared statement would keep the SQL of the edit. Then both continue,
  /// and the command's events and the state after it are compared. For the first command, they are
  /// compared between a run of the edited code and a run of the unedited code. That unedited run
  /// comes first, because creating the edited system switches the edit on in the whole process.
  private func actions(of system: LabSystem, in plan: Plan) throws(SystemFailure) -> [Int] {
    Mutant.turnAllOff()
    let right = try footprints(of: plan, on: composition[MutantTrials.self].unedited)
    let wrong = try footprints(of: plan, on: system)
    var acts: [Int] = []
    for command in wrong.indices {
      let (same, other) =
        command == 0
        ? (wrong, right)
        : (
          try footprints(of: plan, on: system, reconnectingAfter: command),
          try footprints(of: plan, on: system, reconnectingAfter: command) { Mutant.turnAllOff() }
        )
      guard command < other.count, command < same.count, other[command] == same[command] else {
        acts.append(command + 1)
        continue
      }
    }
    return acts
  }

  private func footprints(
    of plan: Plan,
    on system: LabSystem,
    reconnectingAfter count: Int? = nil,
    _ body: () -> Void = {}
  ) throws(SystemFailure) -> [PlanWorker.Footprint] {
    let place = StorePlace.heap()
    place.patience = VariationRunner.patience
    let worker = PlanWorker(system, at: place, versions: [:])
    defer { worker.close() }
    return try worker.footprints(of: plan, reconnectingAfter: count, body)
  }

  private func explained(
    _ mutant: Mutant,
    _ plan: Plan,
    _ system: LabSystem,
    acts: [Int]
  ) async throws(LabError) -> MutantPlace {
    let runner = VariationRunner(system, "")
    defer { runner.close() }
    guard let violation = try runner.observe(plan).suite.violation else {
      throw .undecided("the plan of \(mutant.name) breaks no invariant on this mutant.")
    }
    let start = terminal.now()
    let run = try WhyRun(system: system, plan: plan, checker: violation.checker)
    let curve = try await run.curve(continuations: nil, jobs: options.jobs) { _ in }
    let seconds = (terminal.now() - start) / .seconds(1)
    var ends: [ShareInterval] = []
    if let count = options.endCount {
      ends = try await run.ends(continuations: count, jobs: options.jobs)
    }
    return MutantPlace(
      mutant: mutant.name,
      checker: violation.checker,
      commandCount: plan.commands.count,
      acts: acts,
      curve: curve,
      ends: ends,
      seconds: seconds
    )
  }
}

/// The commands at which a seeded bug acts, and the explanation of a plan that shows the bug.
struct MutantPlace: Sendable {
  let mutant: String
  let checker: String
  let commandCount: Int
  /// The numbers of the commands at which the edited code behaves differently, in order.
  ///
  /// The edited code is compared with the unedited code in the same state. The number of the
  /// last command plus 1 stands for the closing passes and reads, which follow the last command.
  let acts: [Int]
  let curve: ViolationCurve
  /// The first and last point of ``curve``, measured again with new random continuations.
  ///
  /// A continuation keeps the plan's first commands and appends random commands. A point is the
  /// share of continuations that break the invariant. The array is empty if nothing was measured
  /// again.
  let ends: [ShareInterval]
  let seconds: Double

  /// The numbers in ``acts``, but with the last command's number for all that happens after it.
  private var places: [Int] { acts.map { min($0, commandCount) } }

  /// The number of the command that the verb `why` names as decisive; `nil` if it names none.
  ///
  /// At this command, the share of violations rises most (``ViolationCurve/steepestRise``).
  var named: Int? { curve.steepestRise?.command }

  /// Whether the verb `why` names a command at which the edited code behaves differently.
  var isNamed: Bool { named.map(places.contains) ?? false }

  /// Whether the verb `why` names the first command at which the edited code behaves differently.
  var isFirstNamed: Bool { named != nil && named == places.first }

  /// The note next to the command ``named`` in the report.
  ///
  /// It is empty if this command is the first at which the bug acts. Otherwise it says whether the
  /// bug acts at the command at all.
  fileprivate var remark: String {
    isFirstNamed ? "" : isNamed ? " (not the first)" : " (another)"
  }

  /// Whether ``ends``, the second measurement of both ends of ``curve``, agrees with the first.
  ///
  /// At each end, the confidence intervals of the two measurements must overlap. `false` if nothing
  /// was measured again.
  var endsAgree: Bool {
    guard let first = curve.points.first, let last = curve.points.last, ends.count == 2 else {
      return false
    }
    return zip([first, last], ends).allSatisfy { $0.lower <= $1.upper && $1.lower <= $0.upper }
  }
}

/// The commands at which each seeded bug acts, next to those that the verb `why` names as decisive.
///
/// A bug acts at a command if the edited code behaves differently there from the unedited code.
struct MutantPlacesReport {
  let places: [MutantPlace]

  /// The share of explanations that must name a command at which the bug acts.
  static let shareMin = 0.9

  private var namedCount: Int { places.count(where: \.isNamed) }

  var isGood: Bool { Double(namedCount) >= Self.shareMin * Double(places.count) }

  /// Sentences on how often `why` names a command at which the bug acts, and on its slowest curve.
  var sentence: String {
    let slowest = places.map(\.seconds).max() ?? 0
    let compared = places.filter { !$0.ends.isEmpty }
    let count = compared.first?.ends.first?.total.grouped ?? ""
    let ends =
      compared.isEmpty
      ? ""
      : " In \(compared.count(where: \.endsAgree)) of \(compared.count) both ends of the curve agree with "
        + "those of \(count) continuations."
    return
      "In \(namedCount) of \(places.count.counted("plan")) the command that raised the probability most "
      + "is one at which the bug acts, in \(places.count(where: \.isFirstNamed)) the first of them."
      + "\(ends) The slowest curve took "
      + "\(String(format: "%.1f", slowest)) s."
  }

  var table: ReportTable {
    var table = ReportTable(columns: [
      .text("bug"), .text("invariant"), .number("commands"), .text("acts at"), .text("named"),
      .text("no return after"), .text("probabilities"), .text("ends, again"), .number("seconds"),
    ])
    for place in places {
      let acts = place.acts.map { $0 > place.commandCount ? "closing" : String($0) }
      table.append([
        place.mutant, place.checker, String(place.commandCount),
        acts.isEmpty ? "nowhere" : acts.joined(separator: ", "),
        (place.named.map(String.init) ?? "none") + place.remark,
        place.curve.pointOfNoReturn.map(String.init) ?? "none",
        place.curve.points.map { WhyText.percent($0.share) }.joined(separator: ", "),
        place.ends.map { WhyText.percent($0.share) }.joined(separator: ", ")
          + (place.ends.isEmpty || place.endsAgree ? "" : " (differ)"),
        String(format: "%.1f", place.seconds),
      ])
    }
    return table
  }

  var markdown: String { [sentence, table.markdown()].paragraphs }
}

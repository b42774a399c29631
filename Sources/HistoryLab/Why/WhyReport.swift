import Checkers
import Commands
import HistoryTypes
import Reporting
import Traces

/// The explanation of a violation: the command that makes it likely, and plan edits that avoid it.
struct WhyReport {
  /// An edited plan that avoids the violation, with its commands as text.
  ///
  /// The edited plan breaks no invariant, and no more of its commands are skipped or fail than
  /// in the original plan.
  struct Nearest {
    let edit: PlanEdit
    /// The texts of the edited plan's commands.
    let commands: [String]
  }
  let counterexample: Counterexample
  /// The seed of the random commands that continuations append to the plan's first commands.
  let seed: UInt64
  /// The plan's commands as text, as `replay --step` prints them.
  let commands: [String]
  let curve: ViolationCurve
  /// The state before the first command and after each command: cursors, watermark and contents.
  ///
  /// A cursor is the position up to which an actor or consumer has merged. The watermark is the
  /// least cursor of all members.
  let states: [ReportTable]
  /// Whether ``WhyRun/eventBudget`` determined how many continuations ran per point of ``curve``.
  ///
  /// If `false`, the option `--continuations` determined it.
  var isLimited = false
  let parts: [PartAnswer]
  /// For each kind of edit, the nearest plan without a violation; the nearest of all comes first.
  let nearest: [Nearest]

  /// Creates the explanation by running variations of the counterexample's plan.
  ///
  /// Plans with another value, actor or other part show whether the violation depends on that part.
  /// An edited plan (with one command moved, added or left out) avoids the violation if it breaks
  /// no invariant, and no more commands are skipped or fail than in the original plan.
  init(_ run: WhyRun, _ curve: ViolationCurve, _ counterexample: Counterexample) throws(LabError) {
    let trials = VariationRunner(run.system, run.checker)
    defer { trials.close() }
    self.counterexample = counterexample
    self.curve = curve
    seed = run.recipe.seed
    let trace = counterexample.trace
    commands = Self.texts(of: trace, counterexample.violation)
    states = try trials.states(of: trace)
    var parts: [PartAnswer] = []
    for part in PlanPart.all(of: run.recipe.plan) {
      parts.append(try part.answer(breaks: trials.breaks))
    }
    self.parts = parts
    let edits = try NearestPlans(plan: run.recipe.plan).all { plan throws(LabError) in
      let (edited, suite) = try trials.observe(plan)
      return !suite.isInvalid && edited.ineffectiveCount <= trace.ineffectiveCount
    }
    var nearest: [Nearest] = []
    for edit in edits {
      let edited = try trials.observe(edit.plan).trace
      nearest.append(Nearest(edit: edit, commands: Self.texts(of: edited, nil)))
    }
    self.nearest = nearest
  }

  private static func texts(of trace: Trace, _ violation: Violation?) -> [String] {
    let plan = trace.header.plan
    var texts = plan.commands.map { command in
      ((command.action.actor.map { "\($0.name): " } ?? "") + command.action.word).printable
    }
    for step in TraceWalk(trace, violation: violation).steps {
      guard let number = step.number, texts.indices.contains(number - 1) else { continue }
      texts[number - 1] = ((step.actor.map { "\($0.name): " } ?? "") + step.text).printable
    }
    return texts
  }

  var system: String { counterexample.trace.header.system }

  /// The name of the invariant that the plan breaks, which is also that of its checker.
  var checker: String { counterexample.violation.checker }

  /// Returns the edit that avoids the violation, such as `command 3 left out`, without full stop.
  func sentence(_ nearest: Nearest) -> String {
    switch nearest.edit.kind {
    case .moved(let from, let to):
      let place = to < from ? "before command \(to + 1)" : "after command \(to + 1)"
      return "command \(from + 1) moved \(place)"
    case .added(let place):
      let text = nearest.commands[place]
      return place < commands.count
        ? "\(text), added before command \(place + 1)" : "\(text), added at the end"
    case .leftOut(let index): return "command \(index + 1) left out"
    }
  }
}

/// The explanation of a counterexample as JSON, in the format of `why --json`.
struct WhyDocument: Encodable {
  struct Step: Encodable {
    /// The number of commands that the continuations keep from the plan's start; 0 keeps none.
    let after: Int
    /// The text of the plan's command with the number `after`; `nil` if `after` is 0.
    let command: String?
    let violations: Int
    let continuations: Int
    let probability: Double
    let lower: Double
    let upper: Double
  }
  struct Rise: Encodable {
    let command: Int
    let from: Double
    let to: Double
    /// Whether the rise is clear: the 95 % interval of `to` lies entirely above that of `from`.
    ///
    /// `from` and `to` are the shares of continuations that break the invariant, before and after
    /// the command.
    let isClear: Bool
  }
  struct NoReturn: Encodable {
    let after: Int
    let violations: Int
    let continuations: Int
  }
  struct Part: Encodable {
    let kind: String
    /// The number of the command, from 1; `nil` for a part of the whole plan.
    let command: Int?
    let name: String
    let need: String
    let answer: String
    let breaking: [String]
    let holding: [String]
  }
  struct Nearest: Encodable {
    let edit: String
    let commands: [String]
    /// The plan in the format of plan files.
    let plan: String
  }
  let system: String
  let invariant: String
  let because: String
  let seed: String
  let commands: [String]
  let steps: [Step]
  /// The command that raised the probability of a violation most; `nil` if no command raised it.
  let rise: Rise?
  /// The point after which every random continuation breaks the invariant; `nil` if there is none.
  let noReturn: NoReturn?
  let parts: [Part]
  /// For each kind of edit, the nearest plan without a violation; the nearest of all comes first.
  let nearest: [Nearest]

  init(_ report: WhyReport) {
    system = report.system
    invariant = report.checker
    because = report.counterexample.violation.because
    seed = "0x" + String(report.seed, radix: 16)
    commands = report.commands
    let points = report.curve.points
    steps = points.enumerated().map { place, point in
      Step(
        after: place,
        command: place == 0 ? nil : report.commands[place - 1],
        violations: point.count,
        continuations: point.total,
        probability: point.share,
        lower: point.lower,
        upper: point.upper
      )
    }
    rise = report.curve.steepestRise.map {
      Rise(command: $0.command, from: $0.before.share, to: $0.after.share, isClear: $0.isClear)
    }
    noReturn = report.curve.pointOfNoReturn.map {
      NoReturn(after: $0, violations: points[$0].count, continuations: points[$0].total)
    }
    parts = report.parts.map {
      Part(
        kind: $0.kind.rawValue,
        command: $0.command,
        name: $0.name,
        need: $0.need.rawValue,
        answer: $0.words,
        breaking: $0.breaking,
        holding: $0.holding
      )
    }
    nearest = report.nearest.map {
      Nearest(
        edit: report.sentence($0),
        commands: $0.commands,
        plan: PlanCodec.encode($0.edit.plan)
      )
    }
  }
}

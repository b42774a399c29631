import Traces

/// The explanation of a counterexample as JSON, in the format of `why --json`.
struct WhyDocument: Encodable {
  struct Step: Encodable {
    /// The number of commands kept; 0 stands for the point before the first command.
    let after: Int
    /// The text of the last command kept; `nil` before the first command.
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
    /// Whether the intervals before and after the command are disjoint.
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
  /// The command that raised the probability most; `nil` if no command raised it.
  let rise: Rise?
  /// The point from which on every continuation breaks the invariant; `nil` if there is none.
  let noReturn: NoReturn?
  let parts: [Part]
  /// The nearest plan that holds for each kind of edit; the nearest of all comes first.
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

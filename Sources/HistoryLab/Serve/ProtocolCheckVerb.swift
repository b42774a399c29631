import Basics
import Commands
import Foundation
import HistoryTypes
import Programs
import ProtocolChecks
import Reporting
import Systems

struct ProtocolCheckOptions: VerbOptions {
  /// The program to check, as a command for `/bin/sh -c`.
  @Argument(
    .text("COMMAND", "a program with its arguments, in quotes"),
    "The program, which /bin/sh runs: it reads commands from standard input and answers each "
      + "with a line on standard output."
  )
  var command: String
  @Option(.timeout) var timeout: Double
  @Flag(.json) var json

  /// - Throws: A usage error if the command is empty.
  mutating func validate(in composition: Composition) throws(LabError) {
    command = ExternalProgram.command(in: command) ?? command
    guard !command.allSatisfy(\.isWhitespace) else {
      throw .usage(
        "the command is empty: give a program and its arguments together, in one pair of quotes."
      )
    }
  }
}

extension ProtocolCheckVerb {
  static let group = VerbSpec(
    name: "protocol",
    sentence:
      "Checks that a program answers the lab's messages correctly, before the lab tests it.",
    examples: spec.examples,
    subverbs: [spec]
  )

  private static let spec = VerbSpec(
    name: "protocol check",
    sentence: "Shows a program's wrong answers next to right ones, before any plan is run.",
    examples: [
      Example("protocol check \"python3 mine.py\"", "Checks a program of your own."),
      Example(
        "protocol check \"history-lab serve\" --json",
        "Checks the built-in program, and prints JSON."
      ),
    ]
  ) { (options, _, terminal) in ProtocolCheckVerb(options: options, terminal: terminal) }
}

/// Reports the commands that a program answers wrongly.
struct ProtocolCheckVerb: Verb {
  let options: ProtocolCheckOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let report = report()
    if options.json { terminal.print(try Self.json(report)) } else { show(report) }
    return switch report.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func report() -> ProtocolReport {
    let program = ExternalProgram(options.command, timeout: .seconds(options.timeout))
    do throws(ProgramError) {
      let channel = try PipedProgram(program)
      defer { channel.close() }
      var script = ProtocolScript(channel, command: options.command)
      return script.run()
    } catch {
      var report = ProtocolReport(command: options.command)
      report.failure = RunFailure(clause: error.clause).description
      return report
    }
  }

  private func show(_ report: ProtocolReport) {
    if let system = report.system {
      terminal.print(terminal.styled("\(system) \(report.version ?? "")", .bold))
      terminal.print("Capabilities: \(report.capabilities.joined(separator: ", "))")
    }
    var table = ReportTable(columns: [.text("command"), .text("answer"), .text("because")])
    for result in report.results {
      let because = result.status == .wrong ? "see below" : result.because
      table.append([result.command, result.status.rawValue, because ?? ""])
    }
    if !report.results.isEmpty { terminal.print(table) }
    for warning in report.warnings { show([warning], as: .yellow) }
    for alike in Self.grouped(report.faults) { show(alike, as: .red) }
    if !report.faults.isEmpty || !report.warnings.isEmpty { terminal.print("") }
    let style: Style =
      switch report.verdict {
      case "valid": .green
      case "invalid": .red
      default: .yellow
      }
    terminal.print(terminal.styled(report.because, style))
  }

  /// Returns the faults grouped by kind, in the order of first occurrence.
  private static func grouped(_ faults: [ProtocolFault]) -> [[ProtocolFault]] {
    var groups: [[ProtocolFault]] = []
    for fault in faults {
      if let place = groups.firstIndex(where: { $0[0].isLike(fault) }) {
        groups[place].append(fault)
      } else {
        groups.append([fault])
      }
    }
    return groups
  }

  /// Prints the first of several similar faults: the message, its answer, and a correct answer.
  private func show(_ faults: [ProtocolFault], as style: Style) {
    guard let fault = faults.first else { return }
    terminal.print("\n\(terminal.styled(fault.command, style)): \(fault.because.sentence)")
    terminal.print("  sent      \(fault.sent.shown)")
    terminal.print("  answered  \(fault.answered.shown)")
    terminal.print("  right     \(fault.right.shown)")
    guard faults.count > 1 else { return }
    terminal.print("  \((faults.count - 1).counted("more answer")) like it; --json shows all")
  }

  private static func json(_ report: ProtocolReport) throws(LabError) -> String {
    try JSONText.document(ProtocolDocument(report), named: "the report")
  }
}

/// The JSON form of a report and its verdict.
private struct ProtocolDocument: Encodable {
  let verdict: String
  let because: String
  let report: ProtocolReport

  init(_ report: ProtocolReport) {
    verdict = report.verdict
    because = report.because
    self.report = report
  }
}

extension String {
  /// The clause with a full stop at the end, unless it ends with `.` or `?`.
  fileprivate var sentence: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }

  /// The line in printable form: control characters are escaped, and at most 1,000 characters remain.
  fileprivate var shown: String {
    let longest = 1000
    let spelled = prefix(longest).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return spelled.joined() + (count > longest ? "... (\(count) characters)" : "")
  }
}

import Foundation
import PersistentHistory
import Reporting
import Systems

/// The options of `protocol check`.
struct ProtocolCheckOptions: Hashable, Sendable {
  /// The command that `/bin/sh -c` runs.
  var command: String
  /// The timeout for an answer, in seconds.
  var timeout: Double
  /// Whether to print the results as JSON.
  var json: Bool

  /// - Throws: A usage error if the command is empty.
  init(_ arguments: ParsedArguments) throws(LabError) {
    let words = arguments.positionals.first ?? ""
    command = ExternalProgram.command(in: words) ?? words
    guard !command.allSatisfy(\.isWhitespace) else {
      throw .usage("the command is empty: name a program, in quotes with its arguments.")
    }
    timeout = try arguments.required(CommonOption.timeout)
    json = arguments.isSet(CommonOption.json)
  }
}

extension ProtocolCheckOptions {
  static let group = VerbSpec(
    name: "protocol",
    sentence:
      "Checks the answers of a program that is to be put under test.",
    examples: check.examples,
    subverbs: [check]
  )

  private static let check = VerbSpec(
    name: "protocol check",
    sentence: "Shows a program's wrong answers next to right ones, before any plan is run.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("COMMAND", "a program with its arguments, in quotes").rule,
        isRequired: true,
        sentence:
          "What /bin/sh runs: it reads commands on standard input and answers each with a line "
          + "on standard output."
      )
    ],
    options: [CommonOption.timeout.spec, CommonOption.json.spec],
    examples: [
      Example("protocol check \"python3 mine.py\"", "A program of your own."),
      Example("protocol check \"history-lab serve\" --json", "Ours, for machines."),
    ]
  )
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
    do throws(WireTrouble) {
      let channel = try PipedProgram(program)
      defer { channel.close() }
      var script = ProtocolScript(channel, command: options.command)
      return script.run()
    } catch {
      var report = ProtocolReport(command: options.command)
      report.trouble = SystemTrouble(clause: error.clause).description
      return report
    }
  }

  private func show(_ report: ProtocolReport) {
    if let system = report.system {
      terminal.print(terminal.styled("\(system) \(report.version ?? "")", .bold))
      terminal.print("Capabilities: \(report.capabilities.joined(separator: ", "))")
    }
    var table = ReportTable(columns: [.text("command"), .text("answer"), .text("because")])
    for finding in report.findings {
      let because = finding.standing == .wrong ? "see below" : finding.because
      table.append([finding.command, finding.standing.rawValue, because ?? ""])
    }
    if !report.findings.isEmpty { terminal.print(table) }
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

  /// Returns the faults grouped by kind, in order of first occurrence.
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do {
      return String(decoding: try encoder.encode(ProtocolDocument(report)), as: UTF8.self)
    } catch {
      throw .lab("the report cannot be written as JSON: \(error)")
    }
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
  /// The clause with a full stop at its end, unless it already ends with `.` or `?`.
  fileprivate var sentence: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }

  /// The line, safe to print: control characters escaped, at most 1,000 characters.
  fileprivate var shown: String {
    let longest = 1000
    let spelled = prefix(longest).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
        ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
    }
    return spelled.joined() + (count > longest ? "... (\(count) characters)" : "")
  }
}

/// The result for one command.
struct ProtocolFinding: Hashable, Sendable, Codable {
  enum Standing: String, Hashable, Sendable, Codable {
    case right
    case wrong
    /// The program does not declare the capability that the command needs.
    case notOffered = "not offered"
    /// The conversation ended before the command was sent.
    case notAsked = "not asked"
  }
  let command: String
  var standing: Standing
  /// The first fault of the command, or the reason why the command was not sent.
  var because: String?
}

/// A wrong answer, with an example of a correct one.
struct ProtocolFault: Hashable, Sendable, Codable {
  /// The command at fault; the fault may show in the answer to a message with another command.
  let command: String
  let because: String
  /// The message as sent.
  let sent: String
  /// The line received in answer.
  let answered: String
  /// A correct answer; names of transactions and versions may differ.
  let right: String

  /// Returns whether another fault differs only in the numbers of its explanation.
  func isLike(_ other: ProtocolFault) -> Bool {
    command == other.command
      && because.filter { !$0.isNumber } == other.because.filter { !$0.isNumber }
  }
}

/// The results for all commands.
struct ProtocolReport: Hashable, Sendable, Codable {
  /// The version of the file format.
  var protocolCheck = 1
  let command: String
  /// The name that the program reports for itself.
  var system: String?
  var version: String?
  var capabilities: [String] = []
  /// The declared capabilities that this lab does not know and ignores.
  var unknownCapabilities: [String] = []
  var findings: [ProtocolFinding] = []
  /// Every wrong answer, in the order of the messages.
  var faults: [ProtocolFault] = []
  /// Answers that are accepted but probably unintended.
  var warnings: [ProtocolFault] = []
  /// The reason why the conversation ended early; `nil` if it did not.
  var trouble: String?

  /// `invalid` if an answer is wrong, `unknown` if the conversation ended early, else `valid`.
  var verdict: String {
    if findings.contains(where: { $0.standing == .wrong }) { return "invalid" }
    return trouble == nil ? "valid" : "unknown"
  }

  /// The verdict in a sentence.
  var because: String {
    let wrong = findings.filter { $0.standing == .wrong }.map(\.command)
    let right = findings.count { $0.standing == .right }
    let ending = trouble.map { " The conversation ended too early: \($0)" } ?? ""
    let commands = right.counted("command")
    guard wrong.isEmpty else {
      return "It answers \(wrong.joinedWithAnd) wrongly, and \(commands) rightly." + ending
    }
    return "It answered \(commands) rightly." + ending
  }
}

/// A message and the line received in answer.
struct ProtocolExchange: Hashable, Sendable {
  let command: String
  let id: Int
  let sent: String
  var answered: String
  /// A correct answer.
  let right: String

  /// A placeholder for the exchange before the first message.
  static let none = ProtocolExchange(command: "", id: 0, sent: "", answered: "", right: "")
}

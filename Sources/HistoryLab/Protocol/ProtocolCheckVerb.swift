import Foundation
import Reporting
import Systems

/// Tells which commands a program answers wrongly.
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
    if !report.unknownCapabilities.isEmpty {
      let names = report.unknownCapabilities.map(\.quoted).joinedWithAnd
      terminal.print("Not known, and passed over: \(names)")
    }
    var table = ReportTable(columns: [.text("command"), .text("answer"), .text("because")])
    for finding in report.findings {
      table.append([finding.command, finding.standing.rawValue, finding.because ?? ""])
    }
    if !report.findings.isEmpty { terminal.print(table) }
    let style: Style =
      switch report.verdict {
      case "valid": .green
      case "invalid": .red
      default: .yellow
      }
    terminal.print(terminal.styled(report.because, style))
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

/// A report with its verdict, as JSON shows it.
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

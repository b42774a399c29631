import Systems
import Traces

extension ProtocolTalk {
  /// Enters a command in the report as answered correctly, unless it already has a finding.
  mutating func note(_ command: String) {
    guard !report.findings.contains(where: { $0.command == command }) else { return }
    report.findings.append(ProtocolFinding(command: command, status: .right))
  }

  /// Returns whether any answer to a command was wrong.
  func isWrong(_ command: String) -> Bool {
    report.findings.contains { $0.command == command && $0.status == .wrong }
  }

  /// Returns whether the answer to this message was wrong.
  func isBlamed(_ exchange: ProtocolExchange) -> Bool { blamed.contains(exchange.id) }

  /// Blames a command for an answer; the default is the newest answer.
  mutating func blame(
    _ command: String,
    _ sentence: String,
    in exchange: ProtocolExchange? = nil
  ) {
    let fault = (exchange ?? last).fault(command, sentence)
    blamed.insert((exchange ?? last).id)
    note(command)
    guard let place = report.findings.firstIndex(where: { $0.command == command }) else { return }
    if report.findings[place].status != .wrong {
      report.findings[place].status = .wrong
      report.findings[place].because = sentence
    }
    let isRepeated = report.faults.contains { $0.command == command && $0.sent == fault.sent }
    if !isRepeated { report.faults.append(fault) }
  }

  /// Blames a command unless a condition holds.
  mutating func expect(
    _ command: String,
    _ holds: Bool,
    _ sentence: @autoclosure () -> String,
    in exchange: ProtocolExchange? = nil
  ) {
    if !holds { blame(command, sentence(), in: exchange) }
  }

  /// Records that commands were not sent because the program lacks a capability.
  mutating func pass(over commands: [String], lacking capability: Capability) {
    for command in commands {
      report.findings.append(
        ProtocolFinding(
          command: command,
          status: .notOffered,
          because: "it does not name the capability \"\(capability.rawValue)\""
        )
      )
    }
  }

  /// Records the reason why the conversation ended early.
  mutating func end(_ ended: Ended) { report.failure = ended.reason }
}

extension ProtocolExchange {
  /// Returns the same exchange with a different correct answer.
  func with(right: String) -> ProtocolExchange {
    ProtocolExchange(command: command, id: id, sent: sent, answered: answered, right: right)
  }

  /// Returns the same exchange with a different correct answer.
  func with(right: WireAnswer) -> ProtocolExchange { with(right: WireCodec.encode(right, id: id)) }

  func fault(_ command: String, _ sentence: String) -> ProtocolFault {
    ProtocolFault(
      command: command,
      because: sentence,
      sent: sent,
      answered: answered,
      right: right
    )
  }
}

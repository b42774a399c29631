import Basics
import HistoryTypes
import Systems
import Traces

/// The result of `protocol check` for one command of the protocol.
package struct ProtocolResult: Hashable, Sendable, Codable {
  package enum Status: String, Hashable, Sendable, Codable {
    case right
    case wrong
    /// The program does not declare the capability that the command needs.
    case notOffered = "not offered"
    /// The conversation ended before the command was sent.
    case notAsked = "not asked"
  }
  package let command: String
  package var status: Status
  /// The first error in the program's answer to the command, or the reason why the command was not
  /// sent.
  ///
  /// `nil` if the answer is right.
  package var because: String?
}

/// A wrong answer, with an example of a correct one.
package struct ProtocolFault: Hashable, Sendable, Codable {
  /// The command that the program gets wrong.
  ///
  /// The fault may appear in the answer to a different command.
  package let command: String
  package let because: String
  /// The line of JSON that the lab sent to the program.
  package let sent: String
  /// The line with which the program answered.
  package let answered: String
  /// A correct answer; names of transactions and versions may differ.
  package let right: String

  /// Returns whether two faults have the same command and, apart from numbers, the same reason.
  package func isLike(_ other: ProtocolFault) -> Bool {
    command == other.command
      && because.filter { !$0.isNumber } == other.because.filter { !$0.isNumber }
  }
}

/// The results of `protocol check` for all commands, with every wrong answer.
package struct ProtocolReport: Hashable, Sendable, Codable {
  /// The version of the file format.
  package var protocolCheck = 1
  package let command: String
  /// The name that the program reports for itself.
  package var system: String?
  package var version: String?
  package var capabilities: [String] = []
  /// The declared capabilities that this lab does not know and ignores.
  package var unknownCapabilities: [String] = []
  package var results: [ProtocolResult] = []
  /// Every wrong answer, in the order of the messages.
  package var faults: [ProtocolFault] = []
  /// Answers that are accepted but probably unintended.
  package var warnings: [ProtocolFault] = []
  /// The reason why the conversation ended early; `nil` if it did not.
  package var failure: String?

  private enum CodingKeys: String, CodingKey {
    case protocolCheck, command, system, version, capabilities, unknownCapabilities
    case results = "findings"
    case faults, warnings
    case failure = "trouble"
  }

  package init(command: String) { self.command = command }

  /// `invalid` if an answer is wrong, `unknown` if the conversation ended early, else `valid`.
  package var verdict: String {
    if results.contains(where: { $0.status == .wrong }) { return "invalid" }
    return failure == nil ? "valid" : "unknown"
  }

  /// The reason for the verdict, in a sentence or two: wrong and correct answers, and an early end.
  package var because: String {
    let wrong = results.filter { $0.status == .wrong }.map(\.command)
    let right = results.count { $0.status == .right }
    let ending = failure.map { " The conversation ended too early: \($0)" } ?? ""
    let commands = right.counted("command")
    guard wrong.isEmpty else {
      return "The program answers \(wrong.joinedWithAnd) wrongly, and \(commands) correctly."
        + ending
    }
    return "The program answered \(commands) correctly." + ending
  }
}

/// A message and the line received in answer.
struct ProtocolExchange: Hashable, Sendable {
  let command: String
  let id: Int
  let sent: String
  var answered: String
  /// A correct answer to the message, which the report shows next to a wrong one.
  let right: String

  /// A placeholder for the exchange before the first message.
  static let none = ProtocolExchange(command: "", id: 0, sent: "", answered: "", right: "")
}

extension ProtocolTalk {
  /// Enters a command in the report as answered correctly, unless the command already has a result.
  mutating func note(_ command: String) {
    guard !report.results.contains(where: { $0.command == command }) else { return }
    report.results.append(ProtocolResult(command: command, status: .right))
  }

  /// Returns whether any answer to a command was wrong.
  func isWrong(_ command: String) -> Bool {
    report.results.contains { $0.command == command && $0.status == .wrong }
  }

  /// Returns whether the answer to this message was wrong.
  func isBlamed(_ exchange: ProtocolExchange) -> Bool { blamed.contains(exchange.id) }

  /// Reports a command as wrong because of an answer, by default the newest answer.
  mutating func blame(
    _ command: String,
    _ sentence: String,
    in exchange: ProtocolExchange? = nil
  ) {
    let fault = (exchange ?? last).fault(command, sentence)
    blamed.insert((exchange ?? last).id)
    note(command)
    guard let place = report.results.firstIndex(where: { $0.command == command }) else { return }
    if report.results[place].status != .wrong {
      report.results[place].status = .wrong
      report.results[place].because = sentence
    }
    let isRepeated = report.faults.contains { $0.command == command && $0.sent == fault.sent }
    if !isRepeated { report.faults.append(fault) }
  }

  /// Reports a command as wrong unless a condition holds.
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
      report.results.append(
        ProtocolResult(
          command: command,
          status: .notOffered,
          because: "the program does not declare the capability \"\(capability.rawValue)\""
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

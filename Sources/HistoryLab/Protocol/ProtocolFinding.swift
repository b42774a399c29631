import PersistentHistory

/// The result for one command.
struct ProtocolFinding: Hashable, Sendable, Codable {
  enum Standing: String, Hashable, Sendable, Codable {
    case right
    case wrong
    /// The program does not name the capability for it.
    case notOffered = "not offered"
    /// The conversation ended before.
    case notAsked = "not asked"
  }
  let command: String
  var standing: Standing
  /// The first fault of the command, or why it was not asked.
  var because: String?
}

/// A wrong answer, next to one that would be right.
struct ProtocolFault: Hashable, Sendable, Codable {
  /// The command that is at fault; the message may be another one, in which the fault shows.
  let command: String
  let because: String
  /// The message, as it was sent.
  let sent: String
  /// The line that came back.
  let answered: String
  /// A line that would be right; names of transactions and versions may differ.
  let right: String

  /// Whether it is the same mistake, with other numbers.
  func isLike(_ other: ProtocolFault) -> Bool {
    command == other.command
      && because.filter { !$0.isNumber } == other.because.filter { !$0.isNumber }
  }
}

/// The results for all commands.
struct ProtocolReport: Hashable, Sendable, Codable {
  /// The version of the form.
  var protocolCheck = 1
  let command: String
  /// The name that the program gives itself.
  var system: String?
  var version: String?
  var capabilities: [String] = []
  /// The capabilities that this lab ignores because it does not know them.
  var unknownCapabilities: [String] = []
  var findings: [ProtocolFinding] = []
  /// Every wrong answer, in the order of the messages.
  var faults: [ProtocolFault] = []
  /// Answers that are accepted and probably not meant so.
  var warnings: [ProtocolFault] = []
  /// Why the conversation ended too early, if it did.
  var trouble: String?

  /// `invalid` when an answer is wrong, `unknown` when the conversation ended too early, else `valid`.
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

/// A message and the line that came back.
struct ProtocolExchange: Hashable, Sendable {
  /// The command of the message.
  let command: String
  let id: Int
  let sent: String
  var answered: String
  /// A line that would be right.
  let right: String

  /// The exchange before the first message.
  static let none = ProtocolExchange(command: "", id: 0, sent: "", answered: "", right: "")
}

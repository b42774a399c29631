import PersistentHistory

/// How a program answers one command.
struct ProtocolFinding: Hashable, Sendable, Codable {
  enum Standing: String, Hashable, Sendable, Codable {
    case right
    case wrong
    /// It does not say that it can be asked so.
    case notOffered = "not offered"
    /// The conversation ended before.
    case notAsked = "not asked"
  }
  let command: String
  var standing: Standing
  /// What is wrong with the first wrong answer, or what a capability is lacking for.
  var because: String?
}

/// How a program answers all commands.
struct ProtocolReport: Hashable, Sendable, Codable {
  /// The version of the form.
  var protocolCheck = 1
  let command: String
  /// What it says that it is.
  var system: String?
  var version: String?
  var capabilities: [String] = []
  /// What it says that it can do and this lab does not know.
  var unknownCapabilities: [String] = []
  var findings: [ProtocolFinding] = []
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

import Foundation
import LabFixtures
import ProtocolChecks
import TestSupport
import Testing

@testable import Commands
@testable import HistoryLab

/// A bug of `Tests/Examples/python/mistakes.py`, and the report on it.
struct ProtocolMistake: Sendable, CustomTestStringConvertible {
  let name: String
  /// The exact list of commands that the report blames.
  let blamed: [String]
  /// A part of the first fault's sentence.
  let sentence: String
  /// A part of the correct response.
  let right: String
  var testDescription: String { name }

  init(_ name: String, _ blamed: [String], _ sentence: String, _ right: String) {
    (self.name, self.blamed, self.sentence, self.right) = (name, blamed, sentence, right)
  }

  static let nonsense = "a command that is not known"

  static let all: [ProtocolMistake] = [
    // Lines, ids and errors.
    .init("wrong-id", ["hello"], "has the id 2, and the message had 1.", #"{"id":1,"ok":"#),
    .init("old-id", [nonsense], "has the id 1, and the message had 2.", #""id":2}"#),
    .init("no-id", ["hello"], #"lacks the key "id", and the message had 1."#, #"{"id":1,"ok":"#),
    .init("answers-twice", ["view"], "message 9 was answered twice", #"{"id":9,"ok":{"objects":"#),
    .init("no-json", ["stop"], #"a line that is not a JSON object: "OK""#, #","ok":{}}"#),
    .init("prints", ["write"], "everything else to standard error", #""timestamp":800000005"#),
    .init(
      "error-without-message",
      [nonsense],
      #"an error needs a "message""#,
      #""message":"There is no command unheard-of.""#
    ),
    .init("error-with-wrong-code", [nonsense], #"code "unsupported""#, #""code":"unsupported""#),
    // Launches and cursors.
    .init("reset-launches", ["reset"], "a reset must launch no actor", #"{"cursor":null}"#),
    .init(
      "reset-keeps-names",
      ["reset"],
      "the same messages after each reset must have the same answers",
      #""transaction":"1"}"#
    ),
    .init("cursor-missing", ["launch"], #"lacks the key "cursor""#, #"{"cursor":null}"#),
    .init("cursor-of-nothing", ["launch"], "while history is empty", #"{"cursor":null}"#),
    .init("cursor-number", ["launch"], "While history is empty", #"{"cursor":null}"#),
    // Writes and net changes.
    .init("timestamp-missing", ["write"], #"lacks the key "timestamp""#, #""timestamp":800000005"#),
    .init("name-is-number", ["write"], "is 1. Make it a string.", #""transaction":"1""#),
    .init(
      "insert-update",
      ["write"],
      "the insert and the update of Item/3 in one write make an insert, but the answer has an insert "
        + "and an update",
      #""changes":[{"object":"Item/3","op":"insert","values":{"count":3,"title":"c"}}]"#
    ),
    .init(
      "delete-insert",
      ["write"],
      "the delete and the insert of Item/3 in one write make an update, but the answer has an insert",
      #""changes":[{"columns":["title","count"],"object":"Item/3","op":"update","#
    ),
    .init(
      "insert-delete",
      ["write"],
      "the insert and the delete of Item/4 in one write make no change, but the answer has an insert "
        + "and a delete",
      #""changes":[],"timestamp":null,"transaction":null"#
    ),
    .init(
      "update-delete",
      ["write"],
      "the update and the delete of Item/4 in one write make a delete",
      #""changes":[{"object":"Item/4","op":"delete"}]"#
    ),
    .init(
      "insert-of-existing",
      ["write"],
      "the insert of Item/1, which exists, must be left out, but the answer has an insert",
      #""transaction":null"#
    ),
    // Purges and views.
    .init("purge-count", ["purge"], "not their number", #"{"purged":["1","2","3","4","5","6"]}"#),
    .init(
      "purge-names-too-few",
      ["purge"],
      "the answer names 5 transactions, but 6 are gone from history",
      #"{"purged":["1","2","3","4","5","6"]}"#
    ),
    .init("purge-names-too-many", ["purge"], "which history still holds", #"{"purged":[]}"#),
    .init("purge-names-again", ["purge"], #""1" was purged before"#, #"{"purged":[]}"#),
    .init("stale-view", ["merge", "pass"], "Item/1 is missing", #"{"objects":{"Item/1":"#),
  ]
}

@Suite(.needs(.python3)) struct ProtocolMistakesTests {
  private static let file = Repository.path("Tests/Examples/python/mistakes.py")

  private struct Document: Decodable {
    let report: ProtocolReport
  }

  private func check(_ mistake: String) async throws -> (code: ExitCode, ProtocolReport) {
    let kept = await run(["protocol", "check", "python3 '\(Self.file)' \(mistake)", "--json"])
    let document = try JSONDecoder().decode(Document.self, from: Data(kept.output.utf8))
    return (kept.code, document.report)
  }

  @Test(arguments: ProtocolMistake.all)
  func `A bug is attributed to its message and shown next to a correct response`(
    _ mistake: ProtocolMistake
  ) async throws {
    let (code, report) = try await check(mistake.name)
    #expect(code == .violation)
    let blamed = report.results.filter { $0.status == .wrong }.map(\.command)
    #expect(blamed == mistake.blamed, "\(report.faults)")
    let fault = try #require(report.faults.first)
    #expect(fault.because.contains(mistake.sentence), "\(fault)")
    #expect(fault.right.contains(mistake.right), "\(fault.right)")
    #expect(try id(of: fault.right) == id(of: fault.sent))
  }

  private func id(of line: String) throws -> Int {
    struct Message: Decodable { let id: Int }
    return try JSONDecoder().decode(Message.self, from: Data(line.utf8)).id
  }

  @Test func `The same system without the bug responds correctly`() async throws {
    let (code, report) = try await check("none")
    #expect(code == .good && report.faults.isEmpty && report.warnings.isEmpty)
    #expect(report.results.filter { $0.status == .right }.count == 17)
  }

  @Test func `An unknown capability is accepted with a warning`() async throws {
    let (code, report) = try await check("unknown-capability")
    #expect(code == .good && report.unknownCapabilities == ["crsh"])
    let warning = try #require(report.warnings.first)
    #expect(
      warning.because == #"the capability "crsh" is unknown and ignored. Did you mean "crash"?"#
    )
    #expect(warning.right.contains(#"["steps","crash","purge","history","clock","nullAuthor"]"#))
  }

  @Test func `An error is printed with its message, the response and a correct response`()
    async throws
  {
    let kept = await run(["protocol", "check", "python3 '\(Self.file)' name-is-number"])
    let lines = kept.output.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex { $0.hasPrefix("write: ") })
    #expect(lines[start].hasSuffix("is 1. Make it a string."))
    #expect(lines[start + 1].hasPrefix(#"  sent      {"actor":"app","#))
    #expect(lines[start + 2].hasPrefix(#"  answered  {"id": 7, "#))
    #expect(lines[start + 3].hasPrefix(#"  right     {"id":7,"ok":{"#))
    #expect(lines[start + 4] == "  10 more answers like it; --json shows all")
  }
}

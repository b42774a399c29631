import Foundation
import LabFixtures
import ProtocolChecks
import Systems
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

@Suite struct `The check of a protocol` {
  /// Returns the report on one of our servers, with its responses changed in transit.
  private func report(
    _ name: String = "tracker",
    changing change: @escaping (String) -> String = { $0 }
  ) throws -> ProtocolReport {
    let lab = try #require(LabSystem.named(name))
    let channel = ServedChannel(WireServer(serving: lab), changing: change)
    var script = ProtocolScript(channel, command: "served")
    return script.run()
  }

  @Test(arguments: ["tracker", "article-eager", "kit-1.0", "kit-2", "seven-day-purge"])
  func `Our systems respond correctly`(_ name: String) throws {
    let report = try report(name)
    #expect(report.verdict == "valid", "\(report.results.filter { $0.status == .wrong })")
    #expect(report.system == name)
    #expect(report.results.count == 22 && report.unknownCapabilities.isEmpty)
  }

  @Test(arguments: [
    ("\"cursor\":null", "\"curser\":null", "launch", "history is empty the cursor must be null."),
    ("\"cursor\":null", "\"cursor\":\"0\"", "launch", "the cursor must be null, but is \"0\""),
    ("\"purged\":", "\"purgd\":", "pass", "the answer must have the key \"purged\""),
    ("\"objects\":{", "\"objects\":{\"Item/9\":{},", "reset", "the data must be empty"),
    ("\"op\":\"insert\"", "\"op\":\"update\"", "write", "answered with an insert of Item/1"),
    ("\"op\":\"insert\"", "\"op\":\"add\"", "write", "cannot be \"add\""),
    ("unsupported", "failed", "a command that is not known", "\"unsupported\""),
    ("\"version\":\"", "\"vrsion\":\"", "hello", "lacks the key \"version\""),
    ("\"columns\":[\"count\"]", "\"columns\":[\"title\"]", "write", "the columns [\"count\"]"),
    ("\"registered\":true", "\"registered\":false", "reset", "must launch no actor"),
    ("{\"id\":9,", "{\"id\":10,", "view", "has the id 10, and the message had 9"),
  ])
  func `A wrong response is attributed to its command`(
    _ right: String,
    _ wrong: String,
    _ command: String,
    _ sentence: String
  ) throws {
    let report = try report { $0.replacingOccurrences(of: right, with: wrong) }
    #expect(report.verdict == "invalid")
    let result = report.results.first { $0.command == command }
    #expect(result?.status == .wrong, "\(report.results)")
    #expect(report.because.hasPrefix("The program answers ") && report.because.contains(command))
    let fault = try #require(report.faults.first { $0.command == command })
    #expect(fault.because == result?.because && fault.because.contains(sentence), "\(fault)")
    #expect(fault.sent.hasPrefix("{") && fault.right.hasPrefix("{"))
    #expect(fault.right != fault.answered)
  }

  @Test(arguments: ["data", "view"])
  func `Invalid lines are attributed to the message before them`(
    _ word: String
  ) throws {
    for printed in ["at work\n", "\n"] {
      let report = try report { $0.contains("\"objects\"") ? printed + $0 : $0 }
      let wrong = report.results.filter { $0.status == .wrong }.map(\.command)
      #expect(wrong == ["data", "view"] && report.failure == nil, "\(report.because)")
    }
    let report = try report { $0.contains("\"objects\"") ? $0 + "\n" + $0 : $0 }
    #expect(report.faults.first { $0.command == word }?.because.hasSuffix("answered twice") == true)
    #expect(report.failure == nil && !report.results.contains { $0.status == .notAsked })
  }

  @Test func `One wrong write is attributed to no other command`() throws {
    let changes = [("\"timestamp\":", "\"time\":"), ("\"changes\":[{", "\"changes\":[{},{")]
    for (right, wrong) in changes {
      let report = try report { line in
        line.contains("\"transaction\":") && !line.contains("\"transactions\":")
          ? line.replacingOccurrences(of: right, with: wrong) : line
      }
      let blamed = Set(report.faults.map(\.command))
      #expect(blamed == ["write", "commit", "batch"], "\(report.faults)")
    }
  }

  @Test func `Three consecutive lines of invalid JSON end the conversation`() throws {
    let report = try report { $0.contains("\"capabilities\"") ? $0 : "{" }
    #expect(report.failure == "Three lines in a row are not JSON objects.")
    #expect(report.results.count { $0.status == .notAsked } == 18, "\(report.results)")
    let because = report.faults.first?.because ?? ""
    #expect(because.contains("the program wrote a line that is not a JSON object"), "\(because)")
  }

  @Test func `Capabilities that a program lacks are not requested`() throws {
    let report = try report { line in
      guard line.contains("\"capabilities\"") else { return line }
      return #"{"id":1,"ok":{"capabilities":["steps","flying"],"system":"a","version":"1"}}"#
    }
    #expect(report.verdict == "valid")
    #expect(report.unknownCapabilities == ["flying"])
    let warning = try #require(report.warnings.first)
    #expect(warning.because == "the capability \"flying\" is unknown and ignored.")
    #expect(warning.right.contains(#""capabilities":["steps"]"#))
    let passedOver = report.results.filter { $0.status == .notOffered }.map(\.command)
    #expect(
      passedOver
        == ["crash", "history", "purge", "begin", "commit", "batch", "consume", "resync", "clock"]
    )
  }

  @Test func `A program that exits early leaves the remaining checks open`() async throws {
    let kept = await run(["protocol", "check", "read x; echo 'to whom?' >&2; exit 3"])
    #expect(kept.code == .undecided)
    #expect(kept.output.contains("The conversation ended too early: it ended with code 3"))
    #expect(kept.output.contains("On standard error: to whom?"), "\(kept.output)")
  }

  @Test func `A program without a greeting gets no more requests`() async throws {
    let kept = await run([
      "protocol", "check", "--json", "while read x; do echo '{\"id\":1}'; done",
    ])
    #expect(kept.code == .violation)
    let document = try JSONDecoder().decode(Document.self, from: Data(kept.output.utf8))
    #expect(document.verdict == "invalid")
    let results = document.report.results
    #expect(results.count { $0.status == .wrong } == 1 && results[0].status == .wrong)
    #expect(results.dropFirst().allSatisfy { $0.status == .notAsked })
  }

  private struct Document: Decodable {
    let verdict: String
    let report: ProtocolReport
  }

  @Test func `Without a program no request is sent`() async {
    for words in [["protocol", "check"], ["protocol", "check", " "], ["protocol"]] {
      #expect(await run(words).code == .usage)
    }
  }
}

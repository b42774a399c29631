import Foundation
import Systems
import Testing
import Traces

@testable import HistoryLab

@Suite struct `The check of a protocol` {
  /// What is found when a server of ours is asked, its answers changed on their way.
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
  func `Systems of ours answer rightly`(_ name: String) throws {
    let report = try report(name)
    #expect(report.verdict == "valid", "\(report.findings.filter { $0.standing == .wrong })")
    #expect(report.system == name)
    #expect(report.findings.count == 22 && report.unknownCapabilities.isEmpty)
  }

  @Test(arguments: [
    ("\"cursor\":null", "\"curser\":null", "launch", "lacks the key \"cursor\""),
    ("\"purged\":", "\"purgd\":", "pass", "the answer must have \"purged\""),
    ("\"objects\":{", "\"objects\":{\"Item/9\":{},", "reset", "the data must be empty"),
    ("\"op\":\"insert\"", "\"op\":\"update\"", "write", "must be told as the only change"),
    ("\"op\":\"insert\"", "\"op\":\"add\"", "write", "cannot be \"add\""),
    ("\"count\":2", "\"count\":3", "pass", "what the other actor wrote"),
    ("unsupported", "failed", "a command that is not known", "\"unsupported\""),
    ("\"version\":\"", "\"vrsion\":\"", "hello", "lacks the key \"version\""),
    ("\"columns\":[\"count\"]", "\"columns\":[\"title\"]", "write", "has the columns"),
  ])
  func `A wrong answer is told by its command`(
    _ right: String,
    _ wrong: String,
    _ command: String,
    _ sentence: String
  ) throws {
    let report = try report { $0.replacingOccurrences(of: right, with: wrong) }
    #expect(report.verdict == "invalid")
    let finding = report.findings.first { $0.command == command }
    #expect(finding?.standing == .wrong, "\(report.findings)")
    #expect(finding?.because?.contains(sentence) == true, "\(finding as Any)")
    #expect(report.because.hasPrefix("It answers ") && report.because.contains(command))
  }

  @Test func `What a program does not offer is not asked`() throws {
    let report = try report { line in
      guard line.contains("\"capabilities\"") else { return line }
      return #"{"id":1,"ok":{"capabilities":["steps","flying"],"system":"a","version":"1"}}"#
    }
    #expect(report.verdict == "valid")
    #expect(report.unknownCapabilities == ["flying"])
    let passedOver = report.findings.filter { $0.standing == .notOffered }.map(\.command)
    #expect(
      passedOver
        == ["crash", "purge", "history", "begin", "commit", "batch", "consume", "resync", "clock"]
    )
  }

  @Test func `A program that ends too early leaves the rest open`() async throws {
    let kept = await run(["protocol", "check", "read x; echo 'to whom?' >&2; exit 3"])
    #expect(kept.code == .undecided)
    #expect(kept.output.contains("The conversation ended too early: it ended with code 3"))
    #expect(kept.output.contains("On standard error: to whom?"), "\(kept.output)")
  }

  @Test func `A program that says the same to everything is wrong in everything`() async throws {
    let kept = await run([
      "protocol", "check", "--json", "while read x; do echo '{\"id\":1}'; done",
    ])
    #expect(kept.code == .violation)
    let document = try JSONDecoder().decode(Document.self, from: Data(kept.output.utf8))
    #expect(document.verdict == "invalid")
    #expect(document.report.findings.map(\.standing) == [.wrong])
  }

  private struct Document: Decodable {
    let verdict: String
    let report: ProtocolReport
  }

  @Test func `Without a program there is nothing to ask`() async {
    for words in [["protocol", "check"], ["protocol", "check", " "], ["protocol"]] {
      #expect(await run(words).code == .usage)
    }
  }
}

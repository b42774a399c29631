import Foundation
import Testing
import Traces

@testable import HistoryLab

/// What the newcomer's page says, as a program that is really built and run.
@Suite struct NewcomerTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  private static func source(_ file: String) throws -> String {
    try String(contentsOf: folder.appending(path: file), encoding: .utf8)
  }

  private static func page() throws -> String {
    try source("../../../Sources/Systems/Systems.docc/YourFirstBug.md")
  }

  /// What the page shows as a test of one's own.
  private func checkSharedLog(in folder: String) async throws {
    let search = SystemSearch("shared-log", SharedLog.self)
    for found in try await search.counterexamples(plans: 200) {
      Issue.record("\(try found.explained(in: folder))")
    }
  }

  @Test func `The page's test finds the bug`() async throws {
    try await withFolder { folder in
      await withKnownIssue("The shared log has a bug.") {
        try await checkSharedLog(in: folder)
      }
      let name = "\(folder)/shared-log-PurgeSafety"
      let html = try String(contentsOfFile: name + ".html", encoding: .utf8)
      #expect(html.contains("<svg role=\"img\""))
      let file = try String(contentsOfFile: name + ".jsonl", encoding: .utf8)
      let found = try CounterexampleCodec.decode(file)
      // As few commands as the page says, and for the same reason.
      #expect(found.trace.header.plan.commands.count == 3)
      let text = try found.explained(in: folder)
      let told = text.split(separator: "\n").filter { $0.contains("purged #1") }
      let page = try Self.page()
      #expect(told.first.map { page.contains($0) } == true, "\(text)")
    }
  }

  @Test func `The fix of the page holds`() async throws {
    let found = try await SystemSearch("fixed-log", FixedLog.self).counterexamples(plans: 400)
    let told = try found.map { try $0.explained() }.joined(separator: "\n")
    #expect(found.isEmpty, "\(told)")
  }

  @Test func `The page holds the source as it stands, and the fix is one word`() throws {
    let page = try Self.page()
    let source = try Self.source("SharedLog.swift")
    let own = source.replacing("SharedLog", with: "MyLog")
    #expect(page.contains("```swift\n\(own)```"))
    #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
    let tests = try Self.source("NewcomerTests.swift")
    let body = try #require(tests.components(separatedBy: "checkSharedLog").dropFirst().first)
    let test = body.components(separatedBy: "\n  }\n")[0].split(separator: "\n").dropFirst()
    let ownTest = test.joined(separator: "\n").replacing("SharedLog", with: "MyLog")
      .replacing("shared-log", with: "my-log").replacing(
        "explained(in: folder)",
        with: "explained()"
      )
    #expect(page.contains("\n\(ownTest)\n  }\n}\n```"))
    let fixed = try Self.source("FixedLog.swift")
    let differing = zip(source.split(separator: "\n"), fixed.split(separator: "\n"))
      .filter { $0 != $1 && !$0.hasPrefix("///") && !$0.hasPrefix("struct") }
    #expect(differing.count == 1)
    #expect(differing.first.map { $0.0.replacing("max", with: "min") == $0.1 } == true)
    #expect(page.contains(differing.first.map { String($0.1) } ?? ""))
  }
}

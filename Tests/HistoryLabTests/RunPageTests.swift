import Foundation
import LabFixtures
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `The page of a run` {
  /// A quick check that breaks invariants.
  private static let check = [
    "check", "--system", "article", "--plans", "12", "--seed", "1", "--jobs", "1", "--output",
  ]

  private func files(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `Every run prints the path of its page`() async throws {
    try await withFolder { folder in
      var composition = Composition.current
      composition.take([.mortal])
      let lines = [
        Self.check + ["\(folder)/check"],
        ["mutants", "--only", "mortal", "--seeds", "1", "--output", "\(folder)/mutants"],
        ["explore", "--depth", "1", "--conditions", "steady", "--output", "\(folder)/explore"],
      ]
      for words in lines {
        let result = await run(words, composition: composition)
        let last = result.output.split(separator: "\n").suffix(2)
        let run = try #require(last.first?.dropFirst("Run: ".count)).description
        #expect(last.first?.hasPrefix("Run: \(folder)/\(words[0])/") == true, "\(result)")
        #expect(last.last == "Report: \(run)/index.html")
        #expect(try text("\(run)/index.html").contains("</html>"))
      }
    }
  }

  @Test func `A run's folder can be sent to another machine`() async throws {
    try await withFolder { folder in
      _ = await run(Self.check + ["\(folder)/here"], composition: .current)
      let run = try #require(try files("\(folder)/here").first { $0 != "latest" })
      let moved = "\(folder)/moved"
      try FileManager.default.moveItem(atPath: "\(folder)/here/\(run)", toPath: moved)
      let names = try files(moved)
      for name in names where name != "run.json" {
        #expect(!(try text("\(moved)/\(name)").contains(folder)), "\(name) names its old folder")
      }
      let page = try text("\(moved)/index.html")
      let replays = page.matches(of: /history-lab replay ([^ <]*\.jsonl)/).map { String($0.1) }
      let links = page.matches(of: /<a href="\.\/([^"#]*\.html)">/).map { String($0.1) }
      #expect(replays.count >= 3 && links.count >= 3)
      for shown in [page, try text("\(moved)/\(try #require(links.first))")] {
        #expect(shown.contains("scripts/install of the package puts history-lab on the PATH"))
      }
      for file in replays + links { #expect(names.contains(file), "\(file)") }
    }
  }

  @Test func `A page elsewhere replays from its own folder`() async throws {
    try await withFolder { folder in
      let runs = "\(folder)/runs"
      _ = await run(Self.check + [runs], composition: .current)
      let name = try #require(try files(runs).first { $0 != "latest" })
      let page = "\(folder)/page.html"
      #expect(await run(["report", "--output", runs, "--html", page]).code == .good)
      #expect(try text(page).contains("history-lab replay runs/\(name)/counterexample-article-"))
      // Older versions wrote paths instead of names.
      let check = "\(runs)/\(name)/check.json"
      let old = try text(check).replacing("counterexample-", with: "/gone/run/counterexample-")
      try makeFile(check, old)
      #expect(await run(["report", "--output", runs, "--html", page]).code == .good)
      let html = try text(page)
      #expect(html.contains("history-lab replay runs/\(name)/counterexample-article-"))
      #expect(html.contains("href=\"./runs/\(name)/counterexample-article-"))
      #expect(!html.contains("/gone/run"))
    }
  }

  @Test func `A terminal shows commands that start from the current folder`() async throws {
    try await withFolder { folder in
      let kept = TestTerminal(command: ShellCommand(text: ".build/release/history-lab"))
      let result = await run(Self.check + [folder], composition: .current, on: kept)
      let shown = result.output.matches(of: /replay (\S*\.jsonl)/).map { String($0.1) }
      #expect(shown.count >= 3)
      for path in shown {
        #expect(result.output.contains(".build/release/history-lab replay \(path)"))
        #expect(FileManager.default.fileExists(atPath: path), "\(path)")
      }
    }
  }
}

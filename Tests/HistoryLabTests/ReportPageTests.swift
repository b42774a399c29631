import Checkers
import Foundation
import LabFixtures
import Measuring
import Reporting
import Stressing
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `The report's page` {
  @Test func `One page shows checks, stress runs, seeded bugs and the trend`() async throws {
    try await withFolder { folder in
      let runs = folder + "/runs"
      for day in 1...3 { _ = try Night(runs).bench("bench/night-\(day)", ours: 1_000, day: day) }
      _ = await run(["check", "--plans", "20", "--seed", "1", "--output", runs + "/check"])
      try Self.keep("stress.json", Self.stress(), in: runs + "/stress/20260101T000000Z-stress")
      _ = await run(["history", "add", runs, "--history", folder + "/h.db"])
      let page = folder + "/page.html"
      let result = await run(
        ["report", "--output", runs, "--html", page, "--history", folder + "/h.db"]
      )
      #expect(result.code == .good, "\(result.errors)")
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("id=\"stress\"") && html.contains("process-1"))
      #expect(html.contains("id=\"trend\"") && html.contains("No step in"))
      #expect(html.contains("Invariants: tracker"))
      let ids = html.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
      #expect(Set(ids).count == ids.count)
    }
  }

  @Test func `A violated invariant links to its counterexample`() async throws {
    try await withFolder { folder in
      let words = ["check", "--system", "article", "--plans", "60", "--seed", "1"]
      var composition = Composition.sample
      composition.catalogue = Composition.current.catalogue
      _ = await run(words + ["--output", folder + "/runs"], composition: composition)
      let page = folder + "/page.html"
      _ = await run(["report", "--output", folder + "/runs", "--html", page])
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("What breaks each design"))
      // Every invariant is explained next to its name.
      for (checker, sentence) in CheckerSuite.sentences(in: .all) {
        #expect(html.contains("\(checker)<small>\(HTML.escaped(sentence))</small>"), "\(checker)")
      }
      let rows = html.matches(of: /<tr id="breaks-article-[^"]*"[^>]*>.*?<small>/)
      #expect(!rows.isEmpty)
      let links = html.matches(of: /<a href="\.\/(runs\/[^"]*\.html)">/).map { String($0.1) }
      #expect(!links.isEmpty)
      for link in links {
        let own = try String(contentsOfFile: folder + "/" + link, encoding: .utf8)
        let checker = try #require(link.firstMatch(of: /-(\w+)\.html/).map { String($0.1) })
        let sentence = try #require(CheckerSuite.sentence(of: checker))
        #expect(own.contains("<dt>\(checker)</dt><dd>\(HTML.escaped(sentence))</dd>"), "\(link)")
      }
    }
  }

  @Test func `Links lead to the benchmark's files wherever the page is`() async throws {
    try await withFolder { folder in
      _ = try Night(folder + "/runs").bench("20260101T000000Z-bench", ours: 1_000)
      try Self.keep("stress.json", Self.stress(), in: folder + "/runs/20260102T000000Z-stress")
      let page = folder + "/page.html"
      let words = ["report", "--output", folder + "/runs"]
      #expect(await run(words + ["--html", page]).code == .good)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("href=\"./runs/20260101T000000Z-bench/results.json\""))
      #expect(html.contains("href=\"./runs/20260101T000000Z-bench/results.csv\""))
      // By default the page is in the newest run's folder, whatever kind of run that is.
      #expect(await run(words).code == .good)
      let beside = try String(
        contentsOfFile: folder + "/runs/20260102T000000Z-stress/index.html",
        encoding: .utf8
      )
      #expect(beside.contains("href=\"./../20260101T000000Z-bench/results.json\""))
    }
  }

  @Test func `A benchmark without measurements does not hide an older one`() async throws {
    try await withFolder { folder in
      let old = try Night(folder + "/runs").bench("20260101T000000Z-bench", ours: 1_000)
      let results = try ResultsFile.read(path: old + "/results.json")
      try Self.keep(
        "results.json",
        ResultsFile.json(BenchmarkResults(environment: results.environment, rows: [])),
        in: folder + "/runs/20260102T000000Z-bench"
      )
      let result = await run(["report", "--output", folder + "/runs"])
      #expect(result.code == .good)
      #expect(result.errors.contains("/20260102T000000Z-bench/results.json has no rows"))
      let html = try String(contentsOfFile: old + "/index.html", encoding: .utf8)
      #expect(html.contains("One operation on persistent history"))
    }
  }

  @Test(arguments: [["report"], ["report", "export"]])
  func `If no run can be read, the reason is reported`(_ verb: [String]) async throws {
    try await withFolder { folder in
      try Self.keep("check.json", "{", in: folder + "/runs/20260101T000000Z-check")
      let result = await run(verb + ["--output", folder + "/runs"])
      #expect(result.code == .usage)
      #expect(result.errors.contains("left out: "), "\(result.errors)")
      #expect(result.errors.contains("cannot be read as a file of a run: it is not JSON"))
      #expect(result.errors.contains("holds no finished check, exploration or benchmark"))
    }
  }

  @Test func `The index of nights links to each night and names the nights left out`() async throws
  {
    try await withFolder { folder in
      for (night, state) in [
        ("2026-01-01", "tests good 61\nbench FAILED 3\n"), ("2026-01-02", "tests good 59\n"),
      ] {
        try FileManager.default.createDirectory(
          atPath: folder + "/" + night,
          withIntermediateDirectories: true
        )
        try makeFile("\(folder)/\(night)/state", state)
      }
      try makeFile(folder + "/2026-01-01/index.html")
      let result = await run(["report", "nights", folder])
      #expect(result.code == .good)
      let html = try String(contentsOfFile: folder + "/index.html", encoding: .utf8)
      #expect(html.contains("<a href=\"./2026-01-01/index.html\">2026-01-01</a>"))
      #expect(!html.contains("./2026-01-02/index.html"))
      #expect(html.contains("FAILED 3 s") && html.contains("good 1 min 1 s"))
      #expect(html.contains("left out"))
      #expect(html.contains("nothing failed"))
      let none = await run(["report", "nights", folder + "/2026-01-01"])
      #expect(none.code == .usage && none.errors.contains("contains no nightly runs"))
    }
  }

  private static func keep(_ file: String, _ text: String, in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try makeFile(folder + "/run.json", "{}")
    try makeFile(folder + "/" + file, text)
  }

  private static func stress() throws -> String {
    var settings = StressSettings()
    settings.seed = 1
    var result = StressResult(settings)
    result.participants = [StressResult.Participant(name: "process-1")]
    return try result.json()
  }
}

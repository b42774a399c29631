import Foundation
import LabFixtures
import Measuring
import Reporting
import TestSupport
import Testing

@testable import Commands
@testable import HistoryLab

/// Exported files in other projects' readers, if those are installed.
@Suite(.needs(.formatReaders)) struct `Exported formats` {
  @Test func `Every format can be read and contains all results`() async throws {
    try await withFolder { folder in
      let results = try await export(to: folder)
      let answer = try await Readers.read(folder + "/export", results)
      #expect(answer.code == 0, "\(answer.said)")
      #expect(answer.said.contains("No fault in 6 formats."))
    }
  }

  /// For each file one edit that its reader refuses or reads as another value.
  private static let breaks = [
    ("junit.xml", "<testsuites ", "<testsuites skipped=\"1\" "),
    ("bencher.json", "\"value\"", "\"median\""),
    ("github-action-benchmark.json", "\"unit\"", "\"units\""),
    ("results.csv", ",Store,1000,wall,ns,", ",Store,1000;wall,ns,"),
    ("report.md", "\\|", "|"),
  ]

  @Test func `Every reader detects errors in its format`() async throws {
    try await withFolder { folder in
      let results = try await export(to: folder)
      for (file, right, wrong) in Self.breaks {
        let path = "\(folder)/export/\(file)"
        var text = try String(contentsOfFile: path, encoding: .utf8)
        let place = try #require(text.range(of: right), "\(file)")
        text.replaceSubrange(place, with: wrong)
        try makeFile(path, text)
      }
      let wrong = try String(contentsOfFile: results, encoding: .utf8)
      try makeFile(results, wrong.replacing("\"optimized\"", with: "\"optimised\""))
      let answer = try await Readers.read(folder + "/export", results)
      #expect(answer.code == 1)
      for format in [
        "results-json", "junit", "bencher", "github-action-benchmark", "long-csv",
        "markdown",
      ] { #expect(answer.said.contains("\(format): FAULT"), "\(format)\n\(answer.said)") }
    }
  }

  @Test func `The manifests in our pages are valid`() async throws {
    let pages = [
      "Reports/README.md", "Sources/HistoryLab/HistoryLab.docc/Campaigns.md",
      ".github/workflows/linux.yml", ".github/workflows/macos.yml",
    ]
    let answer = try await Readers.validate(pages.map { Repository.path($0) })
    #expect(answer.code == 0, "\(answer.said)")
    #expect(answer.said.contains("manifests: 1 of Kubernetes, 3 of GitHub"))
  }

  /// In a page, one misspelled key.
  @Test(
    arguments: [
      ("Reports/README.md", "runs-on:", "run-on:", "workflow"),
      ("Sources/HistoryLab/HistoryLab.docc/Campaigns.md", "completionMode:", "mode:", "resource"),
    ]
  )
  func `A misspelled key of a manifest is a fault`(
    _ page: String,
    _ right: String,
    _ wrong: String,
    _ kind: String
  ) async throws {
    try await withFolder { folder in
      let text = try String(contentsOfFile: Repository.path(page), encoding: .utf8)
      try #require(text.contains(right))
      try makeFile(folder + "/page.md", text.replacing(right, with: wrong))
      let answer = try await Readers.validate([folder + "/page.md"])
      #expect(answer.code == 1)
      #expect(answer.said.contains("FAULT \(folder)/page.md, \(kind)"), "\(answer.said)")
    }
  }

  // MARK: Exports

  /// Exports a run with every unusual value and a check with a violation; returns its results.
  private func export(to folder: String) async throws -> String {
    let run = try Night(folder + "/runs").bench("20260101T000000Z-bench", ours: 1_000)
    var results = try ResultsFile.read(path: run + "/results.json")
    results.rows += Self.rows
    try makeFile(run + "/results.json", ResultsFile.json(results))
    var composition = Composition.sample
    composition.catalogue = Composition.current.catalogue
    _ = await LabFixtures.run(
      [
        "check", "--system", "tracker", "--system", "article", "--plans", "40", "--seed", "1",
        "--output", folder + "/runs",
      ],
      composition: composition
    )
    let result = await LabFixtures.run(
      ["report", "export", "--output", folder + "/runs", "--to", folder + "/export"]
    )
    #expect(result.code == .good, "\(result.errors)")
    return run + "/results.json"
  }

  private static var rows: [BenchmarkRow] {
    let long = (0..<250).map { 1_000.25 + Double($0 * $0) }
    var rows = [
      row("awkward, \"all\" | <b> & more", .wall, long), row("cost", .cpu, [10.5, 11]),
      row("cost", .vmSteps, [607]), row("cost", .residentGrowth, [0]),
    ]
    rows[3].varies = "the system shares it out"
    rows += [1_000, 2_000, 4_000, 8_000, 16_000].map { size in
      row("curve", .wall, (0..<20).map { Double(size + $0) }, size: size)
    }
    rows.append(
      BenchmarkRow(
        subject: "fetch",
        operation: "cost",
        condition: "",
        contender: "Store",
        historySize: 1_000,
        metric: .allocations,
        notMeasured: "jemalloc was not found, get it",
        seed: .max
      )
    )
    return rows
  }

  private static func row(
    _ operation: String,
    _ metric: Metric,
    _ samples: [Double],
    size: Int = 1_000
  ) -> BenchmarkRow {
    BenchmarkRow(
      subject: "fetch",
      operation: operation,
      condition: "",
      contender: "Store",
      historySize: size,
      metric: metric,
      samples: samples,
      seed: .max
    )
  }
}

private enum Readers {
  /// Returns the readers' output for an export and the results that it was made from.
  static func read(_ folder: String, _ results: String) async throws -> ProcessAnswer {
    let words = [
      Repository.path("scripts/formats.py"), Repository.path("Tests/Formats"), folder, results,
    ]
    return try await ProcessAnswer(of: Repository.path(".tools/readers/bin/python"), words)
  }

  /// Returns what the validators say about the manifests in files.
  static func validate(_ files: [String]) async throws -> ProcessAnswer {
    let words = [Repository.path("scripts/manifests.py")] + files
    return try await ProcessAnswer(of: Repository.path(".tools/readers/bin/python"), words)
  }
}

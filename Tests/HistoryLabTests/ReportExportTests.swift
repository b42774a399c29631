import Foundation
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `Exported reports` {
  @Test func `Every format is written next to the newest run`() async throws {
    try await withFolder { folder in
      let run = try Night(folder + "/runs").bench("one", ours: 1_000)
      let result = await HistoryLabTests.run(["report", "export", "--output", folder + "/runs"])
      #expect(result.code == .good, "\(result.errors)")
      let files = try FileManager.default.contentsOfDirectory(atPath: run)
      for file in [
        "junit.xml", "bencher.json", "github-action-benchmark.json", "results.csv",
        "complexity.csv",
        "report.md",
      ] { #expect(files.contains(file), "\(file)") }
    }
  }

  @Test func `Violations of other systems are not failures of ours`() async throws {
    try await withFolder { folder in
      var composition = Composition.sample
      composition.catalogue = Composition.current.catalogue
      let words = ["check", "--system", "article", "--plans", "60", "--seed", "1"]
      _ = await run(words + ["--output", folder + "/runs"], composition: composition)
      _ = await run(
        ["report", "export", "--format", "junit", "--output", folder + "/runs", "--to", folder]
      )
      let xml = try String(contentsOfFile: folder + "/junit.xml", encoding: .utf8)
      #expect(xml.contains("<testsuite name=\"check article\""))
      #expect(xml.contains("failures=\"0\"") && xml.contains("message=\"known: broke in "))
    }
  }

  @Test func `An unknown format is reported with the nearest one`() async throws {
    try await withFolder { folder in
      let result = await run(["report", "export", "--format", "junnit", "--output", folder])
      #expect(result.code == .usage)
      #expect(result.errors.contains(#"not "junnit". Did you mean "junit"?"#))
    }
  }
}

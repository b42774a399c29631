import Foundation
import LabFixtures
import Reporting
import Testing

@testable import Commands
@testable import HistoryLab

@Suite struct `Exported reports` {
  @Test func `Every format is written next to the newest run`() async throws {
    try await withFolder { folder in
      let run = try Night(folder + "/runs").bench("one", ours: 1_000)
      let result = await LabFixtures.run(["report", "export", "--output", folder + "/runs"])
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

  @Test func `A folder that cannot be made is named with the reason and the option`() async throws {
    try await withFolder { folder in
      _ = try Night(folder + "/runs").bench("one", ours: 1_000)
      func export(to place: String) async -> (code: ExitCode, output: String, errors: String) {
        await run(["report", "export", "--output", folder + "/runs", "--to", place])
      }
      #expect(await export(to: folder + "/new/deep").code == .good)
      #expect(FileManager.default.fileExists(atPath: folder + "/new/deep/report.md"))
      try makeFile(folder + "/file", "mine")
      let behind = await export(to: folder + "/file/below")
      #expect(behind.code == .usage && behind.errors.contains("--to: "), "\(behind.errors)")
      #if os(Linux)
      // No folder can be made in /proc, even by the superuser.
      let refused = await export(to: "/proc/history-lab")
      #expect(refused.code == .usage)
      #expect(refused.errors.hasPrefix("history-lab: --to: "), "\(refused.errors)")
      #expect(!refused.errors.contains("Error Domain") && !refused.errors.contains("--output"))
      #endif
    }
  }

  @Test func `A full disk is a failure of the lab, and another reason is a wrong argument`() {
    let full = RunFolderError(.cannotWrite, path: "/disk/page.html", code: ENOSPC)
    #expect(
      LabError.folder(full, "--html")
        == .lab(
          "cannot write /disk/page.html: the disk is full; free some space, or choose a folder on another "
            + "disk with --html."
        )
    )
    let locked = RunFolderError(.cannotWrite, path: "/locked/page.html", code: EACCES)
    #expect(
      LabError.folder(locked, "--html")
        == .usage(
          "--html: cannot write /locked/page.html: you may not write there; choose a folder that you "
            + "may write to with --html."
        )
    )
  }

  @Test func `An unknown format is reported with the nearest one`() async throws {
    try await withFolder { folder in
      let result = await run(["report", "export", "--format", "junnit", "--output", folder])
      #expect(result.code == .usage)
      #expect(result.errors.contains(#"not "junnit". Did you mean "junit"?"#))
    }
  }
}

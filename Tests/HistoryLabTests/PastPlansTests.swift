import Foundation
import HistoryTypes
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

@Suite struct `The option --history` {
  /// Runs a check of plans that repeat a Core Data file of forty days.
  private func check(
    _ words: String...
  ) async throws -> (code: ExitCode, output: String, errors: String) {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: folder + "/store")
      let given = [
        "check", "--output", folder + "/runs", "--seed", "1", "--history", folder + "/store",
      ]
      return await run(given + words, composition: .current)
    }
  }

  @Test func `Our tracker holds on a real history`() async throws {
    let kept = try await check("--system", "tracker", "--plans", "60")
    #expect(kept.code == .good, "\(kept.output)\(kept.errors)")
  }

  @Test func `The article's design loses real transactions, which the counterexample names`()
    async throws
  {
    let kept = try await check("--system", "article", "--plans", "40")
    #expect(kept.code == .violation)
    #expect(kept.output.contains("update Note/1"))
  }

  @Test func `A file without a history is refused, and so is --anonymous without a file`()
    async throws
  {
    try await withFolder { folder in
      try makeFile(folder + "/text")
      let foreign = await run(["check", "--history", folder + "/text"], composition: .current)
      #expect(foreign.code == .usage)
      #expect(foreign.errors.contains("--history: "))
      let missing = await run(["check", "--history", folder + "/none"], composition: .current)
      #expect(missing.code == .usage)
      #expect(missing.errors.contains("none"))
    }
    let alone = await run(["check", "--anonymous"], composition: .current)
    #expect(alone.code == .usage)
    #expect(alone.errors.contains("name a file with --history too"))
  }
}

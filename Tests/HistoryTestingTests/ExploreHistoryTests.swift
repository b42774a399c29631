import Foundation
import Testing

@testable import FirstBug
@testable import HistoryTesting

@Suite struct ExploreHistoryTests {
  @Test func `A card lists violations with their lengths, and the invariants that hold`()
    async throws
  {
    let broken = try await exploreHistory(of: MyLog.self, under: [.steady], depth: 3)
    let purge = try #require(broken.cells.first { $0.invariant == "PurgeSafety" })
    #expect(purge.result == .breaks && purge.commandCount == 3, "\(broken)")
    let lines = broken.description
    #expect(lines.contains("steady: ") && lines.contains("PurgeSafety breaks in 3 commands"))
    #expect(lines.contains("breaks in 1 command,") || !lines.contains("breaks in 1 "), "\(lines)")
    let fixed = try await exploreHistory(of: FixedLog.self, under: [.steady], depth: 3)
    #expect(fixed.cells.allSatisfy { $0.result != .breaks }, "\(fixed)")
    #expect(fixed.cells.contains { $0.result == .holds })
    #expect(fixed.regressions(since: broken).isEmpty)
    #expect(broken.regressions(since: fixed).contains { $0.hasPrefix("PurgeSafety under steady") })
  }

  @Test func `A card is read back as it was written`() async throws {
    let card = try await exploreHistory(of: FixedLog.self, under: [.restart], depth: 2)
    let data = try JSONEncoder().encode(card)
    #expect(try JSONDecoder().decode(SafetyCard.self, from: data) == card)
    let smaller = SafetyCard(system: card.system, depth: 2, cells: [])
    #expect(smaller.regressions(since: card).count == card.cells.count)
  }

  /// The card is that of a sound design, which another package commits.
  @Test func `A committed card notices a design that got worse`() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Examples/Guides/Tests/GuidesTests/Log.card.json")
    let committed = try JSONDecoder().decode(SafetyCard.self, from: Data(contentsOf: file))
    let worse = try await exploreHistory(of: MyLog.self, under: [.restart], depth: 3)
    #expect(
      worse.regressions(since: committed)
        .contains("PurgeSafety under restart held in the earlier card; now: breaks in 3 commands.")
    )
  }

  @Test func `A mutant score names the variants that no plan notices`() async throws {
    let score = try await mutantScore(
      of: [MyLog.self, FixedLog.self],
      plans: 40,
      under: [.restart]
    )
    #expect(score.survivors == ["FixedLog"], "\(score)")
    #expect(score.rows[0].invariant == "PurgeSafety" && score.rows[0].commandCount == 3)
    #expect(score.description.hasPrefix("1 of 2 mutants is detected:"))
    #expect(score.description.contains("FixedLog: not detected in 40 plans"))
  }

  @Test func `An argument out of range is refused`() async {
    await #expect(throws: HistorySettingsError.self) {
      try await exploreHistory(of: FixedLog.self, members: 5)
    }
    await #expect(throws: HistorySettingsError.self) {
      try await exploreHistory(of: FixedLog.self, depth: 0)
    }
  }
}

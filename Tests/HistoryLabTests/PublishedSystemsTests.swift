import LabFixtures
import Systems
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct `Published systems in checks` {
  @Test func `All published systems are listed with their purpose`() throws {
    #expect(
      LabSystem.published.map(\.name) == [
        "article", "article-eager", "seven-day-purge", "kit-1.0", "kit-1.0-manual", "kit-1.3",
        "kit-1.3-manual", "kit-2", "kit-2-manual", "kit-2-readme",
      ]
    )
    let listed = Composition.current.catalogue.names(.systems)
    #expect(Array(listed.prefix(11)) == ["tracker"] + LabSystem.published.map(\.name))
    for system in LabSystem.published {
      let use = try #require(system.statedUse)
      #expect(system.sentence.hasSuffix(".") && system.sentence.count < 90, "\(system.name)")
      #expect(use.sentence.hasSuffix(".") && use.covers(.steady) && use.covers(.crash))
      #expect(!use.covers(.sameAuthorTwice))
      #expect(use.outside.values.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
      #expect(system.timestamps == .wallClock)
      #expect(system.description == "\(system.sentence) Stated use: \(use.sentence)")
      #expect(system.capabilities == system.make().capabilities)
    }
    #expect(
      LabSystem.all.filter { $0.statedUse == nil }.map(\.name) == ["tracker", "greatest-cursor"]
    )
  }

  @Test(arguments: ["seven-day-purge", "kit-1.0", "kit-1.0-manual", "kit-2", "kit-2-readme"])
  func `Published systems hold where only writes and passes happen`(_ name: String) async throws {
    let tally = try await checkRun(name, .named([.steady])).tally(80)
    #expect(tally.broken.map(\.checker) == [])
    for name in ["Convergence", "NoLostTransaction", "MergeOrder", "CursorProgress"] {
      #expect(try #require(tally.counts[name]).valid > 20, "\(name)")
    }
    let purges = try #require(tally.counts["PurgeSafety"]).valid
    #expect(purges > 0 || name == "seven-day-purge" || name == "kit-2-readme")
  }

  @Test(arguments: ["kit-1.3", "kit-1.3-manual", "kit-2-manual"])
  func `Published systems purge before an actor without a date has merged, without any fault`(
    _ name: String
  ) async throws {
    let run = try checkRun(name, .named([.steady]))
    let tally = try await run.tally(40)
    let plan = try #require(tally.broken.first { $0.checker == "PurgeSafety" }).plan
    let finding = try run.shrink("PurgeSafety", plan: plan) { _ in }
    let isManual = name.hasSuffix("manual")
    #expect(finding.counterexample.trace.header.plan.commands.count == (isManual ? 4 : 3))
  }

  @Test(arguments: ["kit-1.0", "kit-2"])
  func `Cleaning after every pass expires the token of a mirror that lags`(
    _ name: String
  ) async throws {
    let tally = try await checkRun(name, .named([.mirrorLag])).tally(150)
    #expect(tally.broken.map(\.checker).contains("ProtectedAuthors"))
    #expect(try #require(LabSystem.named(name)?.statedUse).outside[.mirrorLag] != nil)
  }

  @Test(arguments: [("kit-2", false), ("tracker", true)])
  func `A configuration may name the strategies of its system`(
    _ name: String,
    _ knows: Bool
  ) throws {
    let system = try #require(LabSystem.named(name))
    #expect(system.knows("whenMerged") == knows)
    #expect(system.strategyWords.allSatisfy { system.knows($0) })
    #expect(system.strategyWords.contains("whenMerged") == knows)
  }
}

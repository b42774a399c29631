import Checkers
import Foundation
import HistoryTypes
import LabFixtures
import Simulation
import TestSupport
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// Verdicts about plans that repeat a real history: only transactions of the file can be lost.
@Suite struct `Lost transactions of a real history` {
  private static let planCount = 30
  /// The invariants whose violations name a lost transaction.
  private static let losses: Set = [
    "PurgeSafety", "NoLostTransaction", "Convergence", "CursorProgress", "LoudExpiry",
  ]

  private func check(_ name: String, _ file: String, seed: UInt64) throws -> CheckRun {
    let system = try #require(LabSystem.named(name))
    var options = PlanOptions()
    options.history = file
    options.diskShare = 0
    let recipe = PlanRecipe(
      generator: PlanGenerator(try options.style(for: system)),
      seed: seed,
      timestamps: system.timestamps
    )
    return CheckRun(system: system, recipe: recipe, versions: [:]) { _ in .heap() }
  }

  /// Returns the file's number of a transaction; `nil` if no write of the plan committed it.
  private func number(of name: TransactionName, in trace: Trace) -> Int64? {
    var command: Int?
    for event in trace.events {
      switch event.kind {
      case .called(let index, _): command = index
      case .committed(let transaction) where transaction.name == name:
        guard let command, case .write(let write) = trace.header.plan.commands[command].action
        else { return nil }
        return write.fileTransaction
      default: break
      }
    }
    return nil
  }

  /// Checks that our tracker holds in every plan, and that the article loses only real transactions.
  private func judge(_ file: String, seed: UInt64) throws {
    let tracker = try check("tracker", file, seed: seed)
    let article = try check("article", file, seed: seed)
    let workers = [tracker, article].map { PlanWorker($0.system, at: .heap(), versions: [:]) }
    var broken: Set<String> = []
    for number in 1...Self.planCount {
      #expect(try workers[0].check(tracker.recipe.plan(number).plan).violation == nil, "\(number)")
      let trace = try workers[1].trace(article.recipe.plan(number).plan)
      for (checker, verdict) in CheckerSuite(checking: trace, scope: .all).verdicts {
        guard case .invalid(let violation) = verdict else { continue }
        broken.insert(checker)
        guard Self.losses.contains(checker), let name = violation.transaction
        else { continue }
        #expect(self.number(of: name, in: trace) != nil, "\(number): \(violation.because)")
      }
    }
    #expect(broken.isSuperset(of: ["PurgeSafety", "CursorProgress"]), "\(broken)")
    try shrink(article)
  }

  /// Checks that a counterexample has only the real transactions and the older objects that it needs.
  private func shrink(_ run: CheckRun) throws {
    let worker = PlanWorker(run.system, at: .heap(), versions: [:])
    let first = try (1...Self.planCount).first { number in
      try worker.violation(of: "PurgeSafety", by: run.recipe.plan(number).plan) != nil
    }
    let finding = try run.shrink("PurgeSafety", plan: try #require(first)) { _ in }
    let trace = finding.counterexample.trace
    let lost = try #require(finding.counterexample.violation.transaction)
    #expect(number(of: lost, in: trace) != nil)
    let plan = trace.header.plan
    var changed: Set<ObjectName> = []
    for (place, command) in plan.commands.enumerated() {
      guard case .write(let write) = command.action else { continue }
      #expect(write.fileTransaction != nil)
      changed.formUnion(write.changes.map(\.object))
      var shorter = plan
      shorter.commands.remove(at: place)
      #expect(try worker.violation(of: "PurgeSafety", by: shorter) == nil, "\(command)")
    }
    #expect(changed.isSuperset(of: plan.header.objects.keys))
    #expect(try PlanCodec.decode(PlanCodec.encode(plan)) == plan)
  }

  @Test func `In a file of forty days`() async throws {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: folder + "/store")
      try judge(folder + "/store", seed: 1)
    }
  }

  @Test(.needs(.realStores), arguments: [("photos-15.4.1", 1), ("photos-10.15.7", 5)])
  func `In a file of Photos`(_ name: String, _ seed: UInt64) async throws {
    let stores = try #require(Repository.realStores)
    try await withFolder { folder in
      // A copy: the code under test may have bugs and must never reach a file outside the test.
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(stores)/\(name).sqlite"))
      try bytes.write(to: URL(fileURLWithPath: folder + "/store"))
      try judge(folder + "/store", seed: seed)
    }
  }
}

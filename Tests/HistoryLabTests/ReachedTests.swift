import Foundation
import HistoryTypes
import Simulation
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// Refusals that only few plans reach: each has a plan that reaches it, and random plans reach them
/// often enough.
@Suite struct `Refusals that plans reach` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Reached")

  private static func tracker() throws -> PlanWorker {
    PlanWorker(try #require(LabSystem.named("tracker")), at: .heap(), versions: [:])
  }

  private static func plan(_ file: String) throws -> Plan {
    try LabFile(String(contentsOf: folder.appending(path: "\(file).jsonl"), encoding: .utf8)).plan
  }

  @Test(arguments: ["record", "purge", "resync", "pass"])
  func `Commands of a replaced process are refused without a violation`(
    _ step: String
  ) throws {
    let worker = try Self.tracker()
    let plan = try Self.plan("superseded-at-\(step)")
    let outcome = try worker.outcome(of: plan, number: 1)
    #expect(!outcome.isBroken)
    let pair = RefusalCounts.Pair(command: "belated \(step)", code: .superseded)
    #expect(outcome.refusals.pairs == [pair: 1])
    #expect(outcome.conditions.contains(.sameActorTwice))
  }

  @Test(arguments: ["rewound-above-the-head", "rewound-to-another-history"])
  func `A member with a token lost in a power-off is notified and resyncs`(_ file: String) throws {
    let worker = try Self.tracker()
    let plan = try Self.plan(file)
    let trace = try worker.trace(plan)
    let reported = trace.events.filter { $0.actor == "mirror" }.map(\.kind)
    #expect(reported.contains(.rewound))
    #expect(try #require(reported.firstIndex(of: .rewound)) < reported.count - 1)
    #expect(reported.contains { if case .resynced = $0 { true } else { false } })
    #expect(try !worker.outcome(of: plan, number: 1).isBroken)
  }

  /// Returns the refusals of commands in random plans.
  private func refusals(_ conditions: [Condition], _ count: Int) throws -> RefusalCounts {
    let system = try #require(LabSystem.named("tracker"))
    let options = PlanOptions(conditions: .named(conditions))
    let recipe = PlanRecipe(
      generator: PlanGenerator(try options.style(for: system)),
      seed: 1,
      timestamps: system.timestamps
    )
    let worker = try Self.tracker()
    var refusals = RefusalCounts()
    for number in 1...count {
      let outcome = try worker.outcome(of: recipe.plan(number).plan, number: number)
      refusals.add(outcome.refusals)
      #expect(!outcome.isBroken, "plan \(number)")
    }
    return refusals
  }

  @Test func `Random plans reach each step of a replaced process`() throws {
    let found = try refusals([.sameActorTwice], 400)
    for step in ["record", "purge", "resync"] {
      let pair = RefusalCounts.Pair(command: "belated \(step)", code: .superseded)
      #expect(found.pairs[pair, default: 0] >= 1, "\(step)")
    }
  }

  @Test func `Random plans reach a history that was rewound`() throws {
    #expect(try refusals([.powerOff, .mirrorLag], 150).count(of: .rewound) >= 3)
  }
}

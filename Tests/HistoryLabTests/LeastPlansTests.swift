import Foundation
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import HistoryLab

/// For each seeded bug the shortest plan that is known to show it: each rule is asked where it should
/// be, and the checkers see it when the answer is wrong.
@Suite struct `The shortest plans that show seeded bugs` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "LeastPlans")

  private static let names = Mutant.all.filter { $0.equivalence == nil }.map(\.name)

  private func plan(_ name: String) throws -> Plan {
    let file = Self.folder.appending(path: "\(name).jsonl")
    return try LabFile(String(contentsOf: file, encoding: .utf8)).plan
  }

  @Test func `There is one for each, and none besides`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.names.map { "\($0).jsonl" }))
  }

  @Test(arguments: names)
  func `A seeded bug shows, and ours holds`(_ name: String) throws {
    let mutant = try #require(Mutant.all.first { $0.name == name })
    let plan = try plan(name)
    #expect(plan.commands.count == mutant.least)
    let place = StorePlace.heap()
    let broken = PlanLane(LabSystem(mutant), at: place, versions: [:])
    #expect(try broken.violation(by: plan) != nil)
    broken.close()
    let tracker = try #require(LabSystem.named("tracker"))
    #expect(try PlanLane(tracker, at: place, versions: [:]).violation(by: plan) == nil)
  }

  @Test func `The trouble that a seeded bug needs is one that plans are made of`() {
    for mutant in Mutant.all {
      for name in mutant.conditions {
        #expect(Condition(rawValue: name) != nil, "\(mutant.name): \(name)")
      }
    }
  }
}

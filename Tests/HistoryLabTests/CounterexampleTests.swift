import Checkers
import Foundation
import Simulation
import Testing
import Traces

@testable import HistoryLab

/// Plans that once broke an invariant of ours: each stays as a file and is replayed for ever.
@Suite struct CounterexampleTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Counterexamples")

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `There are plans to replay`() throws {
    #expect(try Self.files().count >= 2)
  }

  @Test(arguments: try Self.files())
  func `What once broke an invariant holds now`(_ file: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    let plan = try LabFile(text).plan
    let tracker = try #require(LabSystem.named("tracker"))
    let lane = PlanLane(tracker, at: .heap(), versions: [:])
    let suite = try lane.check(plan)
    #expect(suite.violation == nil)
  }
}

import Foundation
import Simulation
import Testing
import Traces

@testable import HistoryLab

/// For each seeded bug of `Tests/Mutants`, the shortest known plan that shows it.
///
/// `scripts/mutants` runs the plans on the edited code; here they must hold on ours.
@Suite struct `Least plans` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "LeastPlans")

  private static let files =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []

  @Test func `The folder of least plans is complete`() { #expect(Self.files.count >= 78) }

  @Test(arguments: files.sorted())
  func `The tracker holds in every least plan`(_ file: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    let tracker = try #require(LabSystem.named("tracker"))
    let worker = PlanWorker(tracker, at: .heap(), versions: [:])
    #expect(try worker.violation(by: try LabFile(text).plan) == nil)
  }
}

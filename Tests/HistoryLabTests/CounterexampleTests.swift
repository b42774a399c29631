import Checkers
import Foundation
import LabFixtures
import Simulation
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

/// Plans that once broke an invariant of our tracker, kept as files and replayed permanently.
@Suite struct CounterexampleTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Counterexamples")

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".jsonl") }.sorted()
  }

  @Test func `The folder of counterexamples is not empty`() throws {
    #expect(try Self.files().count >= 2)
  }

  @Test(arguments: try Self.files())
  func `Every committed counterexample holds now`(_ file: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
    #expect(try Self.violation(text) == nil)
  }

  /// Returns the violation when the plan of a file runs on our tracker, or `nil`.
  private static func violation(_ text: String) throws -> Violation? {
    let tracker = try #require(LabSystem.named("tracker"))
    let worker = PlanWorker(tracker, at: .heap(), versions: [:])
    return try worker.check(try LabFile(text).plan).violation
  }

  @Test func `A file from a run's folder can be committed unchanged`() async throws {
    try await withFolder { folder in
      let check = [
        "check", "--system", "greatest-cursor", "--plans", "10", "--seed", "1",
        "--output", folder,
      ]
      let code = await run(check, composition: .current).code
      #expect(code == .violation)
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/latest")
        .filter { $0.hasPrefix("counterexample-") && $0.hasSuffix(".jsonl") }
      #expect(!names.isEmpty)
      for name in names {
        let text = try String(contentsOfFile: "\(folder)/latest/\(name)", encoding: .utf8)
        #expect(try Self.violation(text) == nil, "\(name)")
      }
    }
  }
}

import Foundation
import LabFixtures
import Reporting
import Simulation
import Systems
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

/// The option `--why` of the verb `mutants`.
@Suite struct `Explanations of seeded bugs` {
  /// Returns the committed plan of a mutant.
  private static func least(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "LeastPlans/\(name).jsonl")
  }

  private static func curve(_ counts: [Int], of total: Int = 100) -> ViolationCurve {
    var curve = ViolationCurve(commands: counts.count - 1)
    for number in 0..<total {
      let part = ViolationCurve.fixed(counts.map { number < $0 ? 1 : 0 })
      curve.add(part)
    }
    return curve
  }

  private static func place(_ acts: [Int], _ counts: [Int], ends: [Int]) -> MutantPlace {
    MutantPlace(
      mutant: "bug",
      checker: "PurgeSafety",
      commandCount: counts.count - 1,
      acts: acts,
      curve: curve(counts),
      ends: ends.map { ShareInterval(count: $0, total: 10_000) },
      seconds: 1
    )
  }

  @Test func `The named command is compared with those at which the bug acts`() {
    let named = Self.place([3], [10, 12, 20, 100], ends: [1_000, 10_000])
    #expect(named.named == 3 && named.isNamed && named.isFirstNamed && named.endsAgree)
    let second = Self.place([1, 3], [10, 12, 20, 100], ends: [1_000, 10_000])
    #expect(second.isNamed && !second.isFirstNamed)
    let another = Self.place([2], [10, 12, 20, 100], ends: [1_000, 10_000])
    #expect(!another.isNamed)
    let equal = Self.place([], [10, 12, 20, 100], ends: [1_000, 10_000])
    #expect(!equal.isNamed && !equal.isFirstNamed)
    #expect(MutantPlacesReport(places: [named]).isGood)
    #expect(!MutantPlacesReport(places: [named, another]).isGood)
  }

  @Test func `A bug that acts in the closing passes and reads counts for the last command`() {
    let closing = Self.place([4], [10, 12, 20, 100], ends: [1_000, 10_000])
    #expect(closing.isNamed && closing.isFirstNamed)
    #expect(MutantPlacesReport(places: [closing]).table.text().contains("closing"))
  }

  @Test func `Ends of a curve that further continuations do not confirm are reported`() {
    let wrong = Self.place([3], [10, 12, 20, 100], ends: [4_000, 10_000])
    #expect(!wrong.endsAgree)
    #expect(MutantPlacesReport(places: [wrong]).table.text().contains("(differ)"))
  }

  @Test func `Replaced connections change no event and no state of a plan`() throws {
    let system = try #require(LabSystem.named("tracker"))
    for name in ["record-lost", "launch-at-beginning", "purge-by-greatest-cursor"] {
      let plan = try LabFile(String(contentsOf: Self.least(name), encoding: .utf8)).plan
      let worker = PlanWorker(system, at: .heap(), versions: [:])
      defer { worker.close() }
      let footprints = try worker.footprints(of: plan)
      #expect(footprints.count == plan.commands.count + 1)
      for count in 1...plan.commands.count {
        var calls = 0
        let again = try worker.footprints(of: plan, reconnectingAfter: count) { calls += 1 }
        #expect(again == footprints && calls == 1, "\(name) after \(count)")
      }
    }
  }

  @Test func `The verb explains a plan of each bug`() async throws {
    let least = Self.least("purge-by-greatest-cursor")
    try await withFolder { folder in
      try FileManager.default.copyItem(
        at: least,
        to: URL(fileURLWithPath: folder + "/mortal.jsonl")
      )
      var composition = Composition.current
      composition.take([.mortal, .same])
      let words = ["mutants", "--why", folder, "--markdown", "--jobs", "2"]
      let result = await run(words, composition: composition)
      #expect(result.output.contains("| mortal |"), "\(result.output)\(result.errors)")
      #expect(!result.output.contains("same"))
      composition.take([.immortal])
      let missing = await run(words, composition: composition)
      #expect(missing.code == .usage && missing.errors.contains("immortal.jsonl"))
    }
  }
}

extension ViolationCurve {
  /// A curve of one continuation, with the outcome at each point.
  fileprivate static func fixed(_ counts: [Int]) -> ViolationCurve {
    measured(commands: counts.count - 1, numbers: [0]) { kept, _ in counts[kept] == 1 }
  }
}

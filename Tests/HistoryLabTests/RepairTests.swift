import Foundation
import LabFixtures
import Simulation
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab
@testable import Systems

@Suite struct `The search for minimal sets` {
  /// A proof that rejects every set without one of some changes.
  private struct Proof: Sendable {
    let needs: Set<String>
  }

  private static let alternatives = [["a1", "a2"], ["b"], ["c"], ["d"]]

  /// Returns a search in which a set holds if it contains one of the given sets.
  private func search(
    _ repairs: [Set<String>],
    verified: @escaping (Set<String>) -> Void = { _ in }
  ) -> MinimalSets<String, Proof> {
    MinimalSets(alternatives: Self.alternatives) { sets, proofs in
      sets.map { set in proofs.indices.first { proofs[$0].needs.isDisjoint(with: set) } }
    } verify: { set in
      verified(set)
      if repairs.contains(where: { $0.isSubset(of: set) }) { return [] }
      // A plan breaks the set because of what each repair still misses.
      return [Proof(needs: Set(repairs.flatMap { $0.subtracting(set) }))]
    }
  }

  @Test func `It finds every minimal set, and no superset of one`() async throws {
    var search = search([["a1"], ["b", "c"], ["c", "d", "a2"]])
    try await search.search(upTo: 4)
    #expect(search.minimal == [["a1"], ["b", "c"], ["a2", "c", "d"]])
    for set in search.minimal {
      for change in set { #expect(search.proof(without: change, of: set) != nil) }
    }
  }

  @Test func `A set that a known proof rejects is not verified`() async throws {
    var verified: [Set<String>] = []
    var search = search([["b", "c"]]) { verified.append($0) }
    try await search.search(upTo: 2)
    #expect(verified == [[], ["b"], ["c"], ["b", "c"]])
  }

  @Test func `A design that holds is not changed`() async throws {
    var search = search([[]])
    try await search.search(upTo: 4)
    #expect(search.minimal == [[]] && search.verifiedCount == 1)
  }

  @Test func `A larger set is reduced until each of its proper subsets breaks`() async throws {
    var search = search([["a1", "b", "c"]])
    try await search.search(upTo: 2)
    #expect(search.minimal.isEmpty)
    #expect(try await search.reduce(["a1", "b", "c", "d"]) == ["a1", "b", "c"])
    #expect(try await search.reduce(["a2", "b", "c", "d"]) == nil)
  }

  @Test func `A smaller set that holds is found even where each single removal breaks`()
    async throws
  {
    // Any two of the three changes break it, so that leaving out one of all three shows nothing.
    let pairs: [Set<String>] = [["a", "b"], ["a", "c"], ["b", "c"]]
    var search = MinimalSets<String, Set<String>>(alternatives: [["a"], ["b"], ["c"]]) {
      sets,
      proofs in
      sets.map { set in proofs.firstIndex(of: set) }
    } verify: { set in
      if set.isEmpty { return [[]] + pairs }
      return set == ["c"] || set.count == 3 ? [] : [set]
    }
    try await search.search(upTo: 0)
    #expect(try await search.reduce(["a", "b", "c"]) == ["c"])
  }
}

@Suite struct `The verb repair` {
  private func lab(_ words: [String]) async -> (code: ExitCode, output: String, errors: String) {
    await run(words, composition: .current)
  }

  private struct Document: Decodable {
    struct Change: Decodable {
      let decision: String
      let to: String
      let plan: String
      let invariant: String
    }
    struct Subset: Decodable {
      let decisions: [String]
      let plan: String
    }
    struct Answer: Decodable {
      let changes: [Change]
      let subsets: [Subset]
      let design: String
    }
    let sets: [Answer]
    let larger: Answer?
  }

  private static let words = [
    "repair", "--system", "kit-2-readme", "--conditions", "stamp-before-commit", "--plans", "20",
    "--depth", "3",
  ]

  @Test func `A position by number repairs writes that commit late, and its plan shows why`()
    async throws
  {
    let result = await lab(Self.words + ["--max-changes", "1", "--json"])
    #expect(result.code == .good, "\(result.errors)")
    let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    let sets = document.sets.map { $0.changes.map { "\($0.decision) \($0.to)" } }
    #expect(sets == [["position number"]])
    let answer = try #require(document.sets.first)
    let change = try #require(answer.changes.first)
    #expect(answer.subsets.map(\.decisions) == [[]] && answer.subsets[0].plan == change.plan)
    let plan = try PlanCodec.decode(change.plan)
    let original = try #require(LabSystem.named("kit-2-readme"))
    let repaired = LabSystem(try DesignCodec.decode(answer.design), nil)
    for (system, breaks) in [(original, true), (repaired, false)] {
      let worker = PlanWorker(system, at: .heap(), versions: [:])
      #expect(try (worker.violation(of: change.invariant, by: plan) != nil) == breaks)
    }
  }

  @Test
  func `A repair with more changes than were searched for is found from the tracker's decisions`()
    async throws
  {
    let (result, page) = try await withFolder { folder in
      let path = "\(folder)/page.html"
      let result = await lab(Self.words + ["--max-changes", "0", "--html", path])
      return (result, try String(contentsOfFile: path, encoding: .utf8))
    }
    #expect(result.code == .good, "\(result.errors)")
    #expect(page.contains("The changes that make kit-2-readme safe"))
    #expect(page.contains("position = number"))
    #expect(!result.output.contains("nothing needs to change"))
    #expect(
      result.output.contains("No set of up to 0 changes makes kit-2-readme hold"),
      "\(result.output)"
    )
    #expect(result.output.contains("Set 1: position = number"))
  }

  @Test func `Every proper subset of a set is broken by its plan`() async throws {
    let words = [
      "repair", "--system", "article", "--conditions", "steady,stamp-before-commit", "--plans",
      "20",
      "--depth", "3", "--max-changes", "0", "--json",
    ]
    let result = await lab(words)
    #expect(result.code == .good, "\(result.errors)")
    let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
    let design = try #require(LabSystem.named("article")?.design)
    let answer = try #require(document.larger)
    #expect(answer.changes.count == 2 && answer.subsets.count == 3)
    for subset in answer.subsets {
      var changed = design
      for change in answer.changes where subset.decisions.contains(change.decision) {
        DesignDecision.named(change.decision)?.set(change.to, in: &changed)
      }
      let worker = PlanWorker(LabSystem(changed, nil), at: .heap(), versions: [:])
      #expect(try worker.violation(by: PlanCodec.decode(subset.plan)) != nil, "\(subset)")
    }
  }

  @Test func `Only the conditions that a file's history shows are repaired`() async throws {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: "\(folder)/a.sqlite")
      let words = ["repair", "--system", "kit-2", "--max-changes", "0", "--plans", "5", "--depth"]
      let result = await lab(words + ["3", "--seen-in", "\(folder)/a.sqlite"])
      #expect(result.output.contains("Kit-2 holds under steady:"), "\(result.output)")
      #expect(!result.output.contains("clock-back"))
      let missing = await lab(words + ["3", "--seen-in", "\(folder)/none"])
      #expect(missing.code == .usage && missing.errors.contains("--seen-in: there is no file"))
    }
  }

  @Test func `A design is described as a file that repair reads again`() async throws {
    try await withFolder { folder in
      let described = await lab(["repair", "--system", "kit-2-readme", "--describe"])
      #expect(described.code == .good, "\(described.errors)")
      let path = "\(folder)/mine.json"
      try described.output.write(toFile: path, atomically: true, encoding: .utf8)
      let again = await lab(["repair", "--system", path, "--describe"])
      #expect(again.output == described.output)
      let checked = await lab([
        "check", "--system", path, "--plans", "5", "--seed", "1", "--conditions", "steady",
        "--output",
        folder,
      ])
      #expect(checked.output.contains("mine.json"), "\(checked.errors)")
    }
  }

  @Test func `A bad file, a system without decisions and a missing file are errors`() async throws {
    try await withFolder { folder in
      let path = "\(folder)/mine.json"
      try #"{"design": 1, "name": "mine", "like": "kit-2", "bound": "every"}"#
        .write(toFile: path, atomically: true, encoding: .utf8)
      for verb in ["repair", "check", "explore"] {
        let bad = await lab([verb, "--system", path])
        #expect(bad.code == .usage)
        #expect(bad.errors.contains("Did you mean \"everyone\"?"), "\(bad.errors)")
      }
      let missing = await lab(["repair", "--system", "\(folder)/none.json"])
      #expect(missing.code == .usage && missing.errors.contains("none.json"))
      let tracker = await lab(["repair", "--system", "tracker"])
      #expect(tracker.code == .usage && tracker.errors.contains("kit-2-readme"))
    }
  }
}

@Suite struct `The corner of the designs` {
  @Test func `The tracker's decisions hold in random plans of all conditions`() throws {
    let system = LabSystem(TrackingDesign.corner, nil)
    var options = PlanOptions()
    options.conditions = .all
    let worker = PlanWorker(system, at: .heap(), versions: [:])
    let recipe = PlanRecipe(
      generator: .init(try options.style(for: system)),
      seed: 1,
      timestamps: system.timestamps
    )
    for number in 1...60 {
      let violation = try worker.violation(by: recipe.plan(number).plan)
      #expect(violation == nil, "plan \(number): \(violation?.because ?? "")")
    }
  }
}

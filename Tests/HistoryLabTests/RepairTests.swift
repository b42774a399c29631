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
  ///
  /// With `purging`, a set must also purge, which it does if it contains one of those sets.
  private func search(
    _ repairs: [Set<String>],
    purging: [Set<String>]? = nil,
    verified: @escaping (Set<String>) -> Void = { _ in }
  ) -> MinimalSets<String, Proof> {
    var search = MinimalSets<String, Proof>(alternatives: Self.alternatives) { sets, proofs in
      sets.map { set in proofs.indices.first { proofs[$0].needs.isDisjoint(with: set) } }
    } verify: { set in
      verified(set)
      if repairs.contains(where: { $0.isSubset(of: set) }) { return [] }
      // A plan breaks the set because of what each repair still misses.
      return [Proof(needs: Set(repairs.flatMap { $0.subtracting(set) }))]
    }
    if let purging {
      search.purges = { sets in sets.map { set in purging.contains { $0.isSubset(of: set) } } }
    }
    return search
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

  @Test func `If no minimal set purges, the smallest set that holds and purges is found`()
    async throws
  {
    var verified: [Set<String>] = []
    var search = search([["a1"]], purging: [["b", "c"], ["d", "c", "a1"]]) { verified.append($0) }
    try await search.search(upTo: 4)
    #expect(search.minimal == [["a1"]] && search.idle.contains(["a1"]))
    #expect(search.purging == ["a1", "b", "c"] && search.isSolved)
    // Of the larger sets, only one that purges is verified.
    #expect(verified.filter { $0.count > 1 } == [["a1", "b", "c"]])
    for subset in [[], ["a1"], ["b", "c"], ["a1", "b"], ["a1", "c"]] as [Set<String>] {
      #expect(search.rejections[subset] != nil || search.idle.contains(subset), "\(subset)")
    }
    var limited = self.search([["a1"]], purging: [["b", "c"]])
    try await limited.search(upTo: 2)
    #expect(limited.minimal == [["a1"]] && limited.purging == nil && !limited.isSolved)
    #expect(try await limited.reduce(["a1", "b", "c", "d"]) == ["a1", "b", "c"])
    #expect(try await limited.reduce(["a1", "b", "d"]) == nil)
  }

  @Test func `A minimal set that purges ends the search for larger ones`() async throws {
    var search = search([["a1"], ["b"]], purging: [["b"]])
    try await search.search(upTo: 4)
    #expect(search.minimal == [["a1"], ["b"]] && search.purging == nil && search.isSolved)
    var idle = self.search([[]], purging: [["d"]])
    try await idle.search(upTo: 4)
    #expect(idle.minimal == [[]] && idle.purging == ["d"])
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

  /// Repairs a design, with the run's folder in a folder that is removed afterwards.
  private func repair(
    _ words: [String]
  ) async throws -> (code: ExitCode, output: String, errors: String) {
    try await withFolder { folder in await lab(["repair"] + words + ["--output", folder]) }
  }

  private struct Document: Decodable {
    struct Change: Decodable {
      let decision: String
      let to: String
      let plan: String?
      let invariant: String?
      let replay: String?
    }
    struct Subset: Decodable {
      let decisions: [String]
      let plan: String?
    }
    struct Answer: Decodable {
      let changes: [Change]
      let subsets: [Subset]
      let design: String
      let purges: Bool
    }
    let sets: [Answer]
    let purging: Answer?
    let larger: Answer?
    let verdict: String
    let isRepaired: Bool

    init(_ output: String) throws {
      self = try JSONDecoder().decode(Document.self, from: Data(output.utf8))
    }
  }

  /// Returns an output with single spaces in place of line breaks.
  private static func unwrapped(_ output: String) -> String {
    output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let words = [
    "--system", "kit-2-readme", "--conditions", "stamp-before-commit", "--plans", "20",
    "--depth", "3",
  ]

  @Test
  func `A position by number lets writes commit late, and its plan shows why, but never purges`()
    async throws
  {
    let result = try await repair(Self.words + ["--max-changes", "1", "--json"])
    let document = try Document(result.output)
    #expect(document.sets.map(\.purges) == [false] && document.purging == nil)
    #expect(result.code == .violation && !document.isRepaired, "\(result.errors)")
    #expect(document.verdict.contains("but with it the design never purges."))
    #expect(document.verdict.contains("No set of up to 1 change makes it hold and purge; one with"))
    #expect(document.larger?.purges == true)
    let sets = document.sets.map { $0.changes.map { "\($0.decision) \($0.to)" } }
    #expect(sets == [["position number"]])
    let answer = try #require(document.sets.first)
    let change = try #require(answer.changes.first)
    #expect(answer.subsets.map(\.decisions) == [[]] && answer.subsets[0].plan == change.plan)
    let plan = try PlanCodec.decode(try #require(change.plan))
    let invariant = try #require(change.invariant)
    let original = try #require(LabSystem.named("kit-2-readme"))
    let repaired = LabSystem(try DesignCodec.decode(answer.design), nil)
    for (system, breaks) in [(original, true), (repaired, false)] {
      let worker = PlanWorker(system, at: .heap(), versions: [:])
      #expect(try (worker.violation(of: invariant, by: plan) != nil) == breaks)
    }
  }

  @Test func `A design that holds but never purges is repaired only by a set that purges`()
    async throws
  {
    try await withFolder { folder in
      let path = "\(folder)/mine.json"
      try makeFile(
        path,
        #"{"design": 1, "name": "mine", "like": "kit-2-readme", "position": "number"}"#
      )
      let words = [
        "repair", "--system", path, "--output", folder, "--conditions", "stamp-before-commit",
        "--plans", "5", "--depth", "3",
      ]
      let none = await lab(words + ["--max-changes", "0", "--json"])
      #expect(none.code == .violation, "\(none.errors)")
      #expect(try !Document(none.output).isRepaired)
      #expect(try Document(none.output).sets.first?.design.contains(" with .") == false)
      #expect(none.output.contains("but never purges. No set of up to 0 changes makes it hold"))
      let result = await lab(words + ["--max-changes", "1", "--json"])
      let document = try Document(result.output)
      #expect(result.code == .good && document.isRepaired, "\(result.errors)")
      let answer = try #require(document.purging)
      #expect(answer.purges && answer.changes.count == 1)
      #expect(document.sets.map(\.purges) == [false])
      // Without the change no plan breaks the design: it only never purges.
      #expect(answer.changes[0].plan == nil && answer.changes[0].replay == nil)
      let text = Self.unwrapped(await lab(words + ["--max-changes", "1"]).output)
      #expect(text.contains("With these changes the design purges"), "\(text)")
      #expect(text.contains("The design never purged in 5 plans: history only grows."))
      #expect(text.contains("The smallest set with which it holds and purges has 1 change."))
    }
  }

  @Test func `Each change names a command that replays the plan without it`() async throws {
    try await withFolder { folder in
      let page = "\(folder)/page.html"
      let words =
        ["repair"] + Self.words + ["--max-changes", "1", "--output", folder, "--html", page]
      let result = await lab(words)
      #expect(result.output.contains("Report: "), "\(result.errors)")
      let run = "\(folder)/latest"
      let plan = "plan-set-1-without-position.jsonl"
      let line = try #require(
        result.output.split(separator: "\n").first { $0.contains("Replay: ") && $0.contains(plan) }
      )
      #expect(line.contains("design-set-1-without-position.json"))
      for path in [page, "\(run)/index.html"] {
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(plan))
      }
      let replay = await lab(
        ["replay", "\(run)/\(plan)", "--system", "\(run)/design-set-1-without-position.json"]
      )
      #expect(replay.code == .violation, "\(replay.output)\(replay.errors)")
      #expect(replay.output.contains("CursorProgress: broken"))
      let repaired = await lab(
        ["replay", "\(run)/\(plan)", "--system", "\(run)/design-set-1.json"]
      )
      #expect(repaired.code == .good, "\(repaired.output)\(repaired.errors)")
      let kept = try String(contentsOfFile: "\(run)/repair.json", encoding: .utf8)
      #expect(try Document(kept).sets[0].changes[0].replay?.contains("replay \(plan)") == true)
    }
  }

  @Test
  func `A repair with more changes than were searched for is found from the tracker's decisions`()
    async throws
  {
    let (result, page) = try await withFolder { folder in
      let path = "\(folder)/page.html"
      let result = await lab(
        ["repair"] + Self.words + ["--max-changes", "0", "--html", path, "--output", folder]
      )
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
    #expect(Self.unwrapped(result.output).contains("does, and purges."))
    #expect(result.output.contains("Set 1: position = number"))
  }

  @Test func `Every proper subset of a set is broken by its plan`() async throws {
    let words = [
      "--system", "article", "--conditions", "steady,stamp-before-commit", "--plans",
      "20",
      "--depth", "3", "--max-changes", "0", "--json",
    ]
    let result = try await repair(words)
    #expect(result.code == .good, "\(result.errors)")
    let document = try Document(result.output)
    let design = try #require(LabSystem.named("article")?.design)
    let answer = try #require(document.larger)
    #expect(answer.changes.count == 2 && answer.subsets.count == 3)
    for subset in answer.subsets {
      var changed = design
      for change in answer.changes where subset.decisions.contains(change.decision) {
        DesignDecision.named(change.decision)?.set(change.to, in: &changed)
      }
      let worker = PlanWorker(LabSystem(changed, nil), at: .heap(), versions: [:])
      let plan = try PlanCodec.decode(try #require(subset.plan))
      #expect(try worker.violation(by: plan) != nil, "\(subset)")
    }
  }

  @Test func `Only the conditions that a file's history shows are repaired`() async throws {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: "\(folder)/a.sqlite")
      let words = [
        "repair", "--output", folder, "--system", "kit-2", "--max-changes", "0", "--plans", "5",
        "--depth",
      ]
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

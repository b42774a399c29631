import Checkers
import Foundation
import LabFixtures
import Reporting
import Simulation
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct `The verb explore` {
  private static let invariantCount = CheckerSuite.names(in: .all).count
  /// A whole card has a row for each condition.
  private static let conditionCount = Condition.allCases.count

  private func lab(_ words: [String]) async -> (code: ExitCode, output: String, errors: String) {
    await run(words, composition: .current)
  }

  private func cards(_ folder: String) throws -> CardsDocument {
    let data = try #require(FileManager.default.contents(atPath: "\(folder)/latest/cards.json"))
    return try JSONDecoder().decode(CardsDocument.self, from: data)
  }

  @Test func `A system that holds exits 0 and reports its coverage`() async throws {
    try await withFolder { folder in
      let result = await lab([
        "explore", "--depth", "4", "--conditions", "steady,late-join", "--output", folder,
      ])
      #expect(result.code == .good, "\(result.errors)")
      #expect(result.output.contains("3,531"))
      #expect(
        result.output.contains(
          "Every exercised invariant holds under steady and late-join, with 15 of 30 cells not "
            + "exercised."
        )
      )
      let document = try cards(folder)
      #expect(document.verdict == "valid")
      let cell = try #require(document.systems.first?.cells.first { $0.invariant == "PurgeSafety" })
      #expect(cell.result == .holds && cell.depth == 4 && cell.plans == 3_531 && cell.states == 542)
      let loud = document.systems[0].cells.first { $0.invariant == "LoudExpiry" }
      #expect(loud?.result == .notExercised)
    }
  }

  // MARK: Windows of a real history

  private func explore(
    _ words: String...
  ) async throws -> (result: (code: ExitCode, output: String, errors: String), CardsDocument?) {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: folder + "/store")
      let given = ["explore", "--actors", "2", "--output", folder, "--history", folder + "/store"]
      let result = await lab(given + words)
      return (result, try? cards(folder))
    }
  }

  @Test func `Our tracker holds in every plan around windows of a real history`() async throws {
    let (result, document) = try await explore(
      "--conditions",
      "steady,restart,clock-back",
      "--depth",
      "4",
      "--windows",
      "3"
    )
    #expect(result.code == .good, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Writes: 3 windows of the history of "))
    let cell = document?.systems.first?.cells.first { $0.invariant == "PurgeSafety" }
    #expect(cell?.result == .holds && (cell?.states ?? 0) > 50, "\(cell?.states ?? 0) states")
  }

  @Test func `The article's design loses real transactions around a window`() async throws {
    let (result, document) = try await explore(
      "--system",
      "article",
      "--conditions",
      "clock-back",
      "--depth",
      "5",
      "--windows",
      "2"
    )
    #expect(result.code == .violation, "\(result.output)\(result.errors)")
    #expect(result.output.contains("Note/1"), "\(result.output)")
    #expect(document?.verdict == "invalid")
  }

  @Test func `Options about windows need a history that can be read`() async throws {
    let alone = await lab(["explore", "--windows", "3"])
    #expect(alone.code == .usage && alone.errors.contains("pass a file with --history too"))
    try await withFolder { folder in
      try makeFile(folder + "/text")
      let foreign = await lab(["explore", "--history", folder + "/text"])
      #expect(foreign.code == .usage && foreign.errors.contains("--history: "))
    }
  }

  @Test func `An invariant that no plan exercises is not reported as holding`() async throws {
    try await withFolder { folder in
      let result = await lab([
        "explore", "--system", "article", "--conditions", "steady", "--actors", "1", "--depth", "2",
        "--output", folder,
      ])
      #expect(result.code == .good, "\(result.errors)")
      #expect(
        result.output.contains(
          "Every exercised invariant holds under steady, with 13 of 15 cells not exercised."
        )
      )
      #expect(result.output.contains("holds, 2 of 15 exercised"))
    }
    let system = try #require(LabSystem.named("article"))
    let refused = SafetyCard(system, conditions: [.hookFailure], pieceCount: 1, [])
    #expect(refused.verdict == "unknown" && refused.sentence == "no invariant was exercised.")
  }

  @Test func `A system that breaks exits 1 and writes the shortest plans`() async throws {
    try await withFolder { folder in
      let words = [
        "explore", "--system", "greatest-cursor", "--depth", "3", "--conditions",
        "steady", "--json", "--output", folder,
      ]
      let result = await lab(words)
      #expect(result.code == .violation, "\(result.errors)")
      let printed = try JSONDecoder().decode(CardsDocument.self, from: Data(result.output.utf8))
      let cell = try #require(printed.systems[0].cells.first { $0.invariant == "PurgeSafety" })
      #expect(cell.result == .breaks && cell.length == 3 && cell.depth == 3)
      #expect(cell.condition == "steady" && cell.budget == nil && cell.isLeast == true)
      #expect(cell.because?.contains("purged #1") == true)
      // A header and three commands.
      #expect(cell.plan?.count == 4)
      let file = try #require(cell.file)
      let replay = await lab(["replay", file])
      #expect(replay.code == .violation)
    }
  }

  @Test func `Each violation is reported with its replay command and a picture`() async throws {
    try await withFolder { folder in
      let words = [
        "explore", "--system", "greatest-cursor", "--depth", "3", "--conditions",
        "steady", "--output", folder,
      ]
      let result = await lab(words)
      let broken = try cards(folder).systems[0].cells.filter { $0.result == .breaks }
      #expect(!broken.isEmpty)
      let page = try String(contentsOfFile: "\(folder)/latest/index.html", encoding: .utf8)
      for cell in broken {
        let file = try #require(cell.file)
        #expect(cell.replay == "history-lab replay \(file)")
        let path = try #require(
          result.output.matches(of: /Replay: history-lab replay (\S*)\n/).map(\.1)
            .first { $0.hasSuffix("/\(file)") }
        )
        let again = await lab(["replay", String(path)])
        #expect(again.code == .violation && again.output.contains("\(cell.invariant): broken"))
        let picture = file.replacing(".jsonl", with: ".html")
        #expect(FileManager.default.fileExists(atPath: "\(folder)/latest/\(picture)"))
        #expect(page.contains("href=\"./\(picture)\""))
      }
      // A card may have hundreds of them: it names the command that shows all.
      let card = await lab(words + ["--card"])
      let any = "/counterexample-SYSTEM-CONDITION-INVARIANT.jsonl\n"
      #expect(card.output.contains("Replay any: history-lab replay ") && card.output.contains(any))
      #expect(!card.output.contains("Replay: "))
    }
  }

  @Test func `The card of one system is one JSON object with its cells`() async throws {
    try await withFolder { folder in
      let words = [
        "explore", "--system", "article", "--card", "--json", "--depth", "2", "--conditions",
        "ties",
        "--output", folder,
      ]
      let result = await lab(words)
      let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      let card = try #require(object as? [String: Any])
      #expect(card["system"] as? String == "article")
      let cells = try #require(card["cells"] as? [[String: Any]])
      let cell = try #require(cells.first { $0["invariant"] as? String == "CursorProgress" })
      #expect(cell["condition"] as? String == "ties" && cell["result"] as? String == "breaks")
      #expect(cell["depth"] as? Int == 2 && cell["length"] as? Int == 2)
      #expect(cell["plans"] is Int && cell["states"] is Int)
      #expect((cell["plan"] as? [String])?.count == 3)
      let whole = await lab(words.filter { $0 != "--card" })
      let document = try JSONDecoder().decode(CardsDocument.self, from: Data(whole.output.utf8))
      #expect(document.systems.count == 1)
    }
  }

  @Test func `Cells that run out of states are unknown and name their budget`() async throws {
    try await withFolder { folder in
      let result = await lab([
        "explore", "--depth", "4", "--states", "50", "--conditions", "steady,late-join", "--output",
        folder,
      ])
      #expect(result.code == .undecided)
      #expect(result.output.contains("Unknown: steady (more than 50 states)"))
      let open = try cards(folder).systems[0].cells.filter { $0.result == .unknown }
      #expect(open.count == 2 * Self.invariantCount && open.allSatisfy { $0.budget == 50 })
    }
  }

  @Test func `A length is reported as least only if every shorter plan was run`() throws {
    let system = try #require(LabSystem.named("article"))
    func outcome(_ scope: ExploreScope, states: Int) throws -> ExploreTask.Outcome {
      let task = ExploreTask(
        system: system,
        condition: .ties,
        scope: scope,
        stateCountMax: states,
        versions: [:]
      )
      return try task.run { _ in true }
    }
    let whole = try outcome(ExploreScope(actors: 2, depth: 3), states: 1_000)
    let cut = try outcome(ExploreScope(actors: 3, depth: 3), states: 10)
    func cell(_ pieces: [ExploreTask.Outcome]) throws -> SafetyCell {
      let card = SafetyCard(system, conditions: [.ties], pieceCount: pieces.count, pieces)
      return try #require(card.cells.first { $0.invariant == "Convergence" })
    }
    #expect(try cell([whole]).word == "breaks 3" && cell([whole]).isLeast)
    // Three actors may need fewer commands; the known least length does not apply.
    #expect(cut.exploration.depth == 1)
    #expect(try cell([whole, cut]).word == "breaks ≤ 3")
    let unknown = try cell([cut])
    #expect(unknown.word == "unknown" && unknown.budget == 10 && !unknown.isLeast)
  }

  @Test func `A card has a row for every condition, even unavailable ones`() async throws {
    try await withFolder { folder in
      let result = await lab([
        "explore", "--system", "article", "--card", "--depth", "1", "--markdown", "--output",
        folder,
      ])
      #expect(result.code == .violation)
      for row in try #require(try cards(folder).systems.first).conditions {
        #expect(result.output.contains("| \(row.condition) |"))
      }
      let document = try cards(folder).systems[0]
      #expect(document.conditions.count == Self.conditionCount)
      #expect(document.cells.count == Self.conditionCount * Self.invariantCount)
      let hooks = try #require(document.conditions.first { $0.condition == "hook-failure" })
      #expect(hooks.explored.isEmpty && hooks.because?.contains("hooks") == true)
      #expect(hooks.evidence == "documented")
      let ties = try #require(document.conditions.first { $0.condition == "ties" })
      #expect(ties.evidence == "hypothetical" && ties.explored.map(\.actors) == [2])
    }
  }

  @Test func `Plans that did not run because of an interruption are unknown`() throws {
    let system = try #require(LabSystem.named("article"))
    let card = SafetyCard(system, conditions: [.steady, .hookFailure], pieceCount: 2, [])
    #expect(card.verdict == "unknown")
    #expect(card.conditions[0].cells.allSatisfy { $0.result == .unknown && $0.budget == nil })
    #expect(
      ExploreText(card: card).open == "Unknown: steady (interrupted). Try a larger --states."
    )
    #expect(card.conditions[1].cells.allSatisfy { $0.result == .notExercised })
  }

  @Test func `The report's page shows cards of several runs next to each other`() async throws {
    try await withFolder { folder in
      for system in ["article", "tracker"] {
        let words = [
          "explore", "--system", system, "--depth", "1", "--output", "\(folder)/\(system)",
        ]
        _ = await lab(words + ["--conditions", "same-author-twice,ties"])
      }
      let own = try String(contentsOfFile: "\(folder)/tracker/latest/index.html", encoding: .utf8)
      #expect(own.contains("Safety card: tracker") && !own.contains("Safety card: article"))
      let result = await lab(["report", "--output", folder, "--html", "\(folder)/lab.html"])
      #expect(result.code == .good, "\(result.errors)")
      let page = try String(contentsOfFile: "\(folder)/lab.html", encoding: .utf8)
      #expect(page.contains("Which design is safe under which conditions"))
      #expect(page.contains(#/<th scope="col"><a[^>]*>tracker</a><th scope="col"><a[^>]*>article/#))
      #expect(page.contains("<td class=\"cell good\"><a href=\"#safety-card-tracker\">holds</a>"))
      // Two processes of one author are outside the article author's stated use.
      let outside = try #require(
        page.firstMatch(
          of: #/<td class="cell bad"><a href="\#(card-article-same-author-twice)">(\d+) broken\*/#
        )
      )
      let broken = try cards("\(folder)/article").systems[0].cells.count {
        $0.condition == "same-author-twice" && $0.result == .breaks
      }
      #expect(String(outside.2) == String(broken))
      let ids = page.matches(of: /\ id="([^"]*)"/).map { String($0.1) }
      #expect(Set(ids).count == ids.count)
      for link in page.matches(of: /href="#([^"]*)"/) { #expect(ids.contains(String(link.1))) }
      #expect(page.contains("each process must have its own author"))
    }
  }

  @Test func `Each card on the report's page states its own bounds`() async throws {
    try await withFolder { folder in
      let runs = [
        "--system article --actors 1 --depth 2", "--system tracker --actors 2 --depth 3",
        "--system article-eager --actors 2 --depth 3 --states 5",
      ]
      for words in runs {
        let line = "explore \(words) --conditions steady --output"
        _ = await lab(line.split(separator: " ").map(String.init) + [folder])
      }
      _ = await lab(["report", "--output", folder, "--html", "\(folder)/lab.html"])
      let page = try String(contentsOfFile: "\(folder)/lab.html", encoding: .utf8)
      let (one, two) = ("Every plan of 1 actor to depth 2", "Every plan of 2 actors to depth 3")
      #expect(page.contains("<p>\(one) was run.</p>"))
      #expect(page.contains("<p>\(two) was run.</p>"))
      let cut = "\(two) was to be run; not all were run under steady (more than 5 states)."
      #expect(page.contains("<p>\(cut)</p>"))
      #expect(page.contains("<dt>article-eager</dt><dd>\(cut)</dd>"))
      #expect(page.contains("The systems were explored to different depths."))
    }
  }

  @Test func `Cards of several systems start with a table by condition, linked to the details`()
    async throws
  {
    try await withFolder { folder in
      let result = await lab([
        "explore", "--system", "article", "--system", "kit-1.0", "--depth", "2", "--conditions",
        "steady,same-author-twice", "--markdown", "--output", folder,
      ])
      #expect(result.code == .violation, "\(result.errors)")
      let text = result.output
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      #expect(lines[0] == "## All systems")
      #expect(lines.contains("| condition | known as | [article](#article) | [kit-1.0](#kit-10) |"))
      let document = try cards(folder)
      let cells = document.systems.map { card in
        card.cells.count { $0.condition == "same-author-twice" && $0.result == .breaks }
      }
      #expect(
        lines.contains(
          "| same-author-twice | hypothetical "
            + "| [\(cells[0]) broken\\*](#article-under-same-author-twice) "
            + "| [\(cells[1]) broken\\*](#kit-10-under-same-author-twice) |"
        )
      )
      #expect(lines.contains("### kit-1.0 under same-author-twice"))
      #expect(text.contains("- holds: ") && text.contains("- Reclaim: Once all members"))
      // Each link target of a cell is a heading, as GitHub names headings.
      let headings = Set(
        lines.filter { $0.hasPrefix("##") }.map { line in
          String(line.drop { $0 == "#" || $0 == " " }).replacing(".", with: "")
            .replacing(" ", with: "-")
        }
      )
      for link in text.matches(of: /\]\(#([^)]*)\)/) {
        #expect(headings.contains(String(link.1)), "\(link.1)")
      }
      #expect(try String(contentsOfFile: "\(folder)/latest/cards.md", encoding: .utf8) == text)
    }
  }

  @Test func `An interrupted card says so and lists no plans that did not run`() throws {
    let system = try #require(LabSystem.named("article"))
    let card = SafetyCard(system, conditions: [.steady, .hookFailure], pieceCount: 1, [])
    let kept = RunCollection.Card(
      folder: ".",
      scopes: [ExploreScope(actors: 2, depth: 3)],
      card: CardsDocument.Card(card, kept: [:], for: .folder)
    )
    let blocks = CardSections(cards: [kept], pageFolder: ".").sections.flatMap(\.blocks)
    let reported = PageBlock.paragraph(
      "Every plan of 2 actors to depth 3 was to be run; not all were run under steady (interrupted)."
    )
    #expect(blocks.contains(reported))
  }

  @Test func `Results do not depend on the jobs`() async throws {
    try await withFolder { folder in
      var found: [[String]] = []
      for jobs in ["1", "2"] {
        let output = "\(folder)/\(jobs)"
        _ = await lab([
          "explore", "--system", "article", "--system", "greatest-cursor", "--depth", "2",
          "--jobs", jobs, "--output", output,
        ])
        found.append(
          try cards(output).systems.flatMap(\.cells).map {
            "\($0.invariant) \($0.condition) \($0.result) \($0.plans) \($0.states) \($0.plan ?? [])"
          }
        )
      }
      #expect(
        found[0] == found[1] && found[0].count == 2 * Self.conditionCount * Self.invariantCount
      )
    }
  }

  @Test(arguments: [
    ("explore --system artcle", "unknown system \"artcle\"."),
    ("explore --actors 9", "--actors takes"),
    ("explore --actors 5", "Try: history-lab check --actors 5"),
    ("explore --depth 0", "--depth takes"),
    ("explore --system article --conditions power-off", "article does not support power-off"),
    ("explore --conditions crash,call-failure", "an exploration never makes a call fail"),
    ("explore --system article --conditions hook-failure", "article does not support hook-failure"),
  ])
  func `Wrong arguments are reported`(_ line: String, _ sentence: String) async {
    let result = await lab(line.split(separator: " ").map(String.init))
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test func `By default two actors explore to depth 6 and three to depth 5`() throws {
    func scopes(_ line: String) throws -> [ExploreScope] {
      try ExploreOptions(parse(line), in: .current).scopes
    }
    #expect(try scopes("explore") == ExploreScope.usual)
    #expect(try scopes("explore --quick") == [ExploreScope(actors: 2, depth: 5)])
    #expect(try scopes("explore --actors 3") == [ExploreScope(actors: 3, depth: 5)])
    #expect(try scopes("explore --depth 7") == [ExploreScope(actors: 2, depth: 7)])
  }

  @Test
  func `A card has a smaller state budget than an unattended exploration`()
    throws
  {
    func states(_ line: String) throws -> Int {
      try ExploreOptions(parse(line), in: .current).stateCountMax
    }
    #expect(try states("explore") == 10_000_000)
    #expect(try states("explore --card") == 210_000)
    #expect(try states("explore --card --system all") == 86_000)
    #expect(try states("explore --card --system all --states 7") == 7)
  }

  @Test func `All systems are this build's without the mutants`() throws {
    let options = try ExploreOptions(parse("explore --system all"), in: .current)
    #expect(options.systems.starts(with: ["tracker", "article", "article-eager"]))
    #expect(!options.systems.contains { $0.hasPrefix("mutant/") || $0 == LabSystem.mistaken })
  }
}

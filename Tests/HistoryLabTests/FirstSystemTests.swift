import Foundation
import LabFixtures
import Reporting
import Simulation
import TestSupport
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

/// The Python demonstration of the article, actually run.
@Suite(.needs(.python3)) struct FirstSystemTests {
  /// The path of the file from the package's folder, as the page names it.
  private static let file = "Sources/Systems/Systems.docc/first-system.py"

  private static func system(_ words: String = "") -> String {
    "external:python3 '\(Repository.path(file))'\(words)"
  }

  private static func page() throws -> String {
    let path = Repository.path("Sources/Systems/Systems.docc/YourFirstSystem.md")
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test(arguments: ["", " --bug"])
  func `The page's first system responds correctly, with its bug and without`(_ words: String) async
  {
    let command = String(Self.system(words).dropFirst("external:".count))
    let kept = await run(["protocol", "check", command])
    #expect(kept.code == .good, "\(kept)")
    #expect(kept.output.contains("first-system 1"))
  }

  @Test func `The bug is found, shrunk and replayed as the page says`() async throws {
    try await withFolder { folder in
      // As `check --system ... --seed 1` on the page, but only the first failing plan of one invariant.
      let system = try LabSystem.find(Self.system(" --bug"), SharedProgramState())
      let style = try PlanOptions(parse("check")).style(for: system)
      let recipe = PlanRecipe(
        generator: PlanGenerator(style),
        seed: 1,
        timestamps: system.timestamps
      )
      let search = CheckRun(system: system, recipe: recipe, versions: [:]) { _ in .heap() }
      let tally = try await search.tally(plans: 8, jobs: 1, progress: { _ in }, goesOn: { true })
      let first = try #require(tally.broken.first { $0.checker == "PurgeSafety" })
      let shrunk = try search.shrink(first.checker, plan: first.plan) { _ in }

      let found = shrunk.counterexample
      #expect(found.trace.header.plan.commands.count == 3)
      let page = try Self.page()
      #expect(page.contains(found.violation.because), "\(found.violation.because)")
      let sentence =
        "PurgeSafety broke first in plan \(shrunk.plan), \(shrunk.originalCommandCount) commands; shrunk "
        + "to \(found.trace.header.plan.commands.count) in \(shrunk.evaluations) tries"
      #expect(page.contains(sentence), "\(sentence)")
      let text = CounterexampleText(width: 80, colour: false).render(found, replay: "")
      let picture = text.split(separator: "\n").filter { $0.contains("│") || $0.contains("─┼") }
      #expect(picture.count == 5 && picture.allSatisfy { page.contains($0) }, "\(picture)")

      let file = folder + "/counterexample.jsonl"
      try makeFile(file, CounterexampleCodec.encode(found))
      let replay = await run(["replay", file, "--system", Self.system(" --bug")])
      #expect(replay.code == .violation)
      #expect(replay.output.contains("PurgeSafety: broken. \(found.violation.because)"))
      let mended = await run(["replay", file, "--system", Self.system()])
      #expect(mended.output.contains("PurgeSafety") && !mended.output.contains("broken"))
      #expect(mended.code == .good)
    }
  }

  @Test func `Without the bug every exercised invariant holds`() async throws {
    try await withFolder { folder in
      let kept = await run([
        "check", "--system", Self.system(), "--seed", "1", "--plans", "100", "--output", folder,
      ])
      #expect(kept.code == .good && kept.errors == "", "\(kept)")
      let sentence = kept.output.split(separator: "\n").first { $0.contains("exercised held") }
      let reported = sentence.map { $0.trimmingCharacters(in: .whitespaces) }
      let page = try Self.page()
      #expect(reported.map { page.contains($0) } == true, "\(reported as Any)")
    }
  }

  @Test func `The page's lines of code are in the program`() throws {
    let program = try String(contentsOfFile: Repository.path(Self.file), encoding: .utf8)
    let lines = Set(program.split(separator: "\n"))
    let blocks = try Self.page().split(separator: "```python\n").dropFirst()
    #expect(!blocks.isEmpty)
    for block in blocks {
      let code = block.prefix { $0 != "`" }.split(separator: "\n")
      for line in code { #expect(lines.contains(line), "\(line)") }
    }
    #expect(program.count { $0 == "\n" } <= 60)
  }

  @Test func `The program prints the wrong result that the page shows`() async throws {
    let file = Repository.path("Tests/Examples/python/mistakes.py")
    let kept = await run(["protocol", "check", "python3 '\(file)' insert-update"])
    #expect(kept.code == .violation)
    let lines = kept.output.split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("write: ") })
    #expect(try Self.page().contains(lines[start...(start + 3)].joined(separator: "\n")))
  }
}

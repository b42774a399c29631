import Foundation
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite(.serialized) struct `Programs under test` {
  private static var command: String? { BuiltCommand.path }

  private struct Document: Decodable {
    struct System: Decodable {
      struct Invariant: Decodable, Equatable {
        let invariant: String
        let valid: Int
        let invalid: Int
        let unknown: Int
      }
      struct Found: Decodable {
        let checker: String
        let commands: Int
        let replay: String
        let file: String
      }
      let steps: Int
      let invariants: [Invariant]
      let counterexamples: [Found]
      let plansInTrouble: Int
    }
    let verdict: String
    let because: String
    let systems: [System]
  }

  private func check(
    _ system: String,
    _ words: String...,
    in folder: String
  ) async throws -> (code: ExitCode, document: Document) {
    let line = ["check", "--system", system, "--seed", "1", "--json", "--output", folder] + words
    let kept = await run(line)
    #expect(kept.errors == "")
    return (kept.code, try JSONDecoder().decode(Document.self, from: Data(kept.output.utf8)))
  }

  /// Returns the verdicts of our tracker in this process, under the plans that a program gets.
  private static func tally(plans count: Int) async throws -> CheckTally {
    let system = LabSystem(
      name: "tracker",
      sentence: "",
      timestamps: .monotone,
      capabilities: TrackerSystem.abilities.subtracting(ExternalSystem.excludedCapabilities),
      make: { TrackerSystem() }
    )
    let style = try PlanOptions(parse("check")).style(for: system)
    let recipe = PlanRecipe(generator: PlanGenerator(style), seed: 1, timestamps: .monotone)
    let run = CheckRun(system: system, recipe: recipe, versions: [:]) { _ in .heap() }
    return try await run.tally(plans: count, jobs: 1, progress: { _ in }, goesOn: { true })
  }

  @Test func `The tracker as an external process has the same verdicts as in this process`()
    async throws
  {
    let command = try #require(Self.command)
    try await withFolder { folder in
      let there = try await check("external:'\(command)' serve", "--plans", "30", in: folder)
      let here = try await Self.tally(plans: 30)
      #expect(there.code == .good && there.document.verdict == "valid")
      let counts = Dictionary(
        uniqueKeysWithValues: there.document.systems[0].invariants.map {
          (
            $0.invariant,
            CheckTally.Count(valid: $0.valid, invalid: $0.invalid, unknown: $0.unknown)
          )
        }
      )
      #expect(here.counts == counts)
      #expect(here.stepCount == there.document.systems[0].steps)
    }
  }

  @Test func `A bug is found in an external process, and its plan replays there`() async throws {
    let command = try #require(Self.command)
    try await withFolder { folder in
      let system = "external:'\(command)' serve --system greatest-cursor"
      // The second plan of this seed breaks this invariant and no other.
      let found = try await check(system, "--plans", "2", "--jobs", "1", in: folder)
      #expect(found.code == .violation)
      let first = try #require(
        found.document.systems[0].counterexamples.first { $0.checker == "PurgeSafety" }
      )
      #expect(first.commands <= 3)
      #expect(first.replay.contains("--system 'external:"))
      let again = await run(["replay", first.file, "--system", system])
      #expect(again.code == .violation && again.output.contains("PurgeSafety: broken."))
      // The content of a file starts no program.
      let bare = await run(["replay", first.file])
      #expect(bare.code == .usage && bare.errors.contains("no program is started"))
      let right = await run(["replay", first.file, "--system", "external:'\(command)' serve"])
      #expect(right.code == .good, "\(right)")
    }
  }

  @Test(arguments: [
    ("exit 3", "60", "it ended with code 3"), ("cat", "60", "lacks the key \"ok\""),
    ("sleep 60", "0.2", "it was silent for 0.2 seconds"), ("yes", "60", "this is not JSON: y"),
  ])
  func `A program that sends no greeting is not checked`(
    _ program: String,
    _ timeout: String,
    _ clause: String
  ) async throws {
    try await withFolder { folder in
      let kept = await run([
        "check", "--system", "external:\(program)", "--timeout", timeout, "--output", folder,
      ])
      #expect(kept.code == .undecided)
      #expect(kept.errors.contains(clause), "\(kept.errors)")
      #expect(kept.errors.contains("Try: history-lab protocol check"))
    }
  }

  @Test func `A program that stops responding within a plan makes the verdict unknown`()
    async throws
  {
    try await withFolder { folder in
      let hello = #"{"id":1,"ok":{"system":"a","version":"1","capabilities":["steps"]}}"#
      let program = "read x; echo '\(hello)'; read x; echo 'I am lost' >&2; read y && sleep 60"
      let kept = try await check(
        "external:\(program)",
        "--timeout",
        "1",
        "--plans",
        "1",
        in: folder
      )
      #expect(kept.code == .undecided && kept.document.verdict == "unknown")
      #expect(kept.document.systems[0].plansInTrouble == 1)
      #expect(kept.document.because.contains("it was silent for a second, after {"))
      #expect(kept.document.because.contains("On standard error: I am lost"))
      let errors = try String(
        contentsOfFile: "\(folder)/latest/standard-error.txt",
        encoding: .utf8
      )
      #expect(errors.contains("== program 2 ==\nI am lost\n"))
      let run = try String(contentsOfFile: "\(folder)/latest/run.json", encoding: .utf8)
      #expect(run.contains("\"unknown\""))
    }
  }

  @Test func `External systems are listed as a system whose name contains a command`() throws {
    let listed = Composition.current.catalogue[.systems]
    #expect(listed.last?.name == "external:COMMAND")
    let everything = try ExploreOptions(parse("explore --system all"), in: .current)
    #expect(!everything.systems.contains("external:COMMAND"))
  }

  @Test(arguments: [
    ("check --system external:", "names no program"),
    ("explore --system external:cat", "an external system cannot be explored"),
    ("check --system external:cat --timeout 0", "--timeout takes a number from 0.05 to 86,400"),
  ])
  func `A program that cannot be run is refused`(_ line: String, _ sentence: String) async {
    let kept = await run(line.split(separator: " ").map(String.init))
    #expect(kept.code == .usage)
    #expect(kept.errors.contains(sentence), "\(kept.errors)")
  }
}

import Checkers
import Foundation
import LabFixtures
import Simulation
import Synchronization
import Testing
import Traces

@testable import Commands
@testable import HistoryLab

/// The verb `why` on committed plans, which break the system `greatest-cursor`.
@Suite struct `The verb why` {
  private static let mistaken = "greatest-cursor"
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  /// The app writes in two contexts and passes; its cursor moves past what it has not merged.
  private static let least = folder.appending(path: "LeastPlans/purge-by-greatest-cursor.jsonl")
    .path
  private static let kept = folder.appending(
    path: "Counterexamples/protected-author-unknown-to-the-purger.jsonl"
  ).path

  private func why(
    _ file: String,
    _ words: String...,
    system: String = mistaken
  ) async -> (code: ExitCode, output: String, errors: String) {
    await run(["why", file, "--system", system] + words, composition: .current)
  }

  private func json(_ text: String) throws -> [String: Any] {
    let decoded = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(decoded as? [String: Any])
  }

  /// Returns a counterexample file of the least plan.
  private static func counterexample() throws -> String {
    let system = try #require(LabSystem.named(mistaken))
    let plan = try LabFile(String(contentsOfFile: least, encoding: .utf8)).plan
    let trace = try PlanWorker(system, at: .heap(), versions: [:]).trace(plan)
    let suite = CheckerSuite(checking: trace, scope: .all)
    let violation = try #require(suite.violation(of: "CursorProgress"))
    return CounterexampleCodec.encode(Counterexample(trace: trace, violation: violation))
  }

  /// Returns one member of a JSON object, with sorted keys.
  private func part(_ key: String, _ text: String) throws -> Data {
    let value = try #require(try json(text)[key])
    return try JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
  }

  @Test func `The progress counts the continuations that need no run`() async throws {
    let system = try #require(LabSystem.named(Self.mistaken))
    let plan = try LabFile(String(contentsOfFile: Self.least, encoding: .utf8)).plan
    let run = try WhyRun(system: system, plan: plan, checker: "CursorProgress")
    let count = Mutex(0)
    let curve = try await run.curve(continuations: 3, jobs: 2) { more in
      count.withLock { $0 += more }
    }
    #expect(curve.broken == 3)
    #expect(count.withLock { $0 } == 3 * 4)
  }

  @Test func `The text has the curve, the parts and the nearest plan in this order`() async {
    let result = await why(Self.least, "--continuations", "50")
    #expect(result.code == .good && result.errors == "", "\(result.errors)")
    let parts = [
      "greatest-cursor violates ", " in 3 commands.",
      "The probability that a random continuation breaks", "(before the first)",
      "app: insert Item/1 {count: 0, title: \"a\"}",
      "50 continuations after each command, drawn from the seed 0x7b6e6ca03cd698d.",
      "Command 3 (app: ", "decided most:",
      "Command 3 breaks the invariant, so continuations after it were not run.",
      "What the violation depends on", "The nearest plan without the violation:",
    ]
    let places = parts.map { result.output.firstRange(of: $0)?.lowerBound }
    #expect(places.allSatisfy { $0 != nil }, "\(result.output)")
    #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
  }

  @Test(arguments: [least, kept])
  func `Equal seeds give equal results for any number of jobs`(_ file: String) async throws {
    let words = ["--continuations", "12", "--json"]
    func output(_ more: String...) async -> String {
      await run(["why", file, "--system", Self.mistaken] + words + more, composition: .current)
        .output
    }
    let one = await output("--jobs", "1", "--seed", "7")
    let three = await output("--jobs", "3", "--seed", "7")
    #expect(one == three)
    let other = await output("--seed", "8")
    #expect(try part("steps", one) != part("steps", other))
    #expect(try part("parts", one) == part("parts", other))
  }

  @Test func `JSON has counts, bounds, the rise and a plan that holds`() async throws {
    let result = await why(Self.kept, "--continuations", "40", "--json")
    let answer = try json(result.output)
    let steps = try #require(answer["steps"] as? [[String: Any]])
    #expect(steps.map { $0["after"] as? Int } == Array(0...4))
    #expect(steps.allSatisfy { $0["continuations"] as? Int == 40 })
    for step in steps {
      let lower = try #require(step["lower"] as? Double)
      let upper = try #require(step["upper"] as? Double)
      let share = try #require(step["probability"] as? Double)
      #expect(lower <= share && share <= upper)
      #expect(share == Double(try #require(step["violations"] as? Int)) / 40)
    }
    #expect(steps.last?["violations"] as? Int == 40)
    #expect((answer["noReturn"] as? [String: Any])?["violations"] as? Int == 40)
    let nearest = try #require((answer["nearest"] as? [[String: Any]])?.first)
    try await withFolder { folder in
      try makeFile("\(folder)/plan.jsonl", try #require(nearest["plan"] as? String))
      let replay = ["replay", "\(folder)/plan.jsonl", "--system", Self.mistaken]
      #expect(await run(replay, composition: .current).code == .good)
    }
  }

  @Test func `A counterexample that does not reproduce is undecided`() async throws {
    try await withFolder { folder in
      let file = "\(folder)/counterexample.jsonl"
      try makeFile(file, try Self.counterexample())
      let found = await run(["why", file, "--continuations", "20"], composition: .current)
      #expect(found.code == .good && found.output.contains(" violates CursorProgress in "))
      let gone = await why(file, system: "tracker")
      #expect(gone.code == .undecided && gone.output.isEmpty)
      #expect(
        gone.errors.contains("does not reproduce on tracker: it does not violate CursorProgress."),
        "\(gone.errors)"
      )
    }
    let plan = await why(Self.least, system: "tracker")
    #expect(plan.code == .undecided)
    #expect(plan.errors.contains("breaks no invariant on tracker, so there is nothing to explain."))
  }

  @Test func `A page has the curve, the picture and the parts, and never replaces the file`()
    async throws
  {
    try await withFolder { folder in
      let page = "\(folder)/why.html"
      let result = await why(Self.least, "--continuations", "20", "--html", page)
      #expect(result.code == .good, "\(result.errors)")
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.components(separatedBy: "<div class=\"walk-step\">").count == 1 + 4)
      #expect(html.contains("<strong>Before the first command</strong>"))
      #expect(html.contains("<strong>After command 3 of 3: "))
      #expect(html.contains("<path class=\"tl-curve\"") && html.contains("<path class=\"tl-area\""))
      let shares = html.components(separatedBy: "<circle class=\"tl-share\"").count - 1
      #expect(shares == 4)
      #expect(html.contains("After 3 commands: 100 % of 20 continuations break the invariant."))
      #expect(html.contains("What it depends on") && html.contains("must be another object than"))
      #expect(html.contains("The nearest plan without the violation"))
      try makeFile("\(folder)/plan.jsonl", try String(contentsOfFile: Self.least, encoding: .utf8))
      let refused = await why("\(folder)/plan.jsonl", "--html", "\(folder)/./plan.jsonl")
      #expect(refused.code == .usage)
      #expect(refused.errors.contains("would overwrite an input file. Choose another file"))
    }
  }

  @Test func `A file that cannot be read is an error of usage`() async throws {
    try await withFolder { folder in
      let absent = await run(["why", "\(folder)/none.jsonl"], composition: .current)
      #expect(absent.code == .usage)
      try makeFile("\(folder)/plan.jsonl", "{}")
      let wrong = await run(["why", "\(folder)/plan.jsonl"], composition: .current)
      #expect(wrong.code == .usage && wrong.output.isEmpty)
    }
  }
}

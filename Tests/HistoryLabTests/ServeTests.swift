import Foundation
import LabFixtures
import Simulation
import Systems
import Testing
import Traces
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct `Our systems behind the protocol` {
  /// Checks that the same plans make the same traces on the tracker directly and through the
  /// protocol.
  private func compare(_ conditions: ConditionChoice, plans: Int, seed: UInt64) throws {
    let served = try LabSystem.served("tracker")
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions(conditions: conditions).style(for: served)),
      seed: seed,
      timestamps: served.timestamps
    )
    let here = PlanWorker(try #require(LabSystem.named("tracker")), at: .heap(), versions: [:])
    let there = PlanWorker(served, at: .heap(), versions: [:])
    for number in 1...plans {
      let plan = recipe.plan(number).plan
      // The protocol does not include the report of a whole pass.
      let (left, right) = (try events(plan, here), try events(plan, there))
      let first = zip(left, right).first { $0 != $1 }
      #expect(first == nil, "plan \(number)")
      #expect(left.count == right.count, "plan \(number)")
    }
  }

  /// The events of a plan, numbered without the reports of whole passes.
  private func events(_ plan: Plan, _ worker: PlanWorker) throws -> [Event] {
    let kept = try worker.trace(plan).events.filter { event in
      if case .passed = event.kind { false } else { true }
    }
    return kept.enumerated().map { index, event in
      Event(at: index, tick: event.tick, actor: event.actor, event.kind)
    }
  }

  @Test func `The same plan makes the same trace through the protocol`() throws {
    try compare(.everyday, plans: 20, seed: 5)
  }

  @Test func `Traces are equal with signals, throwing hooks, limits and second launches`() throws {
    try compare(
      .named([.lostNotification, .hookFailure, .retention, .sameActorTwice, .configSkew]),
      plans: 20,
      seed: 9
    )
  }

  @Test func `The same plan has the same verdicts through the protocol`() async throws {
    let served = try LabSystem.served("tracker")
    let direct = try checkRun("tracker", seed: 3)
    // The protocol has no live queries, so the plans have none.
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions().style(for: served)),
      seed: 3,
      timestamps: served.timestamps
    )
    let (here, there) = (
      CheckRun(system: direct.system, recipe: recipe, versions: [:], place: direct.place),
      CheckRun(system: served, recipe: recipe, versions: [:], place: direct.place)
    )
    let (left, right) = (try await here.tally(30), try await there.tally(30, jobs: 2))
    #expect(left.counts == right.counts)
    #expect(left.stepCount == right.stepCount && right.runFailure == nil)
    #expect(right.undecided.isEmpty && right.broken.isEmpty)
  }

  @Test func `A bug is found and shrunk through the protocol`() async throws {
    let served = try LabSystem.served("greatest-cursor")
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions().style(for: served)),
      seed: 1,
      timestamps: served.timestamps
    )
    let run = CheckRun(system: served, recipe: recipe, versions: [:], place: { _ in .heap() })
    let tally = try await run.tally(100)
    let plan = try #require(tally.broken.first { $0.checker == "PurgeSafety" }).plan
    let finding = try run.shrink("PurgeSafety", plan: plan) { _ in }
    #expect(finding.counterexample.trace.header.plan.commands.count <= 3)
  }

  @Test func `A system without steps gets whole passes`() async throws {
    let served = try LabSystem.served("tracker") { line in
      line.replacingOccurrences(of: "\"steps\",", with: "")
    }
    #expect(!served.capabilities.contains(.steps))
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions().style(for: served)),
      seed: 1,
      timestamps: served.timestamps
    )
    let run = CheckRun(system: served, recipe: recipe, versions: [:], place: { _ in .heap() })
    let tally = try await run.tally(80)
    #expect(tally.broken.isEmpty && tally.undecided.isEmpty && tally.runFailure == nil)
    let worker = PlanWorker(served, at: .heap(), versions: [:])
    for number in 1...20 {
      let trace = try worker.trace(recipe.plan(number).plan)
      let words = trace.events.compactMap { event in
        if case .called(_, let word) = event.kind { word } else { nil }
      }
      #expect(Set(words).isDisjoint(with: ["fetch", "merge", "record"]))
    }
  }

  @Test
  func `Any number of workers wait for programs at the same time`() async throws {
    let meeting = Meeting(of: 8)
    let served = try LabSystem.served("tracker") { line in
      meeting.arrive()
      return line
    }
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions().style(for: served)),
      seed: 1,
      timestamps: served.timestamps
    )
    let run = CheckRun(system: served, recipe: recipe, versions: [:], place: { _ in .heap() })
    meeting.begin()
    _ = try await run.tally(16, jobs: 8)
    #expect(meeting.isComplete)
  }

  // MARK: Failures

  @Test func `A program that fails makes its plans unknown and is abandoned`() async throws {
    let served = try LabSystem.served("tracker") { line in
      line.contains("\"purged\":[\"") ? "what?" : line
    }
    let recipe = PlanRecipe(
      generator: PlanGenerator(try PlanOptions().style(for: served)),
      seed: 1,
      timestamps: served.timestamps
    )
    let run = CheckRun(system: served, recipe: recipe, versions: [:], place: { _ in .heap() })
    let tally = try await run.tally(200)
    #expect(tally.runFailureCount == CheckRun.runFailureCountMax && tally.planCount < 200)
    let first = try #require(tally.runFailure)
    #expect(first.because.hasPrefix("this is not JSON: what?"))
    #expect(first.because.hasSuffix("Its last line: what?"))
    #expect(tally.broken.isEmpty)
    let report = SystemReport(
      system: "external:served",
      tally: tally,
      seconds: 1,
      counterexamples: []
    )
    #expect(report.sentence.hasPrefix("The system did not complete 3 of "))
    let check = CheckReport(seed: 1, plans: 200, like: "photos", systems: [report], folder: "")
    #expect(check.verdict == "unknown")
    #expect(try check.json(for: .folder).contains("\"plansInTrouble\" : 3"))
  }

  // MARK: The verb

  @Test func `Serve responds to lines until it is asked to stop`() async throws {
    let (input, kept) = (Pipe(), TestTerminal())
    let lines = [
      #"{"id":1,"do":"hello"}"#, "nonsense", "", #"{"id":2,"do":"foo"}"#, #"{"id":3,"do":"bye"}"#,
      #"{"id":4,"do":"hello"}"#,
    ]
    try input.fileHandleForWriting.write(
      contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8)
    )
    let options = try ServeOptions(parse("serve"), in: .sample)
    let verb = ServeVerb(
      options: options,
      terminal: kept.terminal,
      input: input.fileHandleForReading.fileDescriptor
    )
    #expect(try await verb.run() == .good)
    let answers = kept.output.text.split(separator: "\n")
    #expect(answers.count == 5)
    #expect(answers[0].contains(#""system":"tracker""#))
    #expect(answers[1].contains("this is not JSON: nonsense"))
    #expect(answers[2].contains("the message is empty"))
    #expect(answers[3].contains("unsupported"))
    #expect(answers[4] == #"{"id":3,"ok":{}}"#)
  }

  @Test func `Serve ends at the end of its input and responds to unreadable lines`() async throws {
    let (input, kept) = (Pipe(), TestTerminal())
    var bytes = Data([0xff, 0x0a])
    bytes += Data(#"{"id":1,"do":"data"}"#.utf8) + Data([0x0a]) + Data("half".utf8)
    try input.fileHandleForWriting.write(contentsOf: bytes)
    try input.fileHandleForWriting.close()
    let verb = ServeVerb(
      options: try ServeOptions(parse("serve --system article"), in: .sample),
      terminal: kept.terminal,
      input: input.fileHandleForReading.fileDescriptor
    )
    #expect(try await verb.run() == .good)
    let answers = kept.output.text.split(separator: "\n")
    #expect(answers.count == 2)
    #expect(answers[0].contains("the line is not UTF-8"))
    #expect(answers[1].contains("comes before any plan"))
  }

  @Test func `A line that is too long is skipped`() throws {
    let input = Pipe()
    let long = String(repeating: "x", count: 40_000) + "\nshort\n"
    try input.fileHandleForWriting.write(contentsOf: Data(long.utf8))
    try input.fileHandleForWriting.close()
    var lines = LineInput(
      input.fileHandleForReading.fileDescriptor,
      byteCountMax: 10_000
    )
    #expect([lines.next(), lines.next(), lines.next()] == [.tooLong, .text("short"), nil])
  }

  @Test(arguments: [
    ("serve --system mutant/none", "unknown system \"mutant/none\"."),
    ("serve --system trackr", "Did you mean \"tracker\"?"),
  ])
  func `A missing program gives no response`(_ line: String, _ sentence: String) async {
    let result = await run(line.split(separator: " ").map(String.init))
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }
}

/// A barrier at which each of several threads waits for the others.
private final class Meeting: @unchecked Sendable {
  private let condition = NSCondition()
  private let count: Int
  private var missing: Int?

  init(of count: Int) { self.count = count }

  var isComplete: Bool { condition.withLock { missing == 0 } }

  /// Makes threads that arrive from now on wait.
  func begin() { condition.withLock { missing = count } }

  /// Waits for the others, for at most 20 seconds.
  func arrive() {
    condition.withLock {
      guard let left = missing, left > 0 else { return }
      missing = left - 1
      condition.broadcast()
      let deadline = Date(timeIntervalSinceNow: 20)
      while missing != 0, condition.wait(until: deadline) {}
    }
  }
}

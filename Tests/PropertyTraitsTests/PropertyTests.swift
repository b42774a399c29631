import Foundation
import PropertyTesting
import Synchronization
import Testing

@testable import PropertyTraits

@Suite(.property(seed: 1)) struct PropertyTests {
  /// Runs a body, and returns the issues that it records.
  private func issues(_ body: @escaping @Sendable () async throws -> Void) async throws -> [Issue] {
    try await recordedIssues(body)
  }

  private func text(_ issue: Issue?) -> String {
    issue?.comments.map(\.rawValue).joined(separator: "\n") ?? ""
  }

  @Test func `A property that holds records no issue and prints its cases`() async throws {
    let result = try await property(Generator<Int>.ints().array()) { numbers in
      #expect(numbers.sorted().count == numbers.count)
    }
    #expect(result.outcome == .passed && result.counts.passed == 200 && result.seed == 1)
  }

  @Test func `A failure is an issue at the call, with its values, seed and line`() async throws {
    let place = SourceLocation(
      fileID: "Here/There.swift",
      filePath: "/There.swift",
      line: 7,
      column: 3
    )
    let found = try await issues {
      try await property(Generator<Int>.ints().array(), sourceLocation: place) { numbers in
        #expect(numbers == Array(numbers.reversed()))
      }
    }
    #expect(found.count == 2)
    #expect(found.last?.sourceLocation == place)
    let text = text(found.last)
    #expect(text.contains("[0, 1]\n"), "\(text)")
    #expect(text.contains("of seed 1 failed"), "\(text)")
    #expect(
      text.contains("PROPERTY_REPLAY='1:1,0,2x1,0' swift test --filter 'A failure is an"),
      "\(text)"
    )
  }

  @Test func `The expectation that fails in the simplest case is an issue at its line`()
    async throws
  {
    let line = #line + 4
    let found = try await issues {
      try await property(Generator<Int>.ints(in: 0...999)) { number in
        // Only the second one fails in the simplest case.
        #expect(number < 500)
        #expect(number < 10)
      }
    }
    let (place, issue) = (found.first?.sourceLocation, "\(found.first.map { "\($0)" } ?? "")")
    #expect(
      place?.fileName == "PropertyTests.swift" && place.map { line...line + 1 ~= $0.line } == true
    )
    #expect(
      issue.contains("(number → 10) < 10") || issue.contains("(number → 500) < 500"),
      "\(issue)"
    )
    #expect(found.count == 2)
  }

  @Test func `The printed failure replays alone`() async throws {
    let found = try await issues {
      try await property(Generator<Int>.ints().array(), replay: "1:1,0,2x1,0") { numbers in
        #expect(numbers.count < 2)
      }
    }
    #expect(found.count == 2 && text(found.last).contains("[0, 0]\n"), "\(text(found.last))")
    let result = try await property(Generator<Int>.ints(), replay: "1:5") { #expect($0 == 5) }
    #expect(result.counts.total == 1)
  }

  @Test func `A thrown error fails a case, and several values are printed in order`() async throws {
    struct Unlike: Error {}
    let found = try await issues {
      try await property(Generator<Int>.ints(in: 0...99), .strings()) { number, string in
        await Task.yield()
        if number > 9, string.unicodeScalars.count > 1 { throw Unlike() }
      }
    }
    #expect(found.count == 1)
    #expect(text(found.first).contains("10, \"aa\"\nUnlike()"), "\(text(found.first))")
  }

  @Test func `Different expectations are different failures`() async throws {
    let found = try await issues {
      try await property(Generator<Int>.ints(in: 0...1_000, spread: .uniform)) { number in
        if number > 500 { #expect(number < 0) }
        #expect(number < 10)
      }
    }
    let text = text(found.last)
    #expect(text.contains("\n501\n") || text.contains("\n10\n"), "\(text)")
    #expect(found.count == 2)
  }

  /// A counter with a bug: it resets at four.
  private struct Counter: CommandMachine {
    struct Wrong: Error {}
    static let rules = [
      CommandRule<Counter>("add") { _, source in source.int(in: 1...9) }
    ]
    var count = 0
    mutating func perform(_ command: Int) throws {
      count += 1
      if count == 4 { throw Wrong() }
    }
  }

  @Test func `A machine's failure shows its commands`() async throws {
    let found = try await issues {
      try await property { source in
        var counter = Counter()
        try source.perform(on: &counter)
      }
    }
    #expect(text(found.first).contains("1. 1\n2. 1\n3. 1\n4. 1\nthen: Wrong()"))
  }

  @Test func `A flaky property is reported as flaky`() async throws {
    let runs = Ticks()
    let found = try await issues {
      try await property(Generator<Int>.ints()) { _ in #expect(runs.next() != 3) }
    }
    #expect(found.count == 2 && text(found.last).hasPrefix("The property is flaky"))
  }

  @Test func `A run that could not have failed is an issue`() async throws {
    let vacuous = try await issues {
      try await property(Generator<Int>.ints()) { _ in throw Vacuity("nothing happened") }
    }
    #expect(
      text(vacuous.first).contains("200 of 200 cases could not have failed (nothing happened)")
    )
    let discarded = try await issues {
      try await property(Generator<Int>.ints().filter("never") { _ in false }) { _ in }
    }
    #expect(text(discarded.first).contains("200 of 200 cases were discarded (never)"))
    #expect(vacuous.count == 1 && discarded.count == 1)
  }

  @Test func `A body whose assumption few cases satisfy is an issue with the reason`() async throws
  {
    let found = try await issues {
      try await property(Generator<Int>.ints(in: 0...999, spread: .uniform)) { number in
        try assume(number > 990, "above 990")
        #expect(number > 990)
      }
    }
    #expect(
      found.count == 1 && text(found.first).contains("of 200 cases were discarded (above 990)")
    )
    let result = try await property(Generator<Int>.ints(in: 0...9, spread: .uniform)) { number in
      try assume(number > 4)
    }
    #expect(result.counts.discarded > 0 && result.outcome == .passed)
  }

  @Test func `A required class that is not reached is an issue`() async throws {
    let found = try await issues {
      try await property { source in
        let numbers = source.array("number", 0...3) { $0.int(in: 0...9) }
        source.cover("long", atLeast: 0.1, if: numbers.count > 3)
        source.cover("empty", atLeast: 0.1, if: numbers.isEmpty)
      }
    }
    #expect(text(found.first).contains("0 of 200 were \"long\", 10.0 % are required"))
    #expect(!text(found.first).contains("empty") && found.count == 1)
  }

  @Test(.property(cases: 7)) func `An inner trait overrides its settings and inherits the others`()
    async throws
  {
    let result = try await property(Generator<Int>.ints()) { _ in }
    #expect(result.counts.total == 7 && result.seed == 1)
  }

  @Test func `A time limit without a number of cases decides how many run`() async throws {
    let settings = PropertySettings(time: .milliseconds(20))
    let result = try await PropertySettings.$current.withValue(settings) {
      try await property(Generator<Int>.ints()) { _ in }
    }
    // On a busy machine the time limit may pass before the first case.
    #expect(result.outcome == .outOfTime)
  }

  @Test func `A failing case is kept and tried first`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("corpus-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let settings = PropertySettings(cases: 500, seed: 1, corpus: folder.path)
    func run(_ limit: Int) async throws -> [Issue] {
      try await PropertySettings.$current.withValue(settings) {
        try await issues {
          try await property(Generator<Int>.ints(in: 0...9_999, spread: .uniform)) { number in
            #expect(number < limit)
          }
        }
      }
    }
    let first = try await run(9_000)
    #expect(!text(first.last).contains("Case 1 of"))
    let second = try await run(9_000)
    #expect(text(second.last).contains("Case 1 of"))
    #expect(try await run(10_000).isEmpty)
    let corpus = Corpus(folder: folder.path, property: "A failing case is kept and tried first")
    #expect(try corpus.examples().map(\.description) == ["1:9000"])
  }

  @Test func `Settings are read from the environment, and wrong ones are reported`() throws {
    let settings = try PropertySettings(environment: [
      "PROPERTY_CASES": "12", "PROPERTY_SEED": "34", "PROPERTY_TIME": "0.5",
      "PROPERTY_CORPUS": "there", "PROPERTY_REPLAY": "1:0", "PROPERTY_STATISTICS": "1",
      "PROPERTY_TRAPS": "1",
    ])
    #expect(settings.cases == 12 && settings.seed == 34 && settings.time == .milliseconds(500))
    #expect(settings.corpus == "there" && settings.replay == "1:0")
    #expect(settings.showsStatistics == true && settings.catchesTraps == true)
    #expect(try PropertySettings(environment: [:]).cases == nil)
    let wrong = ["PROPERTY_CASES": "many", "PROPERTY_SEED": "-1", "PROPERTY_TIME": "0"]
    for (name, value) in wrong {
      let error = #expect(throws: PropertySettingsError.self) {
        try PropertySettings(environment: [name: value])
      }
      #expect(error?.description.hasPrefix("\(name) is \"\(value)\"; give ") == true)
    }
  }

  @Test func `A cancelled test stops between its cases`() async throws {
    let runs = Ticks()
    let task = Task {
      try await property(Generator<Int>.ints()) { _ in
        _ = runs.next()
        while !Task.isCancelled { await Task.yield() }
      }
    }
    while runs.current == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.current == 1)
  }

  @Test func `An invalid replay line is refused`() async throws {
    await #expect(throws: PropertySettingsError.self) {
      try await property(Generator<Int>.ints(), replay: "nonsense") { _ in }
    }
  }
}

/// Runs a body, and returns the issues that it records.
func recordedIssues(
  _ body: @escaping @Sendable () async throws -> Void
) async throws -> [Issue] {
  let issues = Mutex<[Issue]>([])
  guard let test = Test.current else { return [] }
  let trait: IssueHandlingTrait = .compactMapIssues { issue in
    if issue.isFailure { issues.withLock { $0.append(issue) } }
    return nil
  }
  try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
  return issues.withLock { $0 }
}

/// A thread-safe counter.
private final class Ticks: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var current: Int { lock.withLock { count } }

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}

import PropertyTesting
import Testing

/// A counter whose tasks add numbers, with a lost update if two of them overlap.
private actor SlowCounter {
  private let executor: any SerialExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let isSafe: Bool
  private(set) var sum = 0

  init(on executor: any SerialExecutor, isSafe: Bool) {
    self.executor = executor
    self.isSafe = isSafe
  }

  func add(_ number: Int) {
    Task {
      let before = sum
      await Task.yield()
      sum = (isSafe ? sum : before) + number
    }
  }
}

private struct WrongSum: Error, CustomStringConvertible {
  let sum: Int
  let expected: Int
  var description: String { "\(sum) instead of \(expected)" }
}

/// A machine that adds numbers and compares the sum at the end, under a drawn schedule.
private struct CounterMachine: CommandMachine {
  static let rules = [CommandRule<CounterMachine>("add") { _, source in source.int(in: 1...9) }]

  private let executor: SeededExecutor
  private let counter: SlowCounter
  private var expected = 0

  init(seed: Int, isSafe: Bool) {
    executor = SeededExecutor(seed: UInt64(seed))
    counter = SlowCounter(on: executor, isSafe: isSafe)
  }

  mutating func perform(_ command: Int) throws {
    expected += command
    try executor.run { [counter] in await counter.add(command) }
  }

  mutating func finish() throws {
    executor.runAll()
    let sum = try executor.run { [counter] in await counter.sum }
    if sum != expected { throw WrongSum(sum: sum, expected: expected) }
  }
}

@Suite struct `Actor machines` {
  private func run(isSafe: Bool, seed: UInt64) -> PropertyResult {
    PropertyRunner(seed: seed, cases: 100).run { source in
      var machine = CounterMachine(seed: source.int(in: 0...999), isSafe: isSafe)
      try source.perform(on: &machine, steps: 0...8)
      return .passed
    }
  }

  @Test func `A lost update between an actor's tasks is found, shrunk and replayed`() throws {
    let found = run(isSafe: false, seed: 3)
    #expect(found.outcome == .failed)
    let shrunk = try #require(found.failure?.shrunk)
    #expect(shrunk.message.contains("instead of") && shrunk.ending == .fixedPoint)
    #expect(run(isSafe: false, seed: 3).failure?.shrunk.sequence == shrunk.sequence)
  }

  @Test func `An actor that reads after its suspension holds under every schedule`() {
    #expect(run(isSafe: true, seed: 3).outcome == .passed)
  }
}

import PropertyTesting
import Testing

@Suite struct CommandMachineTests {
  /// A stack that loses its least element when it is emptied at a depth of three or more.
  private struct Stack: CommandMachine {
    enum Command: Equatable {
      case push(Int)
      case pop, drain
    }
    struct WrongTop: Error {}
    struct Leftover: LabelledFailure { let failureLabel = "leftover" }

    static let rules: [CommandRule<Stack>] = [
      CommandRule("push", weight: 3) { _, source in .push(source.int(in: 0...99, label: "item")) },
      CommandRule("pop", when: { !$0.model.isEmpty }, draw: { _, _ in .pop }),
      CommandRule("drain", when: { $0.model.count >= 3 }, draw: { _, _ in .drain }),
    ]

    private(set) var model: [Int] = []
    private(set) var performed: [Command] = []
    var failsAtEnd = false
    var isVacuous = false

    mutating func perform(_ command: Command) throws {
      performed.append(command)
      switch command {
      case .push(let item): model.append(item)
      case .pop: if model.removeLast() > 90, !failsAtEnd { throw WrongTop() }
      case .drain: model = []
      }
    }

    func finish() throws {
      if isVacuous { throw Vacuity("nothing") }
      if failsAtEnd, model.count > 2 { throw Leftover() }
    }
  }

  @Test func `Commands are drawn only where their preconditions hold`() throws {
    var kinds: Set<String> = []
    for seed in UInt64(0)..<200 {
      var (source, stack) = (ChoiceSource(seed: seed), Stack())
      do { try source.perform(on: &stack) } catch is CommandFailure {}
      var depth = 0
      for command in stack.performed {
        switch command {
        case .push: depth += 1
        case .pop:
          #expect(depth > 0)
          depth -= 1
        case .drain:
          #expect(depth >= 3)
          depth = 0
        }
        kinds.insert("\(command)".prefix(3).description)
      }
    }
    #expect(kinds == ["pus", "pop", "dra"])
  }

  @Test func `A failing plan shrinks to its least steps and shows them`() throws {
    let result = PropertyRunner(seed: 2).run { source in
      var stack = Stack()
      try source.perform(on: &stack)
      return .passed
    }
    let shrunk = try #require(result.failure).shrunk
    #expect(shrunk.label == "WrongTop")
    #expect(shrunk.message == "1. push(91)\n2. pop\nthen: WrongTop()")
    #expect(shrunk.ending == .fixedPoint)
  }

  @Test func `A failed check at the end has its own label`() throws {
    let result = PropertyRunner(seed: 2).run { source in
      var stack = Stack(failsAtEnd: true)
      try source.perform(on: &stack, steps: 0...9)
      return .passed
    }
    let shrunk = try #require(result.failure).shrunk
    #expect(shrunk.label == "leftover")
    #expect(shrunk.message.hasPrefix("1. push(0)\n2. push(0)\n3. push(0)\nat the end: "))
  }

  @Test func `A machine may declare a case vacuous`() {
    let result = PropertyRunner(seed: 2).run { source in
      var stack = Stack(isVacuous: true)
      try source.perform(on: &stack, steps: 0...0)
      return .passed
    }
    #expect(result.outcome == .vacuous)
  }

  /// A machine without possible commands after the third.
  private struct Short: CommandMachine {
    static let rules = [CommandRule<Short>("only", when: { $0.count < 3 }, draw: { _, _ in 1 })]
    private(set) var count = 0

    mutating func perform(_ command: Int) { count += command }
  }

  @Test func `A run ends when no rule is possible, and replays`() throws {
    var (source, machine) = (ChoiceSource(seed: 1), Short())
    #expect(try source.perform(on: &machine, steps: 9...9) == 3)
    var (replay, again) = (ChoiceSource(replaying: source.sequence), Short())
    #expect(try replay.perform(on: &again, steps: 9...9) == 3)
    #expect(replay.sequence == source.sequence)
  }

  @Test func `Labelled numbers repeat in some runs`() {
    let repeats = (0..<400).count { seed in
      var source = ChoiceSource(seed: UInt64(seed))
      source.reuseNumbers()
      let numbers = (0..<20).map { _ in source.int(in: 0...1_000_000, label: "size") }
      return zip(numbers, numbers.dropFirst()).count { $0 == $1 } >= 4
    }
    #expect((60...140).contains(repeats))
  }
}

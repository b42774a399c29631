import PropertyTesting
import Testing

/// A shelf that loses the books above its capacity.
private actor Shelf {
  private(set) var books: [Int] = []
  let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  func add(_ book: Int) async {
    await Task.yield()
    if books.count < capacity { books.append(book) }
  }

  func removeAll() { books = [] }
}

/// A machine that fills and empties a shelf, and records the calls of its methods.
private struct ShelfMachine: AsyncCommandMachine {
  enum Command: Equatable {
    case add(Int)
    case clear
  }
  enum Check {
    case eachCommand, end, reject, rejectAtEnd, vacuous, vacuousAtEnd
  }
  struct Lost: Error {}

  static let rules: [CommandRule<ShelfMachine>] = [
    CommandRule(
      "add",
      when: { $0.model.count < 4 },
      draw: { _, source in .add(source.int(in: 0...9)) }
    ),
    CommandRule(
      "clear",
      when: { $0.model.count == 4 && $0.clearCount < 2 },
      draw: { _, _ in .clear }
    ),
  ]

  let shelf: Shelf
  let check: Check
  private(set) var model: [Int] = []
  private(set) var clearCount = 0
  private(set) var performed: [Command] = []
  private(set) var finishCount = 0

  init(_ check: Check, capacity: Int = .max) {
    self.check = check
    shelf = Shelf(capacity: capacity)
  }

  mutating func perform(_ command: Command) async throws {
    performed.append(command)
    if check == .reject { throw Rejection("no books") }
    if check == .vacuous { throw Vacuity("no books") }
    switch command {
    case .add(let book):
      await shelf.add(book)
      model.append(book)
    case .clear:
      await shelf.removeAll()
      model = []
      clearCount += 1
    }
    if check == .eachCommand, await shelf.books != model { throw Lost() }
  }

  mutating func finish() async throws {
    finishCount += 1
    if check == .rejectAtEnd { throw Rejection("no books") }
    if check == .vacuousAtEnd { throw Vacuity("no books") }
    if await shelf.books != model { throw Lost() }
  }
}

@Suite struct `Awaited machines` {
  @Test func `Commands are drawn in the current state until none is possible, and replay`()
    async throws
  {
    var (source, machine) = (ChoiceSource(seed: 1), ShelfMachine(.eachCommand))
    #expect(try await source.perform(on: &machine, steps: 99...99) == 14)
    #expect(machine.performed.indices.filter { machine.performed[$0] == .clear } == [4, 9])
    #expect(machine.performed.count == 14 && machine.finishCount == 1)

    var (replay, again) = (ChoiceSource(replaying: source.sequence), ShelfMachine(.eachCommand))
    #expect(try await replay.perform(on: &again, steps: 99...99) == 14)
    #expect(again.performed == machine.performed && replay.sequence == source.sequence)
    #expect(await again.shelf.books == again.model && again.finishCount == 1)
  }

  @Test func `A run has as many commands as its range allows`() async throws {
    var counts: Set<Int> = []
    for seed in UInt64(0)..<40 {
      var (source, machine) = (ChoiceSource(seed: seed), ShelfMachine(.end))
      let count = try await source.perform(on: &machine, steps: 2...6)
      #expect(count == machine.performed.count)
      counts.insert(count)
    }
    #expect(counts.isSubset(of: 2...6) && counts.contains(6) && counts.count > 1)
  }

  @Test func `An error of a command ends the run without the final check`() async throws {
    var (source, machine) = (ChoiceSource(seed: 1), ShelfMachine(.eachCommand, capacity: 2))
    let failure = try #require(
      await #expect(throws: CommandFailure.self) {
        try await source.perform(on: &machine, steps: 9...9)
      }
    )
    #expect(failure.commands == machine.performed.map { "\($0)" })
    #expect(failure.commands.count == 3 && !failure.isAtEnd && failure.failureLabel == "Lost")
    #expect(machine.finishCount == 0)
  }

  @Test func `An error of the final check comes after all commands`() async throws {
    var (source, machine) = (ChoiceSource(seed: 1), ShelfMachine(.end, capacity: 2))
    let failure = try #require(
      await #expect(throws: CommandFailure.self) {
        try await source.perform(on: &machine, steps: 4...4)
      }
    )
    #expect(failure.commands.count == 4 && failure.isAtEnd && failure.failureLabel == "Lost")
  }

  @Test(arguments: [ShelfMachine.Check.reject, .rejectAtEnd])
  private func `A machine may reject its case`(_ check: ShelfMachine.Check) async {
    var (source, machine) = (ChoiceSource(seed: 1), ShelfMachine(check))
    await #expect(throws: Rejection("no books")) { try await source.perform(on: &machine) }
  }

  @Test(arguments: [ShelfMachine.Check.vacuous, .vacuousAtEnd])
  private func `A machine may declare its case vacuous`(_ check: ShelfMachine.Check) async {
    var (source, machine) = (ChoiceSource(seed: 1), ShelfMachine(check))
    await #expect(throws: Vacuity("no books")) { try await source.perform(on: &machine) }
  }
}

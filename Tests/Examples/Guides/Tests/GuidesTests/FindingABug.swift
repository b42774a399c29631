import PropertyTesting
import PropertyTraits
import Testing

func mySort(_ numbers: [Int]) -> [Int] { numbers.sorted() }

struct Order {
  let items: [Int]
  let discount: Int

  init(_ items: [Int], _ discount: Int) {
    self.items = items
    self.discount = discount
  }
}

struct UndoStack {
  private var items: [Int] = []
  private var past: [[Int]] = []

  var top: Int? { items.last }

  mutating func push(_ item: Int) {
    past.append(items)
    items.append(item)
  }

  mutating func pop() {
    past.append(items)
    items.removeLast()
  }

  mutating func undo() { items = past.popLast() ?? items }
}

struct Stack: CommandMachine {
  enum Command {
    case push(Int)
    case pop, undo
  }
  struct WrongTop: Error {}

  static let rules: [CommandRule<Stack>] = [
    CommandRule("push") { _, source in .push(source.int(in: 0...9, label: "item")) },
    CommandRule("pop", when: { !$0.model.isEmpty }, draw: { _, _ in .pop }),
    CommandRule("undo", weight: 2) { _, _ in .undo },
  ]

  var real = UndoStack()
  var model: [Int] = []
  var past: [[Int]] = []

  mutating func perform(_ command: Command) throws {
    switch command {
    case .push(let item):
      past.append(model)
      model.append(item)
      real.push(item)
    case .pop:
      past.append(model)
      model.removeLast()
      real.pop()
    case .undo:
      model = past.popLast() ?? model
      real.undo()
    }
    if real.top != model.last { throw WrongTop() }
  }
}

actor Shelf {
  private(set) var books: Set<Int> = []

  func add(_ book: Int) { books.insert(book) }
}

struct ShelfMachine: AsyncCommandMachine {
  struct WrongBooks: Error {}

  static let rules = [CommandRule<ShelfMachine>("add") { _, source in source.int(in: 0...9) }]

  let shelf = Shelf()
  var model: Set<Int> = []

  mutating func perform(_ book: Int) async throws {
    await shelf.add(book)
    model.insert(book)
    if await shelf.books != model { throw WrongBooks() }
  }
}

@Suite struct FindingABugTests {
  @Test func `Sorting keeps every element`() async throws {
    try await property(Generator<Int>.ints().array()) { numbers in
      #expect(Set(mySort(numbers)) == Set(numbers))
      #expect(mySort(numbers).count == numbers.count)
    }
  }

  @Test func `Discounts are at most the number of items`() async throws {
    let orders = Generator<Order> { source in
      let items = source.array("item", 1...9) { $0.int(in: 1...99, label: "price") }
      let discount = source.bool(probability: 0.2) ? source.int(in: 0...items.count) : 0
      return Order(items, discount)
    }
    try await property(orders) { #expect($0.discount <= $0.items.count) }
  }

  @Test func `The stack behaves like its model`() async throws {
    try await property { source in
      var stack = Stack()
      try source.perform(on: &stack)
    }
  }

  @Test func `The shelf keeps its books`() async throws {
    try await property { source in
      var machine = ShelfMachine()
      try await source.perform(on: &machine)
    }
  }

  @Test func `Reversing twice changes nothing`() async throws {
    try await property(Generator<Int>.ints().array()) { numbers in
      #expect(numbers.reversed().reversed() == numbers)
    }
  }

  @Test func `The first of sorted numbers is the least`() async throws {
    try await property(Generator<Int>.ints().array()) { numbers in
      try assume(numbers.count > 1, "two numbers or more")
      #expect(numbers.sorted().first! <= numbers.sorted().last!)
    }
  }

  @Test(.property(cases: 1_000)) func `Sorting twice changes nothing`() async throws {
    try await property(Generator<Int>.ints().array()) { numbers in
      #expect(numbers.sorted().sorted() == numbers.sorted())
    }
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts
import PropertyTesting
import PropertyTraits
import StoreFixtures
import TestSupport
import Testing

struct `Ordered lists as a model` {
  @Test(.property(cases: 25, seed: 1))
  func `Two contexts agree with arrays until they merge, and with each other afterwards`()
    async throws
  {
    try await property { source in
      var machine = try OrderedMachine()
      try source.perform(on: &machine)
    }
  }
}

/// Two contexts that edit one list, each with an array of the objects that its list should have.
private struct OrderedMachine: CommandMachine {
  enum Command {
    case insert(Int, at: Int)
    case append(Int)
    case add(Int)
    case move(Int, from: Int, to: Int)
    case remove(Int, at: Int)
    case delete(Int, at: Int)
    case rotate(Int, by: Int)
    case squeeze(Int)
    case merge
  }

  struct Difference: Error { let text: String }

  static let rules: [CommandRule<OrderedMachine>] = [
    CommandRule("insert", weight: 4) { machine, source in
      let who = who(&source)
      return .insert(who, at: source.int(in: 0...machine.orders[who].count, label: "index"))
    },
    CommandRule("append") { _, source in .append(who(&source)) },
    CommandRule("add") { _, source in .add(who(&source)) },
    CommandRule("move", weight: 4) { machine, source in
      let who = who(&source)
      return .move(who, from: place(machine, who, &source), to: place(machine, who, &source))
    },
    CommandRule("remove") { machine, source in
      let who = who(&source)
      return .remove(who, at: place(machine, who, &source))
    },
    CommandRule("delete") { machine, source in
      let who = who(&source)
      return .delete(who, at: place(machine, who, &source))
    },
    CommandRule("rotate") { machine, source in
      let who = who(&source)
      return .rotate(who, by: place(machine, who, &source))
    },
    CommandRule("squeeze") { _, source in .squeeze(who(&source)) },
    CommandRule("merge", weight: 3) { _, _ in .merge },
  ]

  private static func who(_ source: inout ChoiceSource) -> Int {
    source.int(in: 0...1, label: "context")
  }

  private static func place(
    _ machine: OrderedMachine,
    _ who: Int,
    _ source: inout ChoiceSource
  ) -> Int {
    source.int(in: 0...max(0, machine.orders[who].count - 1), label: "index")
  }

  private let folder: TemporaryFolder
  private let contexts: [ObjectContext]
  private let lists: [StoredObject]
  /// The objects that each context's list should have.
  private var orders: [[ObjectID]] = [[], []]
  /// The contexts with edits since the last merge.
  private var editors: Set<Int> = []
  private var merged: HistoryToken

  init() throws {
    let folder = try TemporaryFolder()
    let model = try Model([
      Entity("List", [Attribute("name", .string)]),
      Entity(
        "Task",
        [Attribute("list", to: "List", orderedBy: "position"), Attribute("position", .double)]
      ),
    ])
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let path = folder.path("test.store")
    contexts = try ["app", "widget"].map { author in
      let store = try Store(path: path, model: model, configuration: configuration)
      return ObjectContext(store: store, author: author, name: "view", mergePolicy: .objectWins)
    }
    let list = try contexts[0].insert("List")
    try contexts[0].save()
    lists = try contexts.compactMap { try $0.object(list.id) }
    merged = try contexts[0].store.currentToken()
    self.folder = folder
  }

  mutating func perform(_ command: Command) throws {
    switch command {
    case .insert(let who, let index):
      let task = try newTask(who)
      try lists[who].insert(task, at: index, referringBy: "list")
      orders[who].insert(task.id, at: index)
    case .append(let who):
      let task = try newTask(who)
      try lists[who].append(task, referringBy: "list")
      orders[who].append(task.id)
    case .add(let who): try add(who)
    case .move(let who, let from, let to): try move(who, from, to)
    case .remove(let who, let index):
      try edit(who, index) { try $0.setDestination(nil, of: "list") }
      if orders[who].indices.contains(index) { orders[who].remove(at: index) }
    case .delete(let who, let index):
      try edit(who, index) { $0.delete() }
      if orders[who].indices.contains(index) { orders[who].remove(at: index) }
    case .rotate(let who, let count): try rotate(who, count)
    case .squeeze(let who): try squeeze(who)
    case .merge: try merge()
    }
    for who in contexts.indices { try check(who) }
  }

  mutating func finish() throws { try merge() }

  private mutating func newTask(_ who: Int) throws -> StoredObject {
    editors.insert(who)
    return try contexts[who].insert("Task")
  }

  /// Adds a task without a position: such tasks come first, in key order.
  private mutating func add(_ who: Int) throws {
    let task = try newTask(who)
    let index =
      try orders[who].firstIndex { id in
        try contexts[who].object(id)?["position"] != .null || id > task.id
      } ?? orders[who].count
    try task.setDestination(lists[who], of: "list")
    orders[who].insert(task.id, at: index)
  }

  private mutating func move(_ who: Int, _ from: Int, _ to: Int) throws {
    let list = lists[who]
    try edit(who, from) { try list.move($0, to: to, referringBy: "list") }
    guard orders[who].indices.contains(from) else { return }
    orders[who].insert(orders[who].remove(at: from), at: to)
  }

  private mutating func rotate(_ who: Int, _ count: Int) throws {
    guard !orders[who].isEmpty else { return }
    editors.insert(who)
    orders[who] = Array(orders[who][count...] + orders[who][..<count])
    let tasks = try orders[who].compactMap { try contexts[who].object($0) }
    try lists[who].setObjects(tasks, of: "Task", referringBy: "list")
  }

  /// Gives adjacent doubles to all tasks, so that none fits in between.
  private mutating func squeeze(_ who: Int) throws {
    guard !orders[who].isEmpty else { return }
    editors.insert(who)
    var position = 1.0
    for id in orders[who] {
      try contexts[who].object(id)?.set(.double(position), for: "position")
      position = position.nextUp
    }
  }

  private mutating func edit(
    _ who: Int,
    _ index: Int,
    _ body: (StoredObject) throws -> Void
  ) throws {
    guard orders[who].indices.contains(index),
      let task = try contexts[who].object(orders[who][index])
    else { return }
    editors.insert(who)
    try body(task)
  }

  private func order(_ who: Int) throws -> [ObjectID] {
    try lists[who].objects("Task", referringBy: "list").map(\.id)
  }

  private func check(_ who: Int) throws {
    let found = try order(who)
    guard found == orders[who] else {
      throw Difference(text: "context \(who): \(found), not \(orders[who])")
    }
  }

  /// Saves both contexts, the first one first, and merges each into the other.
  private mutating func merge() throws {
    for context in contexts { try context.save() }
    let page = try contexts[0].store.fetch(HistoryRequest(after: merged))
    for context in contexts { try context.merge(page.transactions) }
    merged = page.scannedThrough
    let found = try order(0)
    guard try order(1) == found else { throw Difference(text: "\(found), not \(try order(1))") }
    // Without concurrent edits, the order is that of the array.
    if editors.count < 2, found != orders[editors.first ?? 0] {
      throw Difference(text: "after the merge: \(found), not \(orders[editors.first ?? 0])")
    }
    orders = [found, found]
    editors = []
  }
}

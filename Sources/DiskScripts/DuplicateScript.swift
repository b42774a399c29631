import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of deduplicators, compared with a plain copy of the objects.
struct DuplicateScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  /// The expected objects.
  private var copy = ObjectCopy()
  /// The keys of the `List` objects that were inserted or renamed after the script's first write.
  private var candidates: Set<Int64> = []

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let model = try model(ObjectCopy.entities)
    let path = folder.file("lists")
    let file = try Store(path: path, model: model, configuration: configuration())
    // The first objects are already merged: only later ones are candidates.
    try write(file, isFirst: true)
    candidates.removeAll()
    let start = try file.currentToken()
    try write(file, isFirst: false)
    try deduplicate(file, after: start)
    // A run has time for one of these.
    switch seed.draw(3) {
    case 0:
      try race(file)
      try refuse(file)
    case 1: try keepReferences(file, path)
    default: try adoptConstraints(folder)
    }
  }

  // MARK: Random objects

  private static let names = ["a", "b", "c", "d"]

  /// Saves lists and the objects that refer to them.
  ///
  /// The first call saves one list named `old`, and the second call one more. No other list has
  /// this name, so the list of the second call always has one older duplicate, and no new one.
  private mutating func write(_ file: Store, isFirst: Bool) throws(HistoryError) {
    let context = ObjectContext.retaining(file, author: "app", name: "view")
    if isFirst {
      for _ in 0..<3 { try insert("Tag", ["name": "t"], context) }
    }
    for name in isFirst ? ["a", "old"] : ["a", "c", "c", "old"] {
      try refer(to: insertList(.string(name), context), context, isWhole: true)
    }
    for _ in 0..<(1 + seed.draw(3)) {
      let name: Value = seed.draw(5) == 0 ? .null : .string(seed.pick(Self.names))
      let key = try insertList(name, context)
      if seed.draw(2) == 0 { try context.save() }
      try refer(to: key, context, isWhole: false)
    }
    for _ in 0..<2 { try edit(context) }
    // The transactions also contain the insert of a list that no longer exists.
    let gone = try context.insert("List", ["name": "a", "root": .int(seed.pick(copy.lists))])
    try context.save()
    gone.delete()
    try context.save()
  }

  @discardableResult
  private mutating func insert(
    _ entity: String,
    _ values: [String: Value],
    _ context: ObjectContext
  ) throws(HistoryError) -> Int64 {
    let key = try context.insert(entity, values).id.key
    copy.rows[entity, default: [:]][key] = values
    return key
  }

  /// Inserts a list that refers to random lists, at times to itself.
  private mutating func insertList(
    _ name: Value,
    _ context: ObjectContext
  ) throws(HistoryError) -> Int64 {
    let list = try context.insert("List", ["name": name, "code": .int(Int64(seed.draw(100)))])
    let key = list.id.key
    try list.set(.int(seed.pick(copy.lists + [key])), for: "root")
    if seed.draw(2) == 0 { try list.set(.int(seed.pick(copy.lists + [key])), for: "above") }
    var values: [String: Value] = [:]
    for attribute in ["name", "code", "root", "above"] { values[attribute] = try list[attribute] }
    copy.rows["List", default: [:]][key] = values
    candidates.insert(key)
    return key
  }

  /// Inserts objects of other entities that refer to a list: of each entity, or of random ones.
  ///
  /// If `isWhole` is `true`, each of `Item`, `Note`, `Slot` and `Tagging` gets at least one such
  /// object, and the context is saved.
  private mutating func refer(
    to list: Int64,
    _ context: ObjectContext,
    isWhole: Bool
  ) throws(HistoryError) {
    let list = Value.int(list)
    if isWhole || seed.draw(2) == 0 { try insert("Item", ["list": list], context) }
    if isWhole || seed.draw(3) == 0 { try insert("Note", ["list": list], context) }
    for place in [1, 2 + Int64(seed.draw(9)), 11 + Int64(seed.draw(2))]
    where isWhole || seed.draw(2) == 0 {
      try insert("Slot", ["list": list, "place": .int(place)], context)
    }
    for _ in 0..<seed.draw(3) + (isWhole ? 1 : 0) {
      try insert("Slot", ["list": list, "place": .null], context)
    }
    for (place, tag) in copy.keys("Tag").enumerated()
    where isWhole && place == 0 || seed.draw(2) == 0 {
      try insert("Tagging", ["list": list, "tag": .int(tag)], context)
    }
    if isWhole { try context.save() }
  }

  /// Renames a list, or sets an attribute of it that the deduplicator does not compare.
  private mutating func edit(_ context: ObjectContext) throws(HistoryError) {
    let key = seed.pick(copy.lists.filter { copy.rows["List"]?[$0]?["name"] != "old" })
    guard let list = try context.object(ObjectID(entity: 1, key: key)) else {
      return faults.append("the list \(key) is missing")
    }
    if seed.draw(2) == 0 {
      let name = try list["name"] ?? .null
      let other = Value.string(seed.pick(Self.names.filter { .string($0) != name }))
      try list.set(other, for: "name")
      copy.rows["List"]?[key]?["name"] = other
      candidates.insert(key)
    } else {
      let code = Value.int(100 + Int64(seed.draw(100)))
      try list.set(code, for: "code")
      copy.rows["List"]?[key]?["code"] = code
    }
    try context.save()
  }

  // MARK: Removal

  /// Removes the duplicates of all `List` objects that were inserted or renamed after `start`.
  ///
  /// All objects must then equal the expected ones in ``copy``, and history must gain one
  /// transaction for each group of duplicates.
  private mutating func deduplicate(
    _ file: Store,
    after start: HistoryToken
  ) throws(HistoryError) {
    let request = HistoryRequest(after: start, transactionCountMax: .max)
    let page = try file.fetch(request)
    let deduplicator = ObjectDeduplicator(
      store: file,
      entity: "List",
      by: ["name"],
      author: "tidy"
    ) {
      let codes = try ([$0] + $1).compactMap { try $0["code"]?.int }
      return ["code": .int(codes.reduce(0, +))]
    }
    try deduplicator.deduplicate(Array(page.transactions), in: [])
    let count = copy.removeDuplicates(of: "List", among: candidates, by: ["name"], adding: "code")
    try compare(file)
    let written = try file.fetch(HistoryRequest(after: page.scannedThrough)).transactions
    let sources = written.map { "\($0.author ?? "-") \($0.contextName ?? "-")" }
    expect(
      sources == Array(repeating: "tidy deduplicator", count: count),
      "the removal of the duplicates of \(count) lists has written transactions by \(sources)"
    )
    try deduplicator.deduplicate(Array(written), in: [])
    expect(
      try file.currentToken() == written.last?.token ?? page.scannedThrough,
      "a deduplicator finds duplicates in the transactions that it has written itself"
    )
    expect(try file.verify().allSatisfy { !$0.isWrong }, "a file without duplicates is not intact")
  }

  private func compare(_ file: Store) throws(HistoryError) {
    let context = ObjectContext(store: file, author: nil, name: "query")
    for entity in ObjectCopy.entities {
      let (name, attributes) = (entity.name, entity.attributes.map(\.name))
      let found = try context.objects(name)
      expect(
        found.map(\.id.key) == copy.keys(name),
        "after a removal, the keys of \(name) are \(found.map(\.id.key)), not \(copy.keys(name))"
      )
      for object in found {
        let values = try object.values(of: attributes)
        let wanted = attributes.map { copy.rows[name]?[object.id.key]?[$0] ?? .null }
        expect(values == wanted, "\(name)/\(object.id.key) has the values \(values), not \(wanted)")
      }
    }
  }

  // MARK: Other writers and errors

  /// Saves three lists of one name, and removes the duplicates; `combine` may write meanwhile.
  ///
  /// - Returns: The keys of the inserted lists, and of the remaining lists of that name.
  private func removeTwo(
    _ name: String,
    _ file: Store,
    by attributes: [String] = ["name"],
    combining combine: ObjectDeduplicator.Combine? = nil
  ) throws(HistoryError) -> (inserted: [Int64], left: [Int64]) {
    let start = try file.currentToken()
    let inserted = try insertThree(name, file)
    let page = try file.fetch(HistoryRequest(after: start))
    try ObjectDeduplicator(store: file, entity: "List", by: attributes, combining: combine)
      .deduplicate(Array(page.transactions), in: [])
    return (inserted, try keys(name, file))
  }

  func insertThree(_ name: String, _ file: Store) throws(HistoryError) -> [Int64] {
    let context = ObjectContext.retaining(file, author: "app", name: "view")
    let keys = try (0..<3).map { _ throws(HistoryError) in
      let list = try context.insert("List", ["name": .string(name)])
      try list.set(.int(list.id.key), for: "root")
      return list.id.key
    }
    try context.save()
    return keys
  }

  func keys(_ name: String, _ file: Store) throws(HistoryError) -> [Int64] {
    let context = ObjectContext(store: file, author: nil, name: "query")
    return try context.objects("List", where: .compare("name", .equal, .string(name))).map(\.id.key)
  }

  /// Lets another context write after a removal has read the duplicates, and before its save.
  private func race(_ file: Store) throws(HistoryError) {
    let calls = CallCount()
    let deleted = try removeTwo("deleted", file) { winner, _ in
      guard calls.next() == 1 else { return [:] }
      let other = ObjectContext(store: winner.context.store, author: "other")
      other.delete(winner.id)
      try other.save()
      return [:]
    }
    expect(
      deleted.left == [deleted.inserted[1]],
      "of \(deleted.inserted), whose first is deleted meanwhile, \(deleted.left) are left"
    )
    let referred = try removeTwo("referred", file) { winner, losers in
      let other = ObjectContext(store: winner.context.store, author: "other")
      for entity in ["Note", "Item"] {
        try other.insert(entity, ["list": .int(losers[1].id.key)])
      }
      try other.save()
      return [:]
    }
    let winner = referred.inserted[0]
    expect(
      referred.left == [winner],
      "of \(referred.inserted), of which one is referred to meanwhile, \(referred.left) are left"
    )
    let context = ObjectContext(store: file, author: nil, name: "query")
    for entity in ["Note", "Item"] {
      let last = try context.objects(entity).last?["list"] ?? .null
      expect(last == .int(winner), "a new \(entity) refers to the list \(last), not \(winner)")
    }
  }

  private struct Refusal: Error {}

  /// Makes removals of duplicates fail; a removal afterwards must remove all duplicates.
  private func refuse(_ file: Store) throws(HistoryError) {
    let calls = CallCount()
    let start = try file.currentToken()
    expect(.conflict, of: "a removal of an object that is always edited") {
      () throws(HistoryError) in
      _ = try removeTwo("refused", file) { winner, _ in
        let other = ObjectContext(store: winner.context.store, author: "other")
        try other.object(winner.id)?.set(.int(Int64(calls.next())), for: "code")
        try other.save()
        return [:]
      }
    }
    expect(calls.count > 1, "a removal with a conflict is attempted only once")
    expect(.stopped, of: "a removal whose closure throws") { () throws(HistoryError) in
      _ = try removeTwo("refused", file) { _, _ in throw Refusal() }
    }
    expect(.unknownAttribute, of: "a removal that sets an unknown attribute") {
      () throws(HistoryError) in
      _ = try removeTwo("refused", file) { _, _ in ["nothing": 1] }
    }
    expect(.unknownAttribute, of: "a deduplicator by an unknown attribute") {
      () throws(HistoryError) in
      _ = try removeTwo("refused", file, by: ["name", "nothing"])
    }
    let page = try file.fetch(HistoryRequest(after: start, transactionCountMax: .max))
    expect(.unknownEntity, of: "a deduplicator of an unknown entity") { () throws(HistoryError) in
      try ObjectDeduplicator(store: file, entity: "Nowhere", by: ["name"])
        .deduplicate(Array(page.transactions), in: [])
    }
    expect(
      try keys("refused", file).count == 12,
      "removals that failed have removed objects"
    )
    try ObjectDeduplicator(store: file, entity: "List", by: ["name"])
      .deduplicate(Array(page.transactions), in: [])
    expect(try keys("refused", file).count == 1, "a removal after errors leaves duplicates")
  }
}

/// The number of calls of a closure so far.
private final class CallCount: Sendable {
  private let calls = Mutex(0)

  var count: Int { calls.withLock { $0 } }

  /// Counts a call, and returns the number of calls including it.
  func next() -> Int {
    calls.withLock { count in
      count += 1
      return count
    }
  }
}

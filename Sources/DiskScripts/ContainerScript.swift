import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scripted checks of store containers, their contexts and trackers, and imported cursors.
struct ContainerScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private let executor = InlineExecutor()
  private let log = MessageLog()

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  /// The names of the entities; each has a store of its own, and the last store keeps no history.
  private static let names = ["Item", "Tag", "Draft"]

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    var descriptions: [StoreDescription] = []
    for name in Self.names {
      let model = try model([Entity(name, [Attribute("name", .string)])])
      var configuration = configuration()
      configuration.tracksHistory = name != "Draft"
      let path = folder.file(name)
      descriptions.append(StoreDescription(path: path, model: model, configuration: configuration))
    }
    expect(.entityTwice, of: "a container with an entity in two stores") {
      () throws(HistoryError) in _ = try StoreContainer(descriptions + descriptions.prefix(1))
    }
    expect(folder.names.isEmpty, "a container that was refused has created files")
    let container = try StoreContainer(descriptions)
    try write(container)
    try keepEdits(container)
    try find(container.stores[0])
    try identify(container)
    try track(container)
    try removeHooks(container.stores[0])
    try importCursors(container.stores[1])
    let size = try container.stores[0].logSize()
    let isWhole = size.frames > 0 && size.bytes >= size.frames * 4096
    expect(
      isWhole,
      "a log of \(size.bytes) bytes has \(size.frames) frames; it must have frames of 4096 bytes or more"
    )
  }

  // MARK: Contexts

  /// Saves random objects into the stores, and checks their contexts and tokens.
  private func write(_ container: StoreContainer) throws(HistoryError) {
    var contexts: [ObjectContext] = []
    for name in Self.names {
      contexts.append(try container.context(for: name, author: "app", name: "view"))
    }
    var counts = [0, 0, 0]
    for number in 0..<12 {
      let place = seed.draw(contexts.count)
      _ = try contexts[place].insert(Self.names[place], ["name": .string("\(number)")])
      try contexts[place].save()
      counts[place] += 1
    }
    for (place, name) in Self.names.enumerated() {
      let store = try container.store(of: name)
      expect(
        store === container.stores[place],
        "the container returns a wrong store for the entity \(name)"
      )
      let found = try store.backgroundContext(author: "app").objects(name)
      expect(
        found.count == counts[place],
        "there are \(found.count) objects of \(name), not \(counts[place])"
      )
      expect(contexts[place].store === store, "a context belongs to a wrong store")
      expect(container.store(store.id) === store, "the container does not find a store by its ID")
    }
    expect(
      container.store(self.store.id) == nil,
      "the container finds a store of another container"
    )
    let tokens = try container.currentTokens()
    expect(
      tokens.map(\.number) == counts.prefix(2).map(Int64.init),
      "the container's tokens have wrong numbers: \(tokens)"
    )
    expect(
      tokens.map(\.store) == container.stores.prefix(2).map(\.id),
      "the container's tokens belong to wrong stores"
    )
    expect(.unknownEntity, of: "a context for an unknown entity") { () throws(HistoryError) in
      _ = try container.context(for: "Nowhere")
    }
  }

  /// Edits one object in two contexts, and checks both after saves, a refresh and a rollback.
  private func keepEdits(_ container: StoreContainer) throws(HistoryError) {
    let first = try container.context(for: "Item", author: "app", name: "view")
    let second = try container.context(for: "Item", mergePolicy: .objectWins)
    let item = try first.insert("Item", ["name": "a"])
    expect(first.hasChanges, "a context with an insert has no changes")
    try first.save(author: nil)
    expect(!first.hasChanges, "a saved context has changes")
    let twin = try second.object(item.id)
    try twin?.set("b", for: "name")
    try second.save(author: "other", contextName: "batch")
    expect(try item["name"] == "a", "an edit of another context is visible before a merge")
    try first.refreshAll()
    expect(
      try item["name"] == "b",
      "a refreshed object does not have the name that another context saved"
    )
    try item.set("c", for: "name")
    try first.refreshAll()
    expect(try item["name"] == "c", "a refresh discards an unsaved edit")
    first.rollback()
    expect(try item["name"] == "b", "an object does not have its saved name after a rollback")
    item.delete()
    try first.save()
    try second.refreshAll()
    expect(try second.object(item.id) == nil, "a deleted object is still found")
    let page = try first.store.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    let last = page.transactions.suffix(3).map { "\($0.author ?? "-") \($0.contextName ?? "-")" }
    expect(
      last == ["- view", "other batch", "app view"],
      "the authors and contexts of the last transactions are \(last)"
    )
    let set: Set = [first, second, first]
    expect(
      set.count == 2 && first == first && first != second,
      "two contexts count as equal, or one as different from itself"
    )
  }

  /// Finds objects by predicates and sort orders from convenience functions, and checks the results.
  private func find(_ store: Store) throws(HistoryError) {
    let context = store.backgroundContext(author: "app")
    let names: [Value] = ["50%", "50_", "500", .null]
    for name in names { try context.insert("Item", ["name": name]) }
    try context.save()
    let other = store.backgroundContext()
    for case .string(let name) in names {
      let found = try other.objects("Item", where: .like("name", name.escapedForLike))
      let read = try found.map { (object) throws(HistoryError) in try object["name"] }
      expect(
        read == [.string(name)],
        "a search for \(name) finds \(found.count) objects, or a wrong one"
      )
    }
    let without = try other.objects("Item", where: .null("name"))
    expect(without.count == 1, "a search finds \(without.count) objects without a name, not 1")
    let sorted = try other.objects("Item", sortedBy: [.descending("name"), .ascending("name")])
    expect(
      try sorted.last?["name"] == .null,
      "the object without a name is not the last in descending order"
    )
  }

  /// Converts object IDs to URLs and back; wrong URLs must be refused.
  private func identify(_ container: StoreContainer) throws(HistoryError) {
    for (place, name) in Self.names.enumerated() {
      let store = container.stores[place]
      for object in try store.backgroundContext().objects(name) {
        let url = try store.url(of: object.id)
        expect(try store.objectID(for: url) == object.id, "\(url) leads to another object")
        let other = container.stores[(place + 1) % Self.names.count]
        expect(.otherStoreURL, of: "a URL of another store") { () throws(HistoryError) in
          _ = try other.objectID(for: url)
        }
      }
      expect(.unknownObject, of: "the URL of an object without a key") { () throws(HistoryError) in
        _ = try store.url(of: ObjectID(entity: 1, key: 0))
      }
    }
    guard let url = URL(string: "x-history://nowhere/Item/p1") else { return }
    expect(.badURL, of: "the URL \(url)") { () throws(HistoryError) in
      _ = try container.stores[0].objectID(for: url)
    }
  }

  // MARK: Trackers

  private func trackerConfiguration(startsAlone: Bool = false) -> TrackerConfiguration {
    var configuration = TrackerConfiguration(currentAuthor: "own", strategy: .none)
    configuration.logger = log
    configuration.logLevel = .trace
    configuration.executor = executor
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    configuration.autoStart = startsAlone
    let (signals, continuation) = AsyncStream.makeStream(of: HistoryToken.self)
    continuation.finish()
    configuration.signals = { _ in signals }
    return configuration
  }

  /// Creates trackers that start by themselves; one of them must fail, because its member already runs.
  private func track(_ container: StoreContainer) throws(HistoryError) {
    let contexts = [try container.context(for: "Tag", author: "own", name: "view")]
    let configuration = trackerConfiguration(startsAlone: true)
    expect(.severalStores, of: "a tracker of several stores") { () throws(HistoryError) in
      _ = try HistoryTracker("none", container: container, configuration: configuration)
    }
    let held = try container.stores[1].join("alone", author: "other")
    for isFree in [false, true] {
      if isFree { try container.stores[1].retire(held) }
      let member: MemberID = isFree ? "free" : "alone"
      let tracker = try HistoryTracker(
        member,
        container: container,
        contexts: contexts,
        configuration: configuration
      )
      expect(
        tracker.store === container.stores[1],
        "the tracker follows a wrong store of its container"
      )
      executor.runAll()
      let (isStarted, failure) = try executor.wait {
        await result { () async throws(HistoryError) in
          (await tracker.isStarted, await tracker.failure)
        }
      }
      expect(
        isStarted == isFree,
        "isStarted of a new tracker is \(isStarted), not \(isFree)"
      )
      expect(
        failure?.code == (isFree ? nil : .inUse),
        "the start of a tracker fails with: \(failure?.message ?? "-")"
      )
      try executor.wait {
        await result { () async throws(HistoryError) in await tracker.stop() }
      }
      executor.runAll()
    }
    expect(
      log.count(of: "alone", "did not start") == 1,
      "the failed start of a tracker is not logged exactly once"
    )
    let descriptions = container.stores.map {
      StoreDescription(path: $0.path, model: $0.model, configuration: $0.configuration)
    }
    let two = try StoreContainer(Array(descriptions.dropFirst()))
    let tracker = try HistoryTracker("two", container: two, configuration: trackerConfiguration())
    expect(
      tracker.store === two.stores[0],
      "the tracker does not follow the only store with history"
    )
    let one = try StoreContainer(Array(descriptions.dropFirst(2)))
    expect(.untracked, of: "a tracker of stores without history") { () throws(HistoryError) in
      _ = try HistoryTracker("none", container: one)
    }
  }

  /// Registers hooks and removes them by kind; removed hooks must not be called again.
  private func removeHooks(_ store: Store) throws(HistoryError) {
    let notes = CallNotes()
    let writer = store.backgroundContext(author: "app")
    let tracker = HistoryTracker(
      "hooked",
      store: store,
      contexts: [ObjectContext.retaining(store, author: "own", name: "view")],
      configuration: trackerConfiguration()
    )
    let lines = try executor.wait { () -> Result<[String], HistoryError> in
      await result { () async throws(HistoryError) -> [String] in
        _ = try await tracker.launch().released
        var lines: [String] = []
        for operation in ChangeType.allCases {
          try await tracker.registerObserver(entity: "Item", operation: operation) { group in
            notes.add("\(operation) \(group.compactMap { $0.objectIDURL?.lastPathComponent })")
          }
        }
        try await tracker.registerMergeHook { _ in
          notes.add("merge")
          return .proceed
        }
        func pass(_ step: String) async throws(HistoryError) {
          let item = try writer.insert("Item", ["name": .string(step)])
          try writer.save()
          try item.set("x", for: "name")
          try writer.save()
          try await tracker.pass()
          let key = item.id.key
          lines.append(
            "\(step): " + notes.take().joined(separator: ", ").replacing("p\(key)", with: "it")
          )
        }
        try await pass("all")
        try await tracker.removeObserver(entity: "Item", operation: .insert)
        try await pass("no insert")
        await tracker.removeAllMergeHooks()
        try await pass("no merge hook")
        await tracker.removeAllObservers()
        try await pass("none")
        do throws(HistoryError) {
          try await tracker.removeObserver(entity: "Nowhere", operation: .insert)
        } catch {
          lines.append("\(error.code)")
        }
        await tracker.stop()
        return lines
      }
    }
    executor.runAll()
    let wanted = [
      #"all: insert ["it"], update ["it"], merge"#, #"no insert: update ["it"], merge"#,
      #"no merge hook: update ["it"]"#, "none: ", "\(HistoryError.Code.unknownEntity)",
    ]
    expect(lines == wanted, "the calls of hooks are \(lines), not \(wanted)")
  }

  // MARK: Imported cursors

  /// Registers members at merge dates that PersistentHistoryTrackingKit has stored, in two formats.
  private func importCursors(_ store: Store) throws(HistoryError) {
    let context = store.backgroundContext(author: "app")
    var dates: [Date] = []
    for name in ["a", "b", "c"] {
      _ = try context.insert("Tag", ["name": .string(name)])
      let number = try context.save()?.number ?? TransactionNumber(0)
      dates.append(try store.transaction(number)?.timestamp ?? .distantPast)
    }
    let key = KitCursors.standardPrefix + "kit"
    let values: [String: Any] = [
      key: dates[1], KitCursors.standardPrefix + "text": "x", "other": 1,
    ]
    let read = KitCursors(values)
    expect(read.dates == ["kit": dates[1]], "the dates of members are \(read.dates)")
    let listed = try propertyList([key: .date(dates[1]), "other": .text("x")])
    expect(
      try listed.map { bytes throws(HistoryError) in try KitCursors(propertyList: bytes) } == read,
      "the dates in a property list differ from those in a dictionary"
    )
    let wrong = [Data([1, 2, 3]), try propertyList([key: .text("x")])]
    for bytes in wrong.compactMap(\.self) {
      expect(.unreadable, of: "a property list of \(bytes.count) bytes") {
        () throws(HistoryError) in
        _ = try KitCursors(propertyList: bytes)
      }
    }
    let first = try store.join("kit", author: "kit", importing: read).released
    guard case .imported(let token, let date) = first.cursorImport else {
      return faults.append("a date is not imported: \(first.cursorImport?.description ?? "-")")
    }
    let earlier = try store.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
      .transactions
      .prefix { $0.timestamp < dates[1] }
    expect(
      token.number == earlier.last?.number.rawValue ?? 0,
      "the date \(date) was imported as the position \(token)"
    )
    try store.retire(first)
    let others: [(MemberID, String?, CursorImport.Reason)] = [
      ("kit", "kit", .alreadyAMember), ("new", "stranger", .noDate(author: "stranger")),
      ("nameless", nil, .noDate(author: nil)),
    ]
    for (member, author, reason) in others {
      let joined = try store.join(member, author: author, importing: read).released
      let isIgnored = joined.cursorImport == .ignored(reason)
      expect(
        isIgnored,
        "the date of the member \(member) is not ignored: \(joined.cursorImport?.description ?? "-")"
      )
      try store.retire(joined)
    }
  }

  private enum Listed: Encodable {
    case date(Date)
    case text(String)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .date(let date): try container.encode(date)
      case .text(let text): try container.encode(text)
      }
    }
  }

  private func propertyList(_ values: [String: Listed]) throws(HistoryError) -> Data? {
    try? PropertyListEncoder().encode(values)
  }
}

/// The calls of hooks so far, in order.
private final class CallNotes: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  /// Returns the calls of hooks since this function was last called, and removes them.
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

/// A store with a random history of a few authors, contexts, bundles
/// and entities, and random filters on it.
struct RandomHistory {
  static let authors = ["app", "widget", "NSCloudKitMirroringDelegate.import", nil]
  static let contexts = ["view", "background", nil]
  static let programs: [(String?, String?)] = [
    ("bundle.app", "App"), ("bundle.widget", nil), (nil, "Tool"),
  ]

  let fixture: StoreFixture
  /// The stores on the file, each with another bundle and process.
  let stores: [Store]
  var random: SeededRandom
  /// The identities of the existing objects.
  private var objects: [ObjectID] = []

  init(seed: UInt64, timestamps: StoreConfiguration.Timestamps = .monotone) throws {
    random = SeededRandom(seed: seed)
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = timestamps
    self.fixture = fixture
    stores = try Self.programs.map { bundle, process in
      var own = fixture
      own.configuration.bundleID = bundle
      own.configuration.processID = process
      return try own.open()
    }
  }

  var store: Store { stores[0] }

  private mutating func index(below count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// Writes a number of transactions of up to six changes.
  mutating func write(_ count: Int) throws {
    for _ in 0..<count {
      fixture.clock.now += [-1, 0, 0, 0.25, 1, 2][index(below: 6)]
      let author = BatchAuthor(
        Self.authors[index(below: Self.authors.count)],
        contextName: Self.contexts[index(below: Self.contexts.count)]
      )
      try write(stores[index(below: stores.count)], author)
    }
  }

  private mutating func write(_ store: Store, _ author: BatchAuthor) throws {
    var edits: [ObjectEdit] = []
    for _ in 0...index(below: 6) {
      if objects.isEmpty || index(below: 2) == 0 {
        let id = try store.makeObjectID(["Item", "Tag"][index(below: 2)])
        let width = id.entity == 1 ? 8 : 1
        edits.append(ObjectEdit(.insert, id, values: Array(repeating: .null, count: width)))
      } else {
        let id = objects.remove(at: index(below: objects.count))
        let isUpdate = index(below: 3) > 0
        edits.append(
          isUpdate
            ? ObjectEdit(.update, id, columns: 1, version: 0, values: ["x"])
            : ObjectEdit(.delete, id, version: 0)
        )
      }
    }
    _ = try store.save(
      SaveRequest(
        edits: edits,
        author: author.author,
        contextName: author.contextName,
        writer: WriterID(rawValue: 5),
        policy: .objectWins
      )
    )
    objects += edits.filter { $0.type != .delete }.map(\.id)
  }

  /// A random filter over all properties, with a limited depth.
  mutating func filter(depth: Int = 3) -> HistoryFilter {
    let number = Int64(index(below: 40))
    switch index(below: depth > 0 ? 13 : 9) {
    case 0: return .author((Self.authors + ["nobody"])[index(below: Self.authors.count + 1)])
    case 1: return .contextName(Self.contexts[index(below: Self.contexts.count)])
    case 2: return .bundleID(Self.programs[index(below: 3)].0)
    case 3: return .processID(Self.programs[index(below: 3)].1)
    case 4: return .numbers(HistoryFilter.range(number...number + Int64(index(below: 20))))
    case 5:
      let start = Date(timeIntervalSinceReferenceDate: fixture.clock.now - Double(number))
      return .timestamps(start...start.addingTimeInterval(Double(index(below: 12))))
    case 6: return .entity(["Item", "Tag"][index(below: 2)])
    case 7: return .type(ChangeType.allCases[index(below: 3)])
    case 8:
      return .object(
        objects.isEmpty ? ObjectID(entity: 1, key: 1) : objects[index(below: objects.count)]
      )
    case 9, 10: return .all((0..<index(below: 4)).map { _ in filter(depth: depth - 1) })
    case 11: return .any((0..<index(below: 4)).map { _ in filter(depth: depth - 1) })
    default: return .not(filter(depth: depth - 1))
    }
  }
}

extension HistoryFilter {
  /// Returns whether a change matches, by its public fields.
  func matches(_ change: HistoryChange) -> Bool {
    let transaction = change.transaction
    return switch self {
    case .author(let author): transaction.author == author
    case .contextName(let name): transaction.contextName == name
    case .bundleID(let bundle): transaction.bundleID == bundle
    case .processID(let process): transaction.processID == process
    case .numbers(let range): range.contains(transaction.number)
    case .timestamps(let range): range.contains(transaction.timestamp)
    case .entity(let name): change.entityName == name
    case .type(let type): change.type == type
    case .object(let id): change.objectID == id
    case .all(let filters): filters.allSatisfy { $0.matches(change) }
    case .any(let filters): filters.contains { $0.matches(change) }
    case .not(let filter): !filter.matches(change)
    }
  }
}

/// Every property of a change.
struct ChangeFacts: Hashable {
  let id: ChangeID
  let object: ObjectID
  let type: ChangeType
  let entity: String?
  let properties: [String]
  let tombstone: [String: Value]?

  init(_ change: HistoryChange) {
    id = change.id
    object = change.objectID
    type = change.type
    entity = change.entityName
    properties = change.updatedProperties
    tombstone = change.tombstone
  }
}

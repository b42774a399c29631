import HistoryStore
import HistoryTypes
import PropertyTesting
import StoreFixtures

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
  /// The identities of the existing objects.
  private var objects: [ObjectID] = []

  init(timestamps: StoreConfiguration.Timestamps = .monotone) throws {
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

  /// Returns one of the stores.
  func anyStore(_ source: inout ChoiceSource) -> Store { source.element(of: stores) }

  /// Writes a number of transactions of up to six changes.
  mutating func write(_ counts: ClosedRange<Int>, _ source: inout ChoiceSource) throws {
    var transactions = Repetition("transaction", counts, length: .mostlyLongest)
    while transactions.next(&source) {
      fixture.clock.now += source.element(of: [0, 0, 0.25, 1, 2, -1])
      let author = BatchAuthor(
        source.element(of: Self.authors),
        contextName: source.element(of: Self.contexts)
      )
      try write(anyStore(&source), author, &source)
    }
  }

  private mutating func write(
    _ store: Store,
    _ author: BatchAuthor,
    _ source: inout ChoiceSource
  ) throws {
    let edits = try source.array("change", 1...6) { source in
      if objects.isEmpty || source.bool() {
        let id = try store.makeObjectID(source.element(of: ["Item", "Tag"]))
        let width = id.entity == 1 ? 8 : 1
        return ObjectEdit(.insert, id, values: Array(repeating: .null, count: width))
      }
      let id = objects.remove(at: source.index(below: objects.count))
      return source.index(below: 3) < 2
        ? ObjectEdit(.update, id, columns: 1, version: 0, values: ["x"])
        : ObjectEdit(.delete, id, version: 0)
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
  func filter(_ source: inout ChoiceSource, depth: Int = 3) -> HistoryFilter {
    source.span("filter") { source in
      switch source.index(below: depth > 0 ? 13 : 9) {
      case 9, 10: .all(source.array("part", 0...3) { filter(&$0, depth: depth - 1) })
      case 11: .any(source.array("part", 0...3) { filter(&$0, depth: depth - 1) })
      case 12: .not(filter(&source, depth: depth - 1))
      case let kind: property(kind, &source)
      }
    }
  }

  /// A filter over one property.
  private func property(_ kind: Int, _ source: inout ChoiceSource) -> HistoryFilter {
    switch kind {
    case 0: return .author(source.element(of: Self.authors + ["nobody"]))
    case 1: return .contextName(source.element(of: Self.contexts))
    case 2: return .bundleID(source.element(of: Self.programs).0)
    case 3: return .processID(source.element(of: Self.programs).1)
    case 4:
      let number = Int64(source.int(in: 0...39))
      return .numbers(HistoryFilter.range(number...number + Int64(source.int(in: 0...19))))
    case 5:
      let age = Double(source.int(in: 0...39))
      let start = Date(timeIntervalSinceReferenceDate: fixture.clock.now - age)
      return .timestamps(start...start.addingTimeInterval(Double(source.int(in: 0...11))))
    case 6: return .entity(source.element(of: ["Item", "Tag"]))
    case 7: return .type(source.element(of: ChangeType.allCases))
    default:
      return .object(
        objects.isEmpty ? ObjectID(entity: 1, key: 1) : source.element(of: objects)
      )
    }
  }
}

extension ChoiceSource {
  /// Returns an element of a nonempty array; shrinks toward the first.
  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[index(below: elements.count)]
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

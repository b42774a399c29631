import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

/// A change that history should contain.
enum ExpectedChange: Equatable {
  case insert
  case update(Set<String>)
  case delete([String: Value])
}

/// A copy of a store's rows in memory, with the changes that the next transaction should contain.
struct SaveReference {
  let store: Store
  private let faults: FailedExpectations
  private let entities: [Entity]
  /// The references of each entity, with the numbers of the entities that they refer to.
  private let links: [[(name: String, rule: DeleteRule, entity: Int32)]]
  private(set) var rows: [ObjectID: [String: Value]] = [:]
  private var changes: [ObjectID: ExpectedChange] = [:]
  /// The objects that a comparison reads: those changed since ``start()``, or all.
  private var touched: Set<ObjectID> = []
  private var token: HistoryToken?

  init(_ store: Store, _ faults: FailedExpectations) {
    (self.store, self.faults, entities) = (store, faults, store.model.entities)
    links = entities.map { entity in
      entity.attributes.compactMap { attribute in
        guard let reference = attribute.reference,
          let number = store.model.number(of: reference.entity)
        else { return nil }
        return (attribute.name, reference.deleteRule, number)
      }
    }
  }

  /// Copies the rows of another store on the same file.
  init(_ store: Store, copying other: SaveReference) {
    self.init(store, other.faults)
    rows = other.rows
  }

  /// The entities of ``ConflictScript`` and ``SaveRuleScript``.
  ///
  /// `Entry` has one reference to `Group` for each delete rule. The first attribute of `Entry` is a
  /// reference.
  static let entities = [
    Entity(
      "Group",
      [
        Attribute("code", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("alias", .string),
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("size", .int, defaultValue: 7),
      ],
      uniquenessConstraints: [["code"], ["alias"]]
    ),
    Entity(
      "Entry",
      [
        Attribute("owner", to: "Group", deleteRule: .cascade),
        Attribute("backup", to: "Group", preservesValueInHistoryOnDeletion: true),
        Attribute("guard", to: "Group", deleteRule: .deny),
        Attribute("label", .string, preservesValueInHistoryOnDeletion: true),
      ]
    ),
    Entity(
      "Part",
      [
        Attribute("name", .string, isOptional: false),
        Attribute(
          "entry",
          to: "Entry",
          deleteRule: .cascade,
          preservesValueInHistoryOnDeletion: true
        ),
        Attribute("peer", to: "Part", preservesValueInHistoryOnDeletion: true),
      ]
    ),
  ]

  private func entity(of id: ObjectID) -> Entity { entities[Int(id.entity) - 1] }

  /// Returns the objects of an entity, in the order of their keys.
  func objects(_ entity: String) -> [ObjectID] {
    let number = Int32((entities.firstIndex { $0.name == entity } ?? -1) + 1)
    return rows.keys.filter { $0.entity == number }.sorted()
  }

  subscript(id: ObjectID) -> [String: Value] { rows[id] ?? [:] }

  // MARK: Edits

  mutating func insert(_ id: ObjectID, _ values: [String: Value]) {
    var row: [String: Value] = [:]
    for attribute in entity(of: id).attributes {
      row[attribute.name] = values[attribute.name] ?? attribute.defaultValue
    }
    rows[id] = row
    changes[id] = .insert
    touched.insert(id)
  }

  mutating func set(_ id: ObjectID, _ values: [String: Value]) {
    guard !values.isEmpty else { return }
    rows[id]?.merge(values) { $1 }
    switch changes[id] {
    case .insert: break
    case .update(let names): changes[id] = .update(names.union(values.keys))
    case .delete, nil: changes[id] = .update(Set(values.keys))
    }
    touched.insert(id)
  }

  /// Deletes objects, and applies the delete rules of the references to them.
  ///
  /// Ignores the references in `edited`, which lists the names of attributes by object. If
  /// `deniesAll` is `true`, all other references deny the delete.
  ///
  /// - Returns: The objects that deny the delete; if there is one, nothing is deleted.
  mutating func delete(
    _ ids: [ObjectID],
    except edited: [ObjectID: Set<String>] = [:],
    deniesAll: Bool = false
  ) -> Set<ObjectID> {
    var gone = Set(ids)
    var (nullified, denied): ([(ObjectID, String)], Set<ObjectID>) = ([], [])
    var isComplete = false
    while !isComplete {
      let before = gone.count
      (nullified, denied) = ([], [])
      for (id, row) in rows where !gone.contains(id) {
        for (name, rule, target) in references(of: id, row) where gone.contains(target) {
          guard edited[id]?.contains(name) != true else { continue }
          switch deniesAll ? .deny : rule {
          case .cascade: gone.insert(id)
          case .nullify: nullified.append((id, name))
          case .deny: denied.insert(id)
          }
        }
      }
      isComplete = gone.count == before
    }
    denied.subtract(gone)
    guard denied.isEmpty else { return denied }
    for id in gone { remove(id) }
    for (id, name) in nullified where !gone.contains(id) { set(id, [name: .null]) }
    return []
  }

  private mutating func remove(_ id: ObjectID) {
    guard let row = rows.removeValue(forKey: id) else { return }
    touched.insert(id)
    guard changes[id] != .insert else {
      changes[id] = nil
      return
    }
    let preserved = entity(of: id).attributes.filter(\.preservesValueInHistoryOnDeletion)
    var tombstone: [String: Value] = [:]
    for attribute in preserved where row[attribute.name] != .null {
      tombstone[attribute.name] = row[attribute.name]
    }
    changes[id] = .delete(tombstone)
  }

  /// Returns the references of a row that are not null.
  func references(
    of id: ObjectID,
    _ row: [String: Value]
  ) -> [(name: String, rule: DeleteRule, target: ObjectID)] {
    links[Int(id.entity) - 1].compactMap { link in
      guard case .int(let key)? = row[link.name] else { return nil }
      return (link.name, link.rule, ObjectID(entity: link.entity, key: key))
    }
  }

  // MARK: Comparison

  /// Starts a check: later comparisons read only the objects that are changed from now on.
  ///
  /// Comparisons still count all objects of each entity.
  mutating func start() { touched = [] }

  /// Makes the next comparison read all objects.
  mutating func touchAll() { touched = Set(rows.keys) }

  /// Marks the start of a save: the next comparison reads only the history after this call.
  mutating func prepare() throws(HistoryError) {
    token = try store.currentToken()
    changes = [:]
  }

  /// Compares the store, the context that saved, and the new history with this copy.
  mutating func compare(_ context: ObjectContext, _ what: String) throws(HistoryError) {
    try compareHistory(what)
    let fresh = ObjectContext(store: store)
    for id in touched.sorted() {
      let names = entity(of: id).attributes.map(\.name)
      let wanted = rows[id].map { row in names.map { row[$0] ?? .null } }
      let found = try fresh.object(id)?.values(of: names)
      if found != wanted {
        faults.append("\(what): \(id) is \(found ?? []) in the store, not \(wanted ?? [])")
      }
      let shown = try context.object(id)?.values(of: names)
      if shown != wanted {
        faults.append("\(what): \(id) is \(shown ?? []) in the context, not \(wanted ?? [])")
      }
    }
    for entity in entities {
      let (found, wanted) = (try fresh.count(entity.name), objects(entity.name).count)
      if found != wanted {
        faults.append("\(what): the store has \(found) objects of \(entity.name), not \(wanted)")
      }
    }
    if context.hasChanges { faults.append("\(what): the context has edits after its save") }
    try prepare()
  }

  private func compareHistory(_ what: String) throws(HistoryError) {
    let page = try store.fetch(HistoryRequest(after: token))
    let count = page.transactions.count
    if count != (changes.isEmpty ? 0 : 1) {
      faults.append("\(what): \(count) transactions are written for the changes \(changes)")
    }
    var found: [ObjectID: ExpectedChange] = [:]
    for change in page.changes {
      if found[change.objectID] != nil {
        faults.append("\(what): history has two changes of \(change.objectID)")
      }
      found[change.objectID] =
        switch change.type {
        case .insert: .insert
        case .update: .update(Set(change.updatedProperties))
        case .delete: .delete(change.tombstone ?? [:])
        }
    }
    if found != changes { faults.append("\(what): history has \(found), not \(changes)") }
  }
}

/// The numbers of the transactions that a store has announced before it wrote rows.
final class AnnouncedWrites: Sendable {
  private let numbers = Mutex<[Int64]>([])

  var observer: StoreActionObserver {
    var observer = StoreActionObserver(begins: { _ in }, ends: { _ in })
    observer.writes = { [self] number in numbers.withLock { $0.append(number) } }
    return observer
  }

  func removeAll() -> [Int64] {
    numbers.withLock { numbers in
      defer { numbers = [] }
      return numbers
    }
  }
}

/// A script that saves in one store, and compares its rows and history with a copy in memory.
protocol SaveScript: DiskScript {
  var seed: ScriptRandom { get }
  /// The expected rows and changes of the script's own store.
  var reference: SaveReference { get set }
  /// The number of texts that `unique()` has returned so far.
  var textCount: Int { get set }
}

extension SaveScript {
  /// Returns a new unique text.
  mutating func unique() -> Value {
    textCount += 1
    return .string("\(seed.pick(["a", "B", "é"]))\(textCount)")
  }

  /// Inserts an object into a context, and into the expected rows in ``reference``.
  @discardableResult
  mutating func add(
    _ entity: String,
    _ values: [String: Value],
    _ context: ObjectContext
  ) throws(HistoryError) -> StoredObject {
    let object = try context.insert(entity, values)
    reference.insert(object.id, values)
    return object
  }

  /// Sets values of an object in its context, and in the expected rows in ``reference``.
  mutating func set(
    _ values: [String: Value],
    of object: StoredObject
  ) throws(HistoryError) {
    for (name, value) in values { try object.set(value, for: name) }
    reference.set(object.id, values)
  }

  /// Inserts objects of the entity `Group` with ``add(_:_:_:)``, and returns their identifiers.
  mutating func addGroups(
    _ count: Int,
    _ context: ObjectContext
  ) throws(HistoryError) -> [ObjectID] {
    var ids: [ObjectID] = []
    for _ in 0..<count {
      ids.append(try add("Group", ["code": unique(), "title": unique()], context).id)
    }
    return ids
  }

  func find(_ id: ObjectID, in context: ObjectContext) throws(HistoryError) -> StoredObject {
    guard let found = try context.object(id) else { throw .unknownObject(id) }
    return found
  }

  /// Runs a request that must fail with an error code.
  ///
  /// The error must list exactly the objects in `objects`; `nil` accepts any list.
  func expect(
    code: HistoryError.Code,
    _ objects: Set<ObjectID>? = nil,
    of what: String,
    _ body: () throws(HistoryError) -> Void
  ) {
    do throws(HistoryError) {
      try body()
      faults.append("\(what) is accepted")
    } catch {
      let isRight = error.code == code && (objects == nil || Set(error.objects) == objects)
      expect(isRight, "\(what) ends with \(error), not with \(code) of \(objects ?? [])")
    }
  }
}

import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of saves in which delete rules meet other edits, conflicts and duplicates.
struct SaveRuleScript: SaveScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  var reference: SaveReference
  var textCount = 0

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
    reference = SaveReference(store, faults)
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let model = try model(SaveReference.entities)
    let path = folder.file("rules")
    let file = try Store(path: path, model: model, configuration: configuration())
    reference = SaveReference(file, faults)
    // The store is closed with its last reference.
    defer { reference = SaveReference(store, faults) }
    try insertObjects()
    for _ in 0..<4 { try saveRandomly() }
    try moveReference()
    try referToDeleted()
    for policy in [seed.pick([.storeWins, .rollback]), seed.pick(MergePolicy.allCases)] {
      try keepReferences(policy)
    }
    try combineChanges(isDenied: false)
    if seed.draw(2) == 0 { try combineChanges(isDenied: true) }
    try refuse()
    reference.touchAll()
    try reference.compare(context(), "the end of the script")
    // After a fault, the check is left out: checking wrong references might not end.
    if faults.lines.isEmpty {
      expect(try file.verify().filter(\.isWrong).isEmpty, "the store is not intact")
    }
    try deleteForNewerProgram(path)
    try updateLongRuns(folder.file("runs"))
  }

  func context(_ policy: MergePolicy = .error) -> ObjectContext {
    ObjectContext(
      store: reference.store,
      author: "app",
      name: "view",
      mergePolicy: policy,
      retainsRegisteredObjects: true
    )
  }

  // MARK: Random saves

  private mutating func insertObjects() throws(HistoryError) {
    let first = context()
    for _ in 0..<6 { try add("Group", ["code": unique()], first) }
    for _ in 0..<9 { try add("Entry", values(for: "Entry"), first) }
    for _ in 0..<6 { try add("Part", values(for: "Part"), first) }
    try first.save()
  }

  /// Returns a value that refers to a random object of an entity.
  ///
  /// The object is one of the expected objects in ``reference``, or one of `inserts`. The value is
  /// null in one of `share` cases on average, and if the entity has no object there.
  private func pointer(_ entity: String, _ share: Int, _ inserts: [ObjectID]) -> Value {
    let number = reference.store.model.number(of: entity)
    let objects = reference.objects(entity) + inserts.filter { $0.entity == number }
    guard !objects.isEmpty, seed.draw(share) > 0 else { return .null }
    return Value(referringTo: seed.pick(objects))
  }

  private mutating func values(
    for entity: String,
    _ inserts: [ObjectID] = []
  ) -> [String: Value] {
    switch entity {
    case "Group": ["code": unique(), "title": unique()]
    case "Entry":
      [
        "owner": pointer("Group", 2, inserts), "backup": pointer("Group", 5, inserts),
        "guard": seed.draw(6) == 0 ? pointer("Group", 2, inserts) : .null, "label": unique(),
      ]
    default:
      [
        "name": unique(), "entry": pointer("Entry", 3, inserts),
        "peer": pointer("Part", 3, inserts),
      ]
    }
  }

  /// Saves random edits and deletes; the references decide whether the save must fail.
  private mutating func saveRandomly() throws(HistoryError) {
    reference.start()
    try reference.prepare()
    let mine = context()
    var edits: [(id: ObjectID, isInsert: Bool, values: [String: Value])] = []
    for entity in ["Group", "Entry", "Entry", "Entry", "Part", "Part"] where seed.draw(2) == 0 {
      let isInsert = seed.draw(3) == 0
      let all = values(for: entity, edits.filter(\.isInsert).map(\.id))
      let some = isInsert ? all : all.filter { _ in seed.draw(2) == 0 }
      if isInsert {
        edits.append((try mine.insert(entity, some).id, true, some))
      } else if let id = reference.objects(entity).randomElement(seed),
        !edits.contains(where: { $0.id == id })
      {
        for (name, value) in some { try find(id, in: mine).set(value, for: name) }
        if !some.isEmpty { edits.append((id, false, some)) }
      }
    }
    var deletes: Set<ObjectID> = []
    for entity in ["Group", "Group", "Entry", "Part"] where seed.draw(2) == 0 {
      if let id = reference.objects(entity).randomElement(seed) { deletes.insert(id) }
    }
    for id in deletes { try find(id, in: mine).delete() }
    let deniesAll = seed.draw(6) == 0
    let what = "a save that deletes \(deletes.sorted()), and has the edits \(edits)"
    let (next, failure) = expected(edits, deletes, deniesAll)
    do throws(HistoryError) {
      if deniesAll { try mine.saveDenyingReferences() } else { try mine.save() }
      expect(failure == nil, "\(what) is accepted")
      reference = next
    } catch {
      expect(failure?.matches(error) == true, "\(what) ends with \(error)")
      mine.rollback()
    }
    try reference.compare(mine, what)
  }

  /// Returns the rows after a save of edits and deletes, and the error if it must fail.
  private func expected(
    _ edits: [(id: ObjectID, isInsert: Bool, values: [String: Value])],
    _ deletes: Set<ObjectID>,
    _ deniesAll: Bool
  ) -> (SaveReference, SaveFailure?) {
    var next = reference
    var changed: [ObjectID: Set<String>] = [:]
    for edit in edits where !edit.isInsert {
      let released = next.references(of: edit.id, edit.values).filter {
        deletes.contains($0.target)
      }
      changed[edit.id] = Set(edit.values.keys).subtracting(released.map(\.name))
    }
    let denied = next.delete(deletes.sorted(), except: changed, deniesAll: deniesAll)
    guard denied.isEmpty else { return (next, SaveFailure(.deleteDenied, denied)) }
    // A save leaves out inserts with a cascade reference to a deleted object. References to such an
    // insert count as references to a deleted object.
    var gone = Set(reference.rows.keys.filter { next.rows[$0] == nil })
    for edit in edits.filter(\.isInsert).sorted(by: { $0.id < $1.id }) {
      let cascades = next.references(of: edit.id, edit.values).filter { $0.rule == .cascade }
      if cascades.contains(where: { gone.contains($0.target) }) { gone.insert(edit.id) }
    }
    for edit in edits where !gone.contains(edit.id) {
      var values = edit.values
      for (name, rule, target) in next.references(of: edit.id, values)
      where gone.contains(target) && rule == .nullify { values[name] = .null }
      if edit.isInsert { next.insert(edit.id, values) } else { next.set(edit.id, values) }
    }
    let dangling = next.rows.filter { id, row in
      next.references(of: id, row).contains { next.rows[$0.target] == nil }
    }
    guard !dangling.isEmpty else { return (next, nil) }
    return (next, SaveFailure(.danglingReference, Set(dangling.keys)))
  }
}

/// The error with which a save must fail.
private struct SaveFailure {
  let code: HistoryError.Code
  let objects: Set<ObjectID>

  init(_ code: HistoryError.Code, _ objects: Set<ObjectID>) {
    (self.code, self.objects) = (code, objects)
  }

  func matches(_ error: HistoryError) -> Bool {
    error.code == code && Set(error.objects) == objects
  }
}

extension Array {
  fileprivate func randomElement(_ seed: ScriptRandom) -> Element? {
    isEmpty ? nil : seed.pick(self)
  }
}

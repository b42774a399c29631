import HistoryStore
import HistoryTypes
import ObjectContexts

/// Scripted checks of saves with conflicts and duplicates, under merge policies and closures.
struct ConflictScript: SaveScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  /// The expected rows and changes of the script's own store.
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
    let announced = AnnouncedWrites()
    var configuration = configuration()
    configuration.actionObserver = announced.observer
    let path = folder.file("conflicts")
    let file = try Store(path: path, model: model, configuration: configuration)
    reference = SaveReference(file, faults)
    // The store is closed with its last reference.
    defer { reference = SaveReference(store, faults) }
    // A run has time for few decisions in each kind of case: some are fixed, the others random.
    for _ in 0..<2 { try updateConflict(draw()) }
    for decision in [.write, draw()] { try deleteConflict(decision) }
    for decision in [seed.pick([.policy(.objectWins), .write]), draw()] {
      try insertDuplicate(decision)
    }
    try updateDuplicate(.write, choice: seed.draw(2))
    try updateDuplicate(draw(), choice: seed.draw(4))
    for (decision, isMoved) in [(.policy(.overwrite), true), (draw(), seed.draw(2) == 0)] {
      try deleteBeside(decision, isMoved: isMoved)
    }
    try answerTwice(.keepEdited, .keepStored)
    try answerTwice()
    try writeRuns()
    try overwriteWithFormerCode()
    try insertBatch(seed.pick([.storeWins, .rollback]))
    try insertBatch(seed.pick([.objectWins, .overwrite, .error]))
    let numbers = try file.fetch(HistoryRequest(after: nil)).transactions.map(\.number.rawValue)
    let found = announced.removeAll()
    expect(Set(found).isSuperset(of: numbers), "writes are announced as \(found), not \(numbers)")
  }

  // MARK: Objects

  private func draw() -> SaveDecision { seed.pick(SaveDecision.all) }

  /// Returns a context with a merge policy; objects stay registered without references to them.
  ///
  /// The policy is that of `decision`, or `error` if `decision` resolves conflicts with a closure.
  func context(_ decision: SaveDecision = .policy(.error)) -> ObjectContext {
    ObjectContext(
      store: reference.store,
      author: "app",
      name: "view",
      mergePolicy: decision.policy ?? .error,
      retainsRegisteredObjects: true
    )
  }

  /// Returns random values for the title of a group, for its size or for both.
  private func someValues() -> [String: Value] {
    var values: [String: Value] = [:]
    let count = 1 + seed.draw(2)
    while values.count < count {
      if seed.draw(2) == 0 {
        values["title"] = .string("t\(seed.draw(1000))")
      } else {
        values["size"] = .int(Int64(seed.draw(1000)))
      }
    }
    return values
  }

  // MARK: Saves

  /// Saves with the context's merge policy, or lets the closure `answer` resolve the conflicts.
  ///
  /// `answer` is used if `decision` has no merge policy. The result contains the conflicts that
  /// `answer` received, and the error if the save fails.
  func save(
    _ context: ObjectContext,
    _ decision: SaveDecision,
    _ answer: (SaveConflict) -> ConflictResolution = { _ in .keepStored }
  ) -> (conflicts: [SaveConflict], error: HistoryError?) {
    var conflicts: [SaveConflict] = []
    do throws(HistoryError) {
      guard decision.policy == nil else {
        try context.save()
        return ([], nil)
      }
      try context.save { conflict in
        conflicts.append(conflict)
        return answer(conflict)
      }
    } catch {
      return (conflicts, error)
    }
    return (conflicts, nil)
  }

  /// Checks that a save has failed, and that it has kept the context's edits and changed no row.
  mutating func expect(
    _ code: HistoryError.Code,
    _ objects: Set<ObjectID>,
    _ error: HistoryError?,
    _ context: ObjectContext,
    _ what: String
  ) throws(HistoryError) {
    let description = error.map { "\($0)" } ?? "no error"
    expect(
      error?.code == code && Set(error?.objects ?? []) == objects,
      "\(what) ends with \(description), not with \(code) of \(objects)"
    )
    expect(context.hasChanges, "\(what): a failed save discards the edits")
    context.rollback()
    // The context has not merged the changes of the other context.
    try reference.compare(self.context(), what)
  }

  // MARK: Conflicts

  private mutating func updateConflict(_ decision: SaveDecision) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(decision), context())
    let theirs = try add("Group", ["code": unique(), "title": "old", "size": 1], other)
    try other.save()
    let object = try find(theirs.id, in: mine)
    let base = reference[object.id]
    try set(someValues(), of: theirs)
    try other.save()
    let (edits, answer) = (someValues(), someValues())
    for (name, value) in edits { try object.set(value, for: name) }
    try reference.prepare()
    let stored = reference[object.id]
    let result = save(mine, decision) { _ in decision.resolution(answer) }
    let what = "an update with a conflict under \(decision)"
    guard let written = decision.written(edits, answer, base: base, stored: stored) else {
      return try expect(.conflict, [object.id], result.error, mine, what)
    }
    reference.set(object.id, written)
    try expect(result, decision, what) { conflict in
      conflict.id == object.id && conflict.entity == "Group" && conflict.duplicate == nil
        && conflict.uniqueAttributes.isEmpty && conflict.original == base
        && conflict.edited == base.merging(edits) { $1 } && conflict.stored == stored
        && conflict.setAttributes == ["title", "size"].filter { edits[$0] != nil }
    }
    try reference.compare(mine, what)
  }

  /// Checks that a save has succeeded, and that a conflict closure received the expected conflict.
  ///
  /// If `decision` is a merge policy, the save used no closure.
  func expect(
    _ result: (conflicts: [SaveConflict], error: HistoryError?),
    _ decision: SaveDecision,
    _ what: String,
    _ isRight: (SaveConflict) -> Bool
  ) throws(HistoryError) {
    if let error = result.error { throw error }
    let count = decision.policy == nil ? 1 : 0
    expect(
      result.conflicts.count == count && result.conflicts.allSatisfy(isRight),
      "\(what): the closure receives \(result.conflicts)"
    )
  }

  private mutating func deleteConflict(_ decision: SaveDecision) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(decision), context())
    let theirs = try add("Group", ["code": unique(), "title": "old"], other)
    let group = theirs.id
    try add("Entry", ["backup": .init(referringTo: group), "label": unique()], other)
    try other.save()
    let object = try find(theirs.id, in: mine)
    let base = reference[group]
    try set(someValues(), of: theirs)
    try other.save()
    // The last updates by the other context set the same attributes as the closure's answer.
    let answer = someValues()
    for _ in 0..<2 {
      let values = answer.mapValues { value in
        value.int == nil ? unique() : .int(Int64(2000 + seed.draw(1000)))
      }
      try set(values, of: theirs)
      try other.save()
    }
    try reference.prepare()
    object.delete()
    let result = save(mine, decision) { _ in decision.resolution(answer) }
    let what = "a delete with a conflict under \(decision)"
    let stored = reference[group]
    switch decision {
    case .policy(.error): return try expect(.conflict, [group], result.error, mine, what)
    case .policy(.objectWins), .policy(.overwrite), .keepEdited: _ = reference.delete([group])
    case .write: reference.set(group, answer)
    case .policy, .keepStored: break
    }
    try expect(result, decision, what) { conflict in
      conflict.id == group && conflict.duplicate == nil && conflict.original == base
        && conflict.edited == nil && conflict.setAttributes.isEmpty && conflict.stored == stored
    }
    try reference.compare(mine, what)
  }

  /// Saves an update with a conflict together with the delete of a group.
  ///
  /// The updated object referred to this group when its context read it. Another context has since
  /// set the reference to another group or to null.
  private mutating func deleteBeside(
    _ decision: SaveDecision,
    isMoved: Bool
  ) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(decision), context())
    let ids = try addGroups(3, other)
    let pointers = ids.map { Value(referringTo: $0) }
    let entry = ["owner": pointers[0], "backup": pointers[1], "label": unique()]
    let theirs = try add("Entry", entry, other)
    try other.save()
    let object = try find(theirs.id, in: mine)
    let base = reference[object.id]
    try set(["backup": isMoved ? pointers[2] : .null], of: theirs)
    try other.save()
    try reference.prepare()
    let edits = isMoved ? ["label": unique()] : ["backup": pointers[0]]
    for (name, value) in edits { try object.set(value, for: name) }
    mine.delete(ids[1])
    let answer = ["label": unique()]
    let result = save(mine, decision) { _ in decision.resolution(answer) }
    let what = "a delete and a conflict of another object under \(decision)"
    let stored = reference[object.id]
    // A save writes null for a reference to a deleted object, and a closure also receives null.
    let shown = base.merging(["backup": .null]) { $1 }
    let known = decision == .policy(.storeWins) ? base : shown
    guard let written = decision.written(edits, answer, base: known, stored: stored) else {
      return try expect(.conflict, [object.id], result.error, mine, what)
    }
    _ = reference.delete([ids[1]])
    reference.set(object.id, written)
    try expect(result, decision, what) { conflict in
      conflict.id == object.id && conflict.original == shown && conflict.stored == stored
        && conflict.edited == shown.merging(edits) { $1 }
    }
    try reference.compare(mine, what)
  }
}

/// The handling of a save's conflicts and duplicates: by a merge policy or by a conflict closure.
enum SaveDecision: Equatable {
  case policy(MergePolicy)
  case keepStored
  case keepEdited
  /// A conflict closure returns the values to write; they replace the edited values.
  case write

  static let policies = MergePolicy.allCases.map { SaveDecision.policy($0) }
  static let closures: [SaveDecision] = [.keepStored, .keepEdited, .write]
  static let all = policies + closures

  /// The merge policy; `nil` if a closure resolves the conflicts.
  var policy: MergePolicy? { if case .policy(let policy) = self { policy } else { nil } }

  /// Returns a conflict closure's answer for this decision; only the case `write` uses `values`.
  func resolution(_ values: [String: Value]) -> ConflictResolution {
    switch self {
    case .policy, .keepStored: .keepStored
    case .keepEdited: .keepEdited
    case .write: .write(values)
    }
  }

  /// Returns the values that an update with a conflict writes; `nil` if the save fails.
  func written(
    _ edits: [String: Value],
    _ answer: [String: Value],
    base: [String: Value],
    stored: [String: Value]
  ) -> [String: Value]? {
    switch self {
    case .policy(.error): nil
    case .policy(.rollback), .keepStored: [:]
    case .policy(.storeWins): edits.filter { stored[$0.key] == base[$0.key] }
    case .policy(.objectWins), .keepEdited: edits
    case .policy(.overwrite): base.merging(edits) { $1 }
    case .write: answer
    }
  }
  /// Returns the values that an insert writes over its stored duplicate; `nil` if the save fails.
  ///
  /// `row` contains all values of the inserted object.
  func writtenOver(
    _ edits: [String: Value],
    _ answer: [String: Value],
    row: [String: Value]
  ) -> [String: Value]? {
    switch self {
    case .policy(.error): nil
    case .policy(.storeWins), .policy(.rollback), .keepStored: [:]
    case .policy(.objectWins), .keepEdited: edits
    case .policy(.overwrite): row
    case .write: answer
    }
  }
}

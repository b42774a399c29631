import HistoryStore
import HistoryTypes
import ObjectContexts

extension ConflictScript {
  // MARK: Inserts

  /// Saves a new `Group` with the code of a stored `Group`, at times also a second one's alias.
  ///
  /// Codes and aliases are unique. The same save inserts an `Entry` that refers to the new `Group`.
  mutating func insertDuplicate(_ decision: SaveDecision) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(decision), context())
    let (code, alias) = (unique(), unique())
    let first = try add("Group", ["code": code, "title": "old", "size": 1], other).id
    let second = try add("Group", ["code": unique(), "alias": alias, "size": 2], other).id
    try add("Entry", ["owner": .init(referringTo: second), "label": unique()], other)
    try add("Entry", ["backup": .init(referringTo: second), "label": unique()], other)
    try other.save()
    try reference.prepare()
    let hasTwo = seed.draw(2) == 0
    let edits = ["code": code, "title": unique()].merging(hasTwo ? ["alias": alias] : [:]) { $1 }
    let inserted = try mine.insert("Group", edits)
    let pointer = Value(referringTo: inserted.id)
    let entry = try mine.insert("Entry", ["owner": pointer, "backup": pointer])
    // A closure that answers with these values sets them in the stored group, although the answer
    // contains a code that no group has.
    let answer = ["code": unique(), "size": 5]
    let stored = reference[first]
    let result = save(mine, decision) { _ in decision.resolution(answer) }
    let what = "an insert of \(hasTwo ? "two duplicates" : "a duplicate") under \(decision)"
    let row = ["alias": .null, "size": 7].merging(edits) { $1 }
    guard let written = decision.writtenOver(edits, answer, row: row) else {
      return try expect(.duplicate, [inserted.id, first], result.error, mine, what)
    }
    if hasTwo && !written.isEmpty { _ = reference.delete([second]) }
    reference.set(first, written)
    let target = Value(referringTo: first)
    reference.insert(entry.id, ["owner": target, "backup": target])
    try expect(result, decision, what) { conflict in
      conflict.id == inserted.id && conflict.duplicate == first && conflict.stored == stored
        && conflict.original == nil && conflict.uniqueAttributes == ["code"]
        && conflict.edited == row && Set(conflict.setAttributes) == Set(edits.keys)
    }
    expect(try mine.object(inserted.id)?.id == first, "\(what): the object is not replaced")
    try reference.compare(mine, what)
  }

  // MARK: Updates

  /// Saves an update that gives a `Group` the unique code of another `Group`.
  ///
  /// If `decision` is `write`, the conflict closure returns other values for the update. `choice`
  /// selects them: 0 has a free code, 1 the code of a third `Group`, 2 and 3 have no code. Other
  /// decisions do not use `choice`.
  mutating func updateDuplicate(_ decision: SaveDecision, choice: Int) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(decision), context())
    let ids = try addGroups(3, other)
    for id in ids { try add("Entry", ["owner": .init(referringTo: id)], other) }
    try other.save()
    let codes = ids.map { reference[$0]["code"] ?? .null }
    for id in ids { _ = try mine.object(id) }
    try reference.prepare()
    let edits = ["code": codes[1], "title": unique()]
    for (name, value) in edits { try mine.object(ids[0])?.set(value, for: name) }
    let answers: [[String: Value]] = [
      ["code": unique(), "size": 5], ["code": codes[2], "title": "x"], ["title": "y"], [:],
    ]
    let (original, stored) = (reference[ids[0]], reference[ids[1]])
    let result = save(mine, decision) { _ in decision.resolution(answers[choice]) }
    let what = "an update to a duplicate under \(decision), \(answers[choice])"
    switch decision {
    case .policy(.error):
      return try expect(.duplicate, [ids[0], ids[1]], result.error, mine, what)
    case .write where choice < 3:
      if choice == 1 { _ = reference.delete([ids[2]]) }
      reference.set(ids[0], answers[choice])
    case .policy(.storeWins), .keepStored: reference.set(ids[0], ["title": edits["title"] ?? .null])
    case .policy(.rollback), .write: break
    case .policy(.objectWins), .policy(.overwrite), .keepEdited:
      _ = reference.delete([ids[1]])
      reference.set(ids[0], edits)
    }
    try expect(result, decision, what) { conflict in
      conflict.id == ids[0] && conflict.duplicate == ids[1] && conflict.stored == stored
        && conflict.original == original && conflict.uniqueAttributes == ["code"]
        && conflict.edited == original.merging(edits) { $1 }
        && conflict.setAttributes == ["code", "title"]
    }
    try reference.compare(mine, what)
  }

  /// Saves an update with a conflict and a duplicate, under a random policy or conflict closure.
  ///
  /// A closure gives one answer to the conflict and one to the duplicate.
  mutating func answerTwice() throws(HistoryError) {
    let first = seed.pick(SaveDecision.policies + [.keepEdited, .write])
    try answerTwice(first, first.policy == nil ? seed.pick(SaveDecision.closures) : first)
  }

  mutating func answerTwice(_ first: SaveDecision, _ second: SaveDecision) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(first), context())
    let theirs = try add("Group", ["code": unique(), "title": "old", "size": 1], other)
    let duplicate = try add("Group", ["code": unique()], other).id
    try other.save()
    let object = try find(theirs.id, in: mine)
    let base = reference[object.id]
    try set(["size": 2], of: theirs)
    try other.save()
    let code = reference[duplicate]["code"] ?? .null
    let edits = ["code": code, "title": unique()]
    for (name, value) in edits { try object.set(value, for: name) }
    try reference.prepare()
    let (one, two) = (["code": code, "size": 3], ["code": unique(), "size": 4])
    let result = save(mine, first) { conflict in
      conflict.duplicate == nil ? first.resolution(one) : second.resolution(two)
    }
    let what = "a conflict and a duplicate at once under \(first) and \(second)"
    let known = first == .write ? one : edits
    switch second {
    case .policy(.error): return try expect(.conflict, [object.id], result.error, mine, what)
    case .policy(.rollback): break
    case .policy(.storeWins), .keepStored:
      reference.set(object.id, known.filter { $0.key != "code" })
    case .policy, .keepEdited:
      _ = reference.delete([duplicate])
      reference.set(object.id, first == .policy(.overwrite) ? base.merging(edits) { $1 } : known)
    case .write: reference.set(object.id, two)
    }
    if let error = result.error { throw error }
    expect(
      result.conflicts.map(\.duplicate) == (first.policy == nil ? [nil, duplicate] : []),
      "\(what): the closure receives \(result.conflicts)"
    )
    try reference.compare(mine, what)
  }

  /// Saves an edited object under the policy `overwrite`, which also writes an outdated unique code.
  ///
  /// After the context read the object, another context changed the object's code, and gave the old
  /// code to a new object. The policy writes the old code again, and the new object must be deleted.
  mutating func overwriteWithFormerCode() throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(.policy(.overwrite)), context())
    let theirs = try add("Group", ["code": unique(), "title": "old"], other)
    try other.save()
    let object = try find(theirs.id, in: mine)
    let base = reference[object.id]
    try set(["code": unique()], of: theirs)
    try other.save()
    let duplicate = try add("Group", ["code": base["code"] ?? .null], other).id
    try other.save()
    try reference.prepare()
    let title = unique()
    try object.set(title, for: "title")
    try mine.save()
    _ = reference.delete([duplicate])
    reference.set(object.id, base.merging(["title": title]) { $1 })
    try reference.compare(mine, "an overwrite with a code that another object has since")
  }

  // MARK: Several edits

  /// Saves nine updates and six inserts of `Group` objects; one insert duplicates a stored `Group`.
  ///
  /// Before the save, another context has changed one of the nine objects and deleted a second one.
  mutating func writeRuns() throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(.policy(.objectWins)), context())
    var ids: [ObjectID] = []
    for _ in 0..<9 { ids.append(try add("Group", ["code": unique(), "title": "old"], other).id) }
    let duplicate = try add("Group", ["code": unique(), "title": "old"], other).id
    try other.save()
    for id in ids { _ = try mine.object(id) }
    let (changed, gone) = (seed.draw(3), 3 + seed.draw(3))
    if let object = try other.object(ids[changed]) { try set(["size": 2], of: object) }
    try other.save()
    other.delete(ids[gone])
    try other.save()
    _ = reference.delete([ids[gone]])
    try reference.prepare()
    for (place, id) in ids.enumerated() {
      let title = unique()
      try mine.object(id)?.set(title, for: "title")
      if place != gone { reference.set(id, ["title": title]) }
    }
    let code = reference[duplicate]["code"] ?? .null
    for place in 0..<6 {
      if place == 4 {
        _ = try mine.insert("Group", ["code": code, "size": 9])
        reference.set(duplicate, ["code": code, "size": 9])
      } else {
        try add("Group", ["code": unique()], mine)
      }
    }
    try mine.save()
    try reference.compare(mine, "a save of runs")
  }

  /// Inserts a batch whose objects duplicate unique values of stored objects and of each other.
  mutating func insertBatch(_ policy: MergePolicy) throws(HistoryError) {
    reference.start()
    let (file, by, mine) = (reference.store, BatchAuthor("app"), context())
    let (code, alias, new) = (unique(), unique(), unique())
    let first = try add("Group", ["code": code, "title": "old"], mine).id
    let second = try add("Group", ["code": unique(), "alias": alias], mine).id
    try mine.save()
    try reference.prepare()
    let batch: [[String: Value]] = [
      ["code": new, "size": 1], ["code": code, "title": "a"], ["code": code, "size": 3],
      ["code": new, "title": "b"], ["alias": alias, "size": 4],
    ]
    let what = "a batch insert of duplicates under \(policy)"
    let double = ["code": code, "alias": alias]
    for refused in policy == .error ? [batch, [double]] : [[double]] {
      expect(code: .duplicate, of: what) { () throws(HistoryError) in
        try file.batchInsert(into: "Group", refused, by: by, mergePolicy: policy)
      }
    }
    guard policy != .error else { return try reference.compare(mine, what) }
    let result = try file.batchInsert(
      into: "Group",
      batch,
      by: by,
      result: .objectIDs,
      mergePolicy: policy
    )
    let inserted = result.objectIDs.first { $0 != first && $0 != second }
    guard let inserted else { return faults.append("\(what) inserts no object") }
    let writes = policy == .objectWins || policy == .overwrite
    let empty: [String: Value] = ["code": .null, "alias": .null, "title": .null, "size": 7]
    let targets = [inserted, first, first, inserted, second]
    reference.insert(inserted, batch[0])
    for (target, values) in zip(targets, batch).dropFirst() where writes {
      reference.set(target, policy == .overwrite ? empty.merging(values) { $1 } : values)
    }
    expect(result.count == (writes ? 3 : 1), "\(what) reports \(result.count) objects")
    try reference.compare(context(), what)
  }
}

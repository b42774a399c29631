import HistoryStore
import HistoryTypes
import ObjectContexts

extension SaveRuleScript {
  // MARK: References

  /// Moves a reference of an `Entry` away from a `Group` that the same save deletes.
  ///
  /// The function does so with two of the three references.
  mutating func moveReference() throws(HistoryError) {
    for name in ["owner", seed.pick(["backup", "guard"])] {
      reference.start()
      let mine = context()
      let groups = try addGroups(2, mine)
      let entry = try add("Entry", [name: .init(referringTo: groups[0])], mine)
      let part = try add("Part", ["name": unique(), "entry": .init(referringTo: entry.id)], mine)
      try mine.save()
      try reference.prepare()
      try set([name: .init(referringTo: groups[1])], of: entry)
      if seed.draw(2) == 0 { try set(["peer": .init(referringTo: part.id)], of: part) }
      mine.delete(groups[0])
      _ = reference.delete([groups[0]])
      try mine.save()
      try reference.compare(mine, "a save that moves \(name) away from a deleted group")
    }
  }

  /// Deletes a `Group`, and moves one reference away from it and another to it in the same save.
  mutating func referToDeleted() throws(HistoryError) {
    for (from, to) in [seed.pick([("owner", "guard"), ("guard", "owner")]), ("owner", "backup")] {
      reference.start()
      let mine = context()
      let groups = try addGroups(2, mine)
      let entry = try add("Entry", [from: .init(referringTo: groups[0])], mine)
      try mine.save()
      try reference.prepare()
      try entry.set(.init(referringTo: groups[1]), for: from)
      try entry.set(.init(referringTo: groups[0]), for: to)
      mine.delete(groups[0])
      let what = "a save that moves \(from) away from a deleted group, and \(to) to it"
      if to == "backup" {
        try mine.save()
        reference.set(entry.id, [from: .init(referringTo: groups[1]), to: .null])
        _ = reference.delete([groups[0]])
      } else {
        expect(code: .danglingReference, [entry.id], of: what) { () throws(HistoryError) in
          try mine.save()
        }
        mine.rollback()
      }
      try reference.compare(mine, what)
    }
  }

  /// Deletes a `Group`, and sets references to another `Group` in the same save.
  ///
  /// Another context has set these references to the deleted `Group`. If the merge policy keeps the
  /// stored references, the delete rules apply to them.
  mutating func keepReferences(_ policy: MergePolicy) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(policy), context())
    let groups = try addGroups(2, other)
    let (old, new) = (Value(referringTo: groups[0]), Value(referringTo: groups[1]))
    let names = ["owner", "backup"] + (seed.draw(3) == 0 ? ["guard"] : [])
    var theirs: [StoredObject] = []
    for _ in names { theirs.append(try add("Entry", ["label": unique()], other)) }
    let ids = theirs.map(\.id)
    try add("Part", ["name": unique(), "entry": .init(referringTo: ids[0])], other)
    try other.save()
    let (bases, entries) = (
      ids.map { reference[$0] },
      try ids.map { id throws(HistoryError) in try find(id, in: mine) }
    )
    for (name, entry) in zip(names, theirs) { try set([name: old], of: entry) }
    try other.save()
    try reference.prepare()
    for (name, entry) in zip(names, entries) { try entry.set(new, for: name) }
    mine.delete(groups[0])
    let what = "a save under \(policy) that keeps the references \(names) to a deleted group"
    let fails: HistoryError.Code? =
      policy == .error
      ? .conflict
      : names.count == 3 && [.storeWins, .rollback].contains(policy) ? .deleteDenied : nil
    if let fails {
      expect(code: fails, fails == .conflict ? Set(ids) : [ids[2]], of: what) {
        () throws(HistoryError) in try mine.save()
      }
      return try reference.compare(context(), what)
    }
    for (place, id) in ids.enumerated() where policy == .objectWins || policy == .overwrite {
      let edit = [names[place]: new]
      reference.set(id, policy == .overwrite ? bases[place].merging(edit) { $1 } : edit)
    }
    _ = reference.delete([groups[0]])
    try mine.save()
    try reference.compare(mine, what)
  }

  // MARK: Combined changes

  /// Saves an update that gives one `Group` the code of another `Group`, which must be deleted.
  ///
  /// The delete rules of references to the deleted `Group` then change and delete objects that the
  /// same save edits. If `isDenied` is `true`, a reference denies the delete, and the save must fail.
  mutating func combineChanges(isDenied: Bool) throws(HistoryError) {
    reference.start()
    let (mine, other) = (context(seed.pick([.objectWins, .overwrite])), context())
    let groups = try addGroups(3, other)
    let duplicate = Value(referringTo: groups[1])
    let entries = [
      try add("Entry", ["backup": duplicate, "label": unique()], other).id,
      try add("Entry", ["owner": duplicate, "label": unique()], other).id,
      try add("Entry", ["backup": .init(referringTo: groups[2])], other).id,
      try add("Entry", [isDenied ? "guard" : "backup": duplicate], other).id,
    ]
    let part = ["name": unique(), "entry": .init(referringTo: entries[1])]
    let parts = [try add("Part", part, other).id]
    let peer = ["name": unique(), "peer": .init(referringTo: parts[0])]
    try add("Part", peer, other)
    try other.save()
    try reference.prepare()
    let before = reference
    try editCombined(groups, entries, parts, mine)
    let deletesOther = seed.draw(2) == 0
    if deletesOther { mine.delete(groups[2]) }
    let what = "a save that removes a duplicate\(deletesOther ? " and deletes a group" : "")"
    if isDenied {
      expect(code: .deleteDenied, [entries[3]], of: what) { () throws(HistoryError) in
        try mine.save()
      }
      mine.rollback()
      reference = before
    } else {
      _ = reference.delete(deletesOther ? [groups[1], groups[2]] : [groups[1]])
      if seed.draw(2) == 0 { try mine.save() } else { try mine.save { _ in .keepEdited } }
    }
    try reference.compare(mine, what)
  }

  /// Gives the first `Group` the code of the second; edits and inserts `Entry` and `Part` objects.
  private mutating func editCombined(
    _ groups: [ObjectID],
    _ entries: [ObjectID],
    _ parts: [ObjectID],
    _ mine: ObjectContext
  ) throws(HistoryError) {
    let duplicate = Value(referringTo: groups[1])
    try set(["code": reference[groups[1]]["code"] ?? .null], of: find(groups[0], in: mine))
    for id in entries.prefix(3) { try set(["label": unique()], of: find(id, in: mine)) }
    for id in parts { try set(["name": unique()], of: find(id, in: mine)) }
    try set(["backup": duplicate], of: find(entries[2], in: mine))
    try add("Entry", ["owner": duplicate], mine)
    try add("Entry", ["owner": .init(referringTo: groups[0]), "backup": duplicate], mine)
    try add("Part", ["name": unique(), "entry": .init(referringTo: entries[1])], mine)
  }

  // MARK: Other writes

  /// Updates 260 objects in each of two saves; a store writes at most 256 similar updates at once.
  func updateLongRuns(_ path: String) throws(HistoryError) {
    let model = try model([Entity("Row", [Attribute("number", .int)])])
    let file = try Store(path: path, model: model, configuration: configuration())
    let count: Int64 = 260
    let rows = (0..<count).map { ["number": Value.int($0)] }
    try file.batchInsert(into: "Row", rows, by: BatchAuthor("app"))
    let mine = ObjectContext.retaining(file, author: "app", name: "view")
    let objects = try mine.objects("Row")
    for round in 1...2 {
      for (place, object) in objects.enumerated() {
        try object.set(.int(Int64(round) * count + Int64(place)), for: "number")
      }
      let transaction = try mine.save()
      expect(
        transaction?.count == objects.count,
        "a long run changes \(transaction?.count ?? 0) rows"
      )
      let first = Int64(round) * count
      let last = first + count - 1
      let found = try ObjectContext(store: file).count(
        "Row",
        where: .between("number", .int(first), .int(last))
      )
      expect(found == objects.count, "\(found) rows of a long run have their new values")
    }
  }

  /// Deletes a `Group` in a program whose older model lacks entities that refer to `Group`.
  ///
  /// The delete rules of the references, which a newer program's model declares, must apply anyway.
  mutating func deleteForNewerProgram(_ path: String) throws(HistoryError) {
    let added = [
      Entity(
        "Extra",
        [
          Attribute("word", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("group", to: "Group", deleteRule: .cascade),
        ]
      ),
      Entity("Loose", [Attribute("group", to: "Group"), Attribute("other", to: "Group")]),
    ]
    let model = try model(SaveReference.entities + added, version: 2)
    let old = reference.store
    let new = try Store(path: path, model: model, configuration: configuration())
    reference = SaveReference(new, copying: reference)
    let other = context()
    let groups = try addGroups(2, other)
    let pointers = groups.map { Value(referringTo: $0) }
    for pointer in pointers { try add("Extra", ["word": unique(), "group": pointer], other) }
    try add("Loose", ["group": pointers[0], "other": pointers[0]], other)
    try add("Loose", ["group": pointers[0], "other": pointers[1]], other)
    try other.save()
    try reference.prepare()
    let mine = ObjectContext.retaining(old, author: "app", name: "view")
    try find(groups[0], in: mine).delete()
    try mine.save()
    _ = reference.delete([groups[0]])
    try reference.compare(context(), "a delete by a program with an older model")
  }

  /// Makes requests that the store must refuse; they change neither rows nor history.
  mutating func refuse() throws(HistoryError) {
    reference.start()
    try reference.prepare()
    let (file, mine) = (reference.store, context())
    let writer = WriterID(rawValue: 1)
    let missing = ObjectID(entity: 1, key: 1 << 40)
    func save(_ edits: [ObjectEdit]) throws(HistoryError) {
      _ = try file.save(
        SaveRequest(edits: edits, author: nil, contextName: nil, writer: writer, policy: .error)
      )
    }
    expect(code: .unknownEntity, of: "an object ID of a missing entity") {
      () throws(HistoryError) in _ = try file.makeObjectID("None")
    }
    expect(code: .unknownEntity, of: "an insert into a missing entity") {
      () throws(HistoryError) in
      try save([ObjectEdit(.insert, ObjectID(entity: 9, key: 1), values: [])])
    }
    expect(code: .unknownAttribute, of: "an update of a missing attribute") {
      () throws(HistoryError) in
      try save([ObjectEdit(.update, missing, columns: 1 << 20, values: [1])])
    }
    expect(code: .missingValue, of: "an insert without a required value") {
      () throws(HistoryError) in
      try mine.insert("Part", ["entry": .null])
      try mine.save()
    }
    mine.rollback()
    try reference.compare(mine, "refused saves")
    refuseBatches()
    try reference.compare(mine, "refused batches")
  }

  private func refuseBatches() {
    let (file, by) = (reference.store, BatchAuthor("app"))
    for policy in [MergePolicy.error, .objectWins] {
      expect(code: .unknownAttribute, of: "a batch insert of a missing attribute") {
        () throws(HistoryError) in
        try file.batchInsert(into: "Part", [["none": 1]], by: by, mergePolicy: policy)
      }
      expect(code: .unknownEntity, of: "a batch insert into a missing entity") {
        () throws(HistoryError) in
        try file.batchInsert(into: "None", [["name": "x"]], by: by, mergePolicy: policy)
      }
    }
    for (value, place, code) in [
      (Value.int(1), 0, HistoryError.Code.unfitValue), ("x", 64, .unknownAttribute),
    ] {
      expect(code: code, of: "a row with \(value) at \(place)") { () throws(HistoryError) in
        var isFirst = true
        try file.batchInsert(into: "Part", by: by) { row in
          defer { isFirst = false }
          if isFirst { row.set("x", at: 0) }
          row.set(value, at: place)
          return isFirst
        }
      }
    }
  }
}

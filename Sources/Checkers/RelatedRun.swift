import HistoryTypes
import Traces

/// A write to a model with relations, while it is applied to the reference model.
struct RelatedRun {
  var model: ReferenceModel
  let write: RelatedWrite
  var net = NetChanges(capacity: 4)
  /// The objects that the write deletes, directly or through delete rules.
  var gone: Set<ObjectName> = []
  /// The inserts that the write leaves out, because a cascade would delete their objects.
  private var leftOut: Set<ObjectName> = []
  /// The references that the delete rule `nullify` has set to null, by the object that contains them.
  var released: [ObjectName: Set<String>] = [:]
  /// For each inserted duplicate, by its name, the stored object that is kept in its place.
  var aliases: [ObjectName: ObjectName] = [:]
  /// Whether a delete rule was not applied to a reference, because an edit changes the reference.
  ///
  /// If the merge policy then keeps the old reference, the rule is applied after the edits.
  var leavesReferences = false
  /// Whether a write with the policy `error` edits an object that another writer changed.
  var hasConflict = false

  init(_ model: ReferenceModel, _ write: RelatedWrite) {
    self.model = model
    self.write = write
  }

  /// Applies the write; returns the reason if the store must refuse it.
  mutating func perform() -> Refusal? {
    if let refusal = deleteEdited() { return refusal }
    leaveOutInserts()
    var postponed: [PlannedChange] = []
    for edit in write.edits where edit.type != .delete {
      guard let adjusted = adjust(edit) else { continue }
      switch put(adjusted) {
      case .refused(let refusal): return refusal
      case .duplicates: postponed.append(adjusted)
      case .done: break
      }
    }
    if let refusal = resolve(postponed) { return refusal }
    if hasConflict { return .conflict }
    if leavesReferences, let refusal = applyRules(to: gone.sorted(), isLast: true) {
      return refusal
    }
    return hasDangling ? .dangling : nil
  }

  /// Applies the changes one by one, as statements of plain SQL.
  ///
  /// Unique and required values are checked by each statement, and references at the commit. An
  /// object that the write has deleted is not inserted again. A reference dangles if it is set
  /// before the insert of the object to which it refers, or by that insert itself, because the key
  /// is not known yet. A later edit can correct the reference.
  mutating func performInOrder() -> Refusal? {
    var early: [ObjectName: Set<String>] = [:]
    for edit in write.edits {
      switch (edit.type, model.objects[edit.object] != nil) {
      case (.insert, false) where !gone.contains(edit.object),
        (.update, true) where !edit.values.isEmpty:
        switch put(edit) {
        case .refused(let refusal): return refusal
        case .duplicates: return .duplicate
        case .done: break
        }
        for (attribute, reference) in model.references(of: edit.object.entity) {
          guard let value = edit.values[attribute.name] else { continue }
          let other = value.int.map { ObjectName(reference.entity, $0) }
          let isOwn = edit.type == .insert && other == edit.object
          if let other, isOwn || model.objects[other] == nil {
            early[edit.object, default: []].insert(attribute.name)
          } else {
            early[edit.object]?.remove(attribute.name)
          }
        }
      case (.delete, true):
        model.delete(edit.object, &net)
        gone.insert(edit.object)
        early[edit.object] = nil
      default: break
      }
    }
    return hasDangling || early.values.contains { !$0.isEmpty } ? .dangling : nil
  }

  // MARK: Deletes

  private mutating func deleteEdited() -> Refusal? {
    var deleted: [ObjectName] = []
    for edit in write.edits where edit.type == .delete {
      if write.conflicts[edit.object] != nil {
        switch write.policy {
        case .error: return .conflict
        case .storeWins, .rollback: continue
        case .objectWins, .overwrite: break
        }
      }
      deleted.append(edit.object)
    }
    for object in deleted { model.delete(object, &net) }
    let before = Set(model.objects.keys)
    let refusal = applyRules(to: deleted)
    gone = before.subtracting(model.objects.keys).union(deleted)
    return refusal
  }

  /// Applies the delete rules of all references to the objects in `deleted`.
  ///
  /// If a rule deletes further objects, the rules of the references to those are applied too. The
  /// rules may skip a reference that an insert or update of the write sets. If `isLast` is `false`,
  /// the inserts and updates are applied later: the reference is skipped if its new value is null, or
  /// an object that is not in `deleted`. If `isLast` is `true`, the inserts and updates were applied
  /// before: the reference is skipped if it has the new value, but not if the merge policy kept the
  /// old value.
  private mutating func applyRules(
    to deleted: [ObjectName],
    isLast: Bool = false
  ) -> Refusal? {
    var queue = deleted
    var denying: [ObjectName] = []
    var nullified: [(ObjectName, String)] = []
    while !queue.isEmpty {
      let object = queue.removeFirst()
      for (other, attribute, rule) in referring(to: object)
      where model.objects[other] != nil {
        if changes(attribute, of: other, isLast ? nil : deleted) {
          leavesReferences = true
          continue
        }
        switch rule {
        case .deny: denying.append(other)
        case .cascade:
          model.delete(other, &net)
          queue.append(other)
        case .nullify: nullified.append((other, attribute))
        }
      }
    }
    for (object, attribute) in nullified where model.objects[object] != nil {
      model.update(object, [attribute: .null], &net)
      released[object, default: []].insert(attribute)
    }
    return denying.contains { model.objects[$0] != nil } ? .denied : nil
  }

  /// Returns whether the delete rules skip a reference, because the write itself sets it.
  ///
  /// Callers ask this before and after the write's inserts and updates are applied:
  ///
  /// - Before, `deleted` contains the deleted objects. The reference is skipped if an insert or
  ///   update sets it to null, or to an object that is not in `deleted`.
  /// - After, `deleted` is `nil`. The reference is skipped if it has the value that an insert or
  ///   update sets.
  private func changes(
    _ attribute: String,
    of object: ObjectName,
    _ deleted: [ObjectName]?
  ) -> Bool {
    let edit = write.edits.first { $0.type != .delete && $0.object == object }
    guard let value = edit?.values[attribute] else { return false }
    guard let deleted else { return model.objects[object]?[attribute] == value }
    let reference = model.references(of: object.entity).first { $0.attribute.name == attribute }
    guard let key = value.int, let destination = reference?.reference.entity else { return true }
    return !deleted.contains(ObjectName(destination, key))
  }

  /// Returns the objects that refer to an object, each with the referring attribute and its rule.
  private func referring(to object: ObjectName) -> [(ObjectName, String, DeleteRule)] {
    var found: [(ObjectName, String, DeleteRule)] = []
    for entity in model.model.entities {
      for (attribute, reference) in model.references(of: entity.name)
      where reference.entity == object.entity {
        for (other, values) in model.objects
        where other.entity == entity.name && values[attribute.name] == .int(object.key) {
          found.append((other, attribute.name, reference.deleteRule))
        }
      }
    }
    return found
  }

  // MARK: Inserts and updates

  /// Finds the inserts to leave out, because a cascade would delete their objects.
  ///
  /// Such an insert has a reference with the delete rule `cascade` to a deleted object, or to the
  /// object of another such insert.
  private mutating func leaveOutInserts() {
    let inserts = write.edits.filter { $0.type == .insert }
    var count = -1
    while count != leftOut.count {
      count = leftOut.count
      for edit in inserts {
        let isBelow = model.references(of: edit.object.entity).contains { attribute, reference in
          reference.deleteRule == .cascade && isGone(edit.values[attribute.name], reference)
        }
        if isBelow { leftOut.insert(edit.object) }
      }
    }
  }

  /// Applies the delete rules to the references of an insert or update, and returns the resulting edit.
  ///
  /// The result is `nil` if the rules delete the object or, for an insert, prevent the insert.
  private func adjust(_ edit: PlannedChange) -> PlannedChange? {
    let missing = edit.type == .insert ? leftOut : gone
    guard !missing.contains(edit.object) else { return nil }
    var adjusted = edit
    for (attribute, reference) in model.references(of: edit.object.entity)
    where isGone(edit.values[attribute.name], reference) {
      switch reference.deleteRule {
      case .nullify: adjusted.values[attribute.name] = .null
      case .cascade, .deny: break
      }
    }
    return adjusted
  }

  private func isGone(_ value: Value?, _ reference: Reference) -> Bool {
    guard let key = value?.int else { return false }
    let object = ObjectName(reference.entity, key)
    return leftOut.contains(object)
      || gone.contains(object) && model.objects[object] == nil
        && !write.edits.contains { $0.type == .insert && $0.object == object }
  }

  /// The result of one insert or update.
  private enum Put {
    case done
    /// Another object has the same unique values.
    case duplicates
    case refused(Refusal)
  }

  private mutating func put(_ edit: PlannedChange, except kept: Set<String> = []) -> Put {
    guard edit.type == .update else { return insert(edit) }
    guard !lacksRequired(edit.values, of: edit.object.entity) else { return .refused(.missing) }
    guard var values = allowed(edit) else { return .done }
    values = values.filter { !kept.contains($0.key) }
    guard !values.isEmpty else { return .done }
    guard !lacksRequired(values, of: edit.object.entity) else { return .refused(.missing) }
    let row = (model.objects[edit.object] ?? [:]).merging(values) { $1 }
    guard duplicates(of: edit.object, row).isEmpty else { return .duplicates }
    model.update(edit.object, values, &net)
    return .done
  }

  private mutating func insert(_ edit: PlannedChange) -> Put {
    let names = model.model.entities.first { $0.name == edit.object.entity }?.attributes ?? []
    let given = Dictionary(uniqueKeysWithValues: names.map { ($0.name, Value.null) })
      .merging(edit.values) { $1 }
    guard !lacksRequired(given, of: edit.object.entity) else { return .refused(.missing) }
    guard duplicates(of: edit.object, edit.values).isEmpty else { return .duplicates }
    model.insert(edit, &net)
    return .done
  }

  /// Returns the values that an update may set under the merge policy; `nil` if there are none.
  private mutating func allowed(_ edit: PlannedChange) -> Values? {
    guard let seen = write.conflicts[edit.object] else { return edit.values }
    let stored = model.objects[edit.object] ?? [:]
    let nulls = released[edit.object] ?? []
    switch write.policy {
    case .objectWins: return edit.values
    case .rollback: return nil
    case .error:
      hasConflict = true
      return nil
    case .storeWins:
      // A reference that a rule of this write has made null was not changed by another writer.
      let free = edit.values.filter { name, _ in
        nulls.contains(name)
          ? wasSame(name, edit.object, seen)
          : (stored[name] ?? .null).isSame(as: seen[name] ?? .null)
      }
      return free.isEmpty ? nil : free
    case .overwrite: return whole(edit, seen)
    }
  }

  /// Returns whether an attribute had, before the write, the value that the context had read.
  private func wasSame(_ name: String, _ object: ObjectName, _ seen: Values) -> Bool {
    let before = net.entries.first { $0.object == object }?.before?[name] ?? .null
    return before.isSame(as: seen[name] ?? .null)
  }

  /// Returns the values that an update of a conflicting object writes under the policy `overwrite`.
  ///
  /// These are values of all attributes. An attribute that the update does not set gets the value
  /// that the context has read. If that value is a reference to an object that the write deletes,
  /// the attribute gets null.
  private func whole(_ edit: PlannedChange, _ seen: Values) -> Values {
    let entity = model.model.entities.first { $0.name == edit.object.entity }
    var whole: Values = [:]
    for attribute in entity?.attributes ?? [] {
      var value = seen[attribute.name] ?? .null
      if let reference = attribute.reference, isGone(value, reference) { value = .null }
      whole[attribute.name] = edit.values[attribute.name] ?? value
    }
    return whole
  }

  private func lacksRequired(_ values: Values, of entity: String) -> Bool {
    let attributes = model.model.entities.first { $0.name == entity }?.attributes ?? []
    return attributes.contains { !$0.isOptional && values[$0.name] == .null }
  }

  // MARK: Duplicates

  /// Returns the objects that have the same unique values as a row, one for each violated constraint.
  private func duplicates(
    of object: ObjectName,
    _ row: Values
  ) -> [(object: ObjectName, attributes: [String])] {
    let entity = model.model.entities.first { $0.name == object.entity }
    return (entity?.uniquenessConstraints ?? []).compactMap { attributes in
      let wanted = attributes.map { row[$0] ?? .null }
      guard !wanted.contains(.null) else { return nil }
      let other = model.objects.first { other, values in
        other.entity == object.entity && other != object
          && zip(attributes, wanted).allSatisfy { (values[$0] ?? .null).isSame(as: $1) }
      }
      return other.map { ($0.key, attributes) }
    }
  }

  /// Applies the edits that were postponed because they would create duplicates.
  ///
  /// All other edits have been applied before. Remaining duplicates are resolved by the merge
  /// policy. Returns the reason if the store must refuse the write.
  private mutating func resolve(_ postponed: [PlannedChange]) -> Refusal? {
    var left: [PlannedChange] = []
    for edit in postponed {
      switch put(edit) {
      case .refused(let refusal): return refusal
      case .duplicates: left.append(edit)
      case .done: break
      }
    }
    var written = Set(write.objects)
    var removed: [ObjectName] = []
    for edit in left {
      let values = edit.type == .update ? allowed(edit) ?? [:] : edit.values
      let row = (model.objects[edit.object] ?? [:]).merging(values) { $1 }
      let found = duplicates(of: edit.object, row)
      let objects = found.map(\.object)
      guard !objects.isEmpty else {
        // An edit that was resolved earlier has removed the duplicate.
        if case .refused(let refusal) = put(edit) { return refusal }
        continue
      }
      guard write.policy != .error, written.isDisjoint(with: objects) else { return .duplicate }
      let wins = write.policy == .objectWins || write.policy == .overwrite
      if wins { written.formUnion(objects) }
      switch (edit.type, wins) {
      case (.insert, true):
        let others = Set(objects).subtracting([objects[0]]).sorted()
        for other in others { model.delete(other, &net) }
        removed += others
        aliases[edit.object] = objects[0]
        write(edit, over: objects[0])
      case (.insert, false): aliases[edit.object] = objects[0]
      case (_, true):
        for other in Set(objects).sorted() { model.delete(other, &net) }
        removed += Set(objects).sorted()
        if case .refused(let refusal) = put(edit) { return refusal }
      case (_, false) where write.policy == .storeWins:
        let kept = Set(found.flatMap(\.attributes))
        if case .refused(let refusal) = put(edit, except: kept) { return refusal }
      case (_, false): break
      }
    }
    follow()
    return applyRules(to: removed)
  }

  /// Writes the values of an inserted duplicate to the stored object that is kept in its place.
  private mutating func write(_ edit: PlannedChange, over object: ObjectName) {
    let entity = model.model.entities.first { $0.name == object.entity }
    var values = edit.values
    if write.policy == .overwrite || values.isEmpty {
      for attribute in entity?.attributes ?? [] where values[attribute.name] == nil {
        values[attribute.name] = .null
      }
    }
    model.update(object, values, &net)
  }

  /// Makes references to dropped duplicates refer to the stored objects that stay in their place.
  private mutating func follow() {
    for object in model.objects.keys.sorted() where !aliases.isEmpty {
      for (attribute, reference) in model.references(of: object.entity) {
        guard let key = model.objects[object]?[attribute.name]?.int,
          let other = aliases[ObjectName(reference.entity, key)]
        else { continue }
        model.update(object, [attribute.name: .int(other.key)], &net)
      }
    }
  }

  // MARK: References

  private var hasDangling: Bool {
    model.objects.contains { object, values in
      model.references(of: object.entity).contains { attribute, reference in
        guard let key = values[attribute.name]?.int else { return false }
        return model.objects[ObjectName(reference.entity, key)] == nil
      }
    }
  }
}

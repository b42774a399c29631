import HistoryTypes
import SQLiteStorage

/// An edit of a save, adjusted to the effects of delete rules in the same save.
struct AdjustedEdit {
  /// The index of the edit in ``SaveRequest/edits``.
  let index: Int
  var edit: ObjectEdit
  /// A bitmap of the references that delete rules set to null, by attribute number in the file.
  var nullified: UInt64 = 0
  /// Whether the edit sets null instead of a reference to an object that the same save deletes.
  var isReleased = false

  init(_ index: Int, _ edit: ObjectEdit) {
    (self.index, self.edit) = (index, edit)
  }

  /// Returns the outcome to report for the edit, given the effects of delete rules on its object.
  ///
  /// If no rule affected the object or its edit, this is `outcome`. Otherwise the row differs from
  /// the context's state, so `written` becomes `writtenOver`. If the merge policy or the app's
  /// conflict closure discarded the edit (`leftOut`), this method adds to `packer` an update of the
  /// references that the rules set to null, if any.
  func finished(_ outcome: EditOutcome, _ packer: inout ChangePacker) -> EditOutcome {
    guard nullified != 0 || isReleased else { return outcome }
    switch outcome {
    case .leftOut:
      if nullified != 0 { packer.update(edit.id.entity, edit.id.key, nullified) }
      return .leftOut
    case .written: return .writtenOver(columns: edit.columns)
    case .writtenOver, .gone, .replaced: return outcome
    }
  }
}

extension StoreCore {
  /// Applies the deletes of a save, then delete rules, then the inserts and updates.
  ///
  /// Edits that violate a uniqueness constraint are passed to `postpone`.
  ///
  /// - Returns: The outcome of each edit, in the order of the request, and the effects of the rules.
  func applyWithRules(
    _ request: SaveRequest,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling,
    postponing postpone: (AdjustedEdit) -> Void
  ) throws -> ([EditOutcome], RuleEffects) {
    var outcomes = Array(repeating: EditOutcome.gone, count: request.edits.count)
    var deleted: [ObjectID] = []
    for (index, edit) in request.edits.enumerated() where edit.type == .delete {
      outcomes[index] = try delete(edit, number, &packer, &conflicts)
      if outcomes[index] != .leftOut, outcomes[index] != .gone { deleted.append(edit.id) }
    }
    guard conflicts.unresolved.isEmpty else { return (outcomes, RuleEffects(deleted: [])) }
    let updates = request.edits.filter { $0.type == .update }
    let effects = try applyDeleteRules(
      to: deleted,
      number,
      &packer,
      except: Set(updates.map(\.id)),
      changed: references(of: updates.map { ($0, $0.columns) }, except: Set(deleted)),
      deniesAll: request.deniesReferences
    )
    let gone = try withLeftOutInserts(request.edits, effects.gone)
    for (index, edit) in request.edits.enumerated()
    where edit.type != .delete && !gone.contains(edit.id) {
      let writesBase = request.policy == .overwrite || conflicts.closure != nil
      let adjusted = try adjust(
        edit,
        index,
        to: effects,
        gone: gone,
        number,
        writesBase: writesBase
      )
      do {
        outcomes[index] = try apply(adjusted, number, &packer, &conflicts)
      } catch let error as SQLiteError where error.isDuplicate {
        outcomes[index] = .leftOut
        postpone(adjusted)
      }
    }
    return (outcomes, effects)
  }

  /// Applies delete rules to references that an edit should have changed, but that the merge policy kept.
  func applyRulesToKeptReferences(
    _ edits: [ObjectEdit],
    _ outcomes: [EditOutcome],
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ effects: inout RuleEffects
  ) throws {
    var written: [(edit: ObjectEdit, columns: UInt64)] = []
    for (edit, outcome) in zip(edits, outcomes) where edit.type != .delete {
      switch outcome {
      case .written: written.append((edit, edit.type == .insert ? .max : edit.columns))
      case .writtenOver(let columns): written.append((edit, columns & edit.columns))
      case .leftOut, .gone, .replaced: continue
      }
    }
    let changed = try references(of: written, except: [])
    let kept = try applyDeleteRules(to: effects.gone.sorted(), number, &packer, changed: changed)
    effects.formUnion(kept)
    packer.combine()
  }

  /// Returns a save's deleted objects, and the objects whose inserts are left out because of them.
  ///
  /// An insert is left out if the inserted object has a reference with the rule
  /// ``DeleteRule/cascade`` to a deleted object, or to an object whose insert is left out.
  private func withLeftOutInserts(
    _ edits: [ObjectEdit],
    _ deleted: Set<ObjectID>
  ) throws -> Set<ObjectID> {
    guard !deleted.isEmpty else { return deleted }
    var referring: [ObjectID: [ObjectID]] = [:]
    for edit in edits where edit.type == .insert {
      for (attribute, value) in zip(try table(edit.id.entity).entity.attributes, edit.values) {
        guard let reference = attribute.reference, reference.deleteRule == .cascade,
          let destination = model.number(of: reference.entity), case .int(let key) = value
        else { continue }
        referring[ObjectID(entity: destination, key: key), default: []].append(edit.id)
      }
    }
    var gone = deleted
    var next = referring.keys.filter(deleted.contains)
    while let id = next.popLast() {
      for insert in referring[id] ?? [] where gone.insert(insert).inserted { next.append(insert) }
    }
    return gone
  }

  /// Returns the references that edits set, among the columns given with each edit.
  ///
  /// A reference that an edit sets to an object in `deleted` is left out.
  private func references(
    of updates: [(edit: ObjectEdit, columns: UInt64)],
    except deleted: Set<ObjectID>
  ) throws -> ChangedReferences {
    var changed: ChangedReferences = [:]
    for (edit, columns) in updates where columns != 0 {
      let table = try table(edit.id.entity)
      let attributes = table.entity.attributes
      var found: UInt64 = 0
      let set = attributes.indices.filter(edit.sets)
      for (index, value) in zip(set, edit.values) where columns >> UInt64(index) & 1 == 1 {
        guard let reference = attributes[index].reference,
          let destination = model.number(of: reference.entity)
        else { continue }
        if case .int(let key) = value, deleted.contains(ObjectID(entity: destination, key: key)) {
          continue
        }
        found |= 1 << UInt64(index)
      }
      if found != 0 { changed[edit.id] = table.numbers(of: found) }
    }
    return changed
  }

  /// Writes an insert or update, and adds it to the changes in `packer` as one change.
  ///
  /// The change contains both the edit and the effects of delete rules on the object.
  func apply(
    _ adjusted: AdjustedEdit,
    _ number: Int64,
    _ packer: inout ChangePacker,
    _ conflicts: inout ConflictHandling
  ) throws -> EditOutcome {
    let outcome =
      adjusted.edit.type == .update
      ? try update(
        adjusted.edit,
        number,
        &packer,
        &conflicts,
        alsoChanged: adjusted.nullified
      ) : try apply(adjusted.edit, number, &packer, &conflicts)
    return adjusted.finished(outcome, &packer)
  }

  /// Adjusts an insert or update to the effects of delete rules in the same save.
  ///
  /// A reference with the rule ``DeleteRule/deny`` stays in the edit, so that the write fails.
  ///
  /// `gone` contains the objects that the save deletes, and those that it does not insert because a
  /// delete would cascade to them. It does not contain the object of the edit.
  private func adjust(
    _ edit: ObjectEdit,
    _ index: Int,
    to effects: RuleEffects,
    gone: Set<ObjectID>,
    _ number: Int64,
    writesBase: Bool
  ) throws -> AdjustedEdit {
    var adjusted = AdjustedEdit(index, edit)
    if let change = effects.nullified(edit.id) {
      adjusted.nullified = change.columns
      // A delete rule wrote the row in this save, which is not a conflict.
      if edit.version == change.version { adjusted.edit.version = number }
    }
    let table = try table(edit.id.entity)
    let attributes = table.entity.attributes
    let set = attributes.indices.filter(edit.sets)
    for (index, attribute) in attributes.enumerated() {
      guard let reference = attribute.reference,
        let destination = model.number(of: reference.entity)
      else { continue }
      func isGone(_ value: Value) -> Bool {
        guard case .int(let key) = value else { return false }
        return gone.contains(ObjectID(entity: destination, key: key))
      }
      // The policy `overwrite` also writes the values that the context has read, and so may a closure.
      // The other policies compare these values with the row, whose reference a rule or another writer
      // made null.
      let isNullified = adjusted.nullified & table.numbers(of: 1 << UInt64(index)) != 0
      if writesBase || isNullified, edit.base.indices.contains(index),
        isGone(edit.base[index])
      {
        adjusted.edit.base[index] = .null
      }
      guard let place = set.firstIndex(of: index), isGone(edit.values[place]) else { continue }
      switch reference.deleteRule {
      case .nullify:
        adjusted.edit.values[place] = .null
        adjusted.isReleased = true
      case .cascade, .deny: continue
      }
    }
    return adjusted
  }
}

import HistoryTypes
import Traces

/// The reason for which a store must refuse a write to a model with relations.
package enum Refusal: String, Hashable, Sendable, CaseIterable {
  /// An object of the write has changed since its context read it.
  case conflict
  /// An object that stays refers to a deleted one by a reference with the rule `deny`.
  case denied
  /// Two objects would have the same unique values.
  case duplicate
  /// An object would refer to an object that does not exist.
  case dangling
  /// A required attribute would have no value.
  case missing

  /// The refusal that a failure reports; `nil` if the failure has another reason.
  init?(_ failure: SystemFailure) { self.init(rawValue: failure.code.rawValue) }
}

/// The effect of a write to a model with relations: the net changes, or the reason of the refusal.
struct WriteEffect: Sendable {
  var net: [NetChange] = []
  var refusal: Refusal?
  /// The objects that stay in the place of inserted ones with the same unique values.
  var replacements: [ObjectName] = []
}

/// A write to a model with references or unique attributes, as the plan asks for it.
struct RelatedWrite: Sendable {
  /// The edits, at most one for each object, in the order of their first change.
  var edits: [PlannedChange]
  /// The merge policy, also for objects with the same unique values.
  var policy: PlannedPolicy
  /// The values that the context has read of objects which another writer has changed since.
  var conflicts: [ObjectName: Values] = [:]
  /// Whether a batch request sets a required attribute to null; it is refused even without matches.
  var setsRequiredToNull = false

  /// Combines the changes of a save to one edit for each object, as a context does.
  ///
  /// Inserts of existing objects, and changes of missing ones, are skipped.
  init(_ changes: [PlannedChange], _ policy: PlannedPolicy, on model: ReferenceModel) {
    self.policy = policy
    edits = []
    for change in changes {
      let place = edits.lastIndex { $0.object == change.object }
      let pending = place.map { edits[$0].type }
      let isThere = pending.map { $0 != .delete } ?? (model.objects[change.object] != nil)
      guard isThere == (change.type != .insert) else { continue }
      switch (change.type, place, pending) {
      case (.update, let place?, _): edits[place].values.merge(change.values) { $1 }
      case (.delete, let place?, .insert): edits.remove(at: place)
      case (.delete, let place?, _): edits[place] = change
      default: edits.append(change)
      }
    }
  }

  /// Creates the write of a batch request, which meets no conflict and refuses duplicates.
  init(_ batch: PlannedBatch, on model: ReferenceModel) {
    policy = .error
    edits = model.matches(batch).map { PlannedChange(batch.type, $0, batch.values) }
    let attributes = model.model.entities.first { $0.name == batch.entity }?.attributes ?? []
    setsRequiredToNull = attributes.contains { !$0.isOptional && batch.values[$0.name] == .null }
  }

  /// The objects that the write edits.
  var objects: [ObjectName] { edits.map(\.object) }
}

extension ReferenceModel {
  /// Applies a write with delete rules, unique values and references that must exist.
  ///
  /// Deletes, and the rules for references to deleted objects, come before the other edits;
  /// duplicates are resolved last, by the merge policy. A refused write changes nothing.
  ///
  /// - Complexity: linear in the objects for each deleted object.
  mutating func apply(_ write: RelatedWrite) -> WriteEffect {
    if write.setsRequiredToNull { return WriteEffect(refusal: .missing) }
    var run = RelatedRun(self, write)
    if let refusal = run.perform() { return WriteEffect(refusal: refusal) }
    self = run.model
    return WriteEffect(net: finished(run.net), replacements: run.aliases.values.sorted())
  }

  /// The attributes of an entity that refer to objects.
  func references(of entity: String) -> [(attribute: Attribute, reference: Reference)] {
    let attributes = model.entities.first { $0.name == entity }?.attributes ?? []
    return attributes.compactMap { attribute in attribute.reference.map { (attribute, $0) } }
  }
}

import HistoryTypes
import Traces

/// The reason why a store must refuse a write to a model with relations.
package enum Refusal: String, Hashable, Sendable, CaseIterable {
  /// Another writer has changed an object since the write's context read it.
  case conflict
  /// An object that remains refers to a deleted one, by a reference with the delete rule `deny`.
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

/// The effect of a write to a model with relations: the net changes, or the reason of a refusal.
struct WriteEffect: Sendable {
  var net: [NetChange] = []
  var refusal: Refusal?
  /// The stored objects that stay in place of inserted duplicates with the same unique values.
  var replacements: [ObjectName] = []
}

/// A planned write to a model with references or unique attributes.
struct RelatedWrite: Sendable {
  /// The edits, in the order in which the write first changes the objects.
  ///
  /// Each object has one edit, or a delete and an insert. For a write with plain SQL, the array
  /// contains every change of the write instead.
  var edits: [PlannedChange]
  /// The merge policy, for conflicts and for objects with the same unique values.
  var policy: PlannedPolicy
  /// For each object that another writer has changed since the write's context read the object, the
  /// values that the context read.
  var conflicts: [ObjectName: Values] = [:]
  /// Whether a batch request sets a required attribute to null.
  ///
  /// The store must refuse such a request even if no object matches it.
  var setsRequiredToNull = false
  /// Whether a program without the library makes the changes with plain SQL.
  ///
  /// The changes are then applied in their order, and no delete rule applies.
  var isPlainSQL = false

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

  /// Creates the write of a batch request; it has no conflict, and duplicates are refused.
  init(_ batch: PlannedBatch, on model: ReferenceModel) {
    policy = .error
    edits = model.matches(batch).map { PlannedChange(batch.type, $0, batch.values) }
    let attributes = model.model.entities.first { $0.name == batch.entity }?.attributes ?? []
    setsRequiredToNull = attributes.contains { !$0.isOptional && batch.values[$0.name] == .null }
  }

  /// Creates a write that another program makes with plain SQL, without this library.
  init(plainSQL changes: [PlannedChange]) {
    policy = .error
    edits = changes
    isPlainSQL = true
  }

  /// The objects that the write edits.
  var objects: [ObjectName] { edits.map(\.object) }
}

extension ReferenceModel {
  /// Applies a write with delete rules, unique values and references that must exist.
  ///
  /// The deletes are applied first, with the delete rules of references to the deleted objects. Then
  /// the other edits are applied. Duplicates are resolved last, by the merge policy. A write with
  /// plain SQL is applied in its order instead, without delete rules. A refused write changes
  /// nothing.
  ///
  /// - Complexity: linear in the objects for each deleted object.
  mutating func apply(_ write: RelatedWrite) -> WriteEffect {
    if write.setsRequiredToNull { return WriteEffect(refusal: .missing) }
    var run = RelatedRun(self, write)
    let refusal = write.isPlainSQL ? run.performInOrder() : run.perform()
    if let refusal { return WriteEffect(refusal: refusal) }
    self = run.model
    return WriteEffect(net: finished(run.net), replacements: run.aliases.values.sorted())
  }

  /// The attributes of an entity that refer to objects.
  func references(of entity: String) -> [(attribute: Attribute, reference: Reference)] {
    let attributes = model.entities.first { $0.name == entity }?.attributes ?? []
    return attributes.compactMap { attribute in attribute.reference.map { (attribute, $0) } }
  }
}

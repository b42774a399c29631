import HistoryTypes
import Traces

/// A possible state of the data, with the edits that have led to it.
package struct Possibility: Sendable {
  /// The store's data, if this possible state is the true one.
  package private(set) var model: ReferenceModel
  private var log: [(at: Int, edit: Edit)] = []
  /// The states of objects that the actors' views (first contexts) have read.
  ///
  /// The value is `nil` if no merge policy of the plan uses these states.
  private var knownViews: KnownViews?
  /// The actors with the older model, which lacks the attributes that have default values.
  private let olderActors: Set<ActorID>
  /// Whether the model has references or unique values.
  ///
  /// A write may then also change objects that it does not name.
  private let hasRelations: Bool
  /// The reason why the store must refuse the last edit; `nil` if the edit was applied.
  private(set) var refusal: Refusal?
  /// Whether the effect of an edit is unknown.
  ///
  /// This is so if the effect depends on which values an actor's view context has read, and no event
  /// shows them.
  private(set) var isUndecided = false

  init(
    _ model: ReferenceModel,
    tracksViews: Bool = false,
    olderActors: Set<ActorID> = [],
    partialActors: Set<ActorID> = []
  ) {
    self.model = model
    self.olderActors = olderActors
    hasRelations = model.model.hasRelations
    knownViews = tracksViews ? KnownViews(model.model, partial: partialActors) : nil
  }

  /// Applies an edit under its merge policy, and returns the net changes.
  ///
  /// The effect of the policy may depend on what the saving view (an actor's first context) has read.
  /// If the view's reads are unknown, there are two cases. In a model without relations, the changes
  /// of the edit's objects are copied from `reported`, the changes that the system reports. In a
  /// model with relations, ``isUndecided`` is set: the net changes may then be wrong.
  mutating func apply(_ edit: Edit, at position: Int, reported: [CommittedChange]) -> [NetChange] {
    refusal = nil
    if let related = related(edit) {
      return apply(related, of: edit, at: position, reported: reported)
    }
    let resolved = resolve(edit, reported)
    log.append((position, resolved))
    let net = resolved.apply(to: &model)
    let noted = edit.isPlainSQL ? Self.captured(net, reported) : net
    knownViews?.note(noted, at: position, by: edit.viewWriter, model.objects)
    if let view = edit.viewWriter {
      // A save reads again the objects that it updates or deletes. For an insert, the view reads the object
      // only if it has not read it before.
      let edited = edit.editedObjects
      for object in edit.objects {
        if edited.contains(object) {
          knownViews?.see(object, by: view, model.objects)
        } else {
          knownViews?.touch(object, by: view, model.objects)
        }
      }
    }
    return net
  }

  /// Applies a write to a model with relations; a write that the store must refuse changes nothing.
  private mutating func apply(
    _ related: RelatedWrite,
    of edit: Edit,
    at position: Int,
    reported: [CommittedChange]
  ) -> [NetChange] {
    let effect = model.apply(related)
    refusal = effect.refusal
    guard effect.refusal == nil else { return [] }
    log.append((position, .related(related)))
    let view = edit.viewWriter
    let edited = Set(related.objects + effect.replacements)
    let noted = edit.isPlainSQL ? Self.captured(effect.net, reported) : effect.net
    knownViews?.note(noted, at: position, by: view, registering: edited, model.objects)
    guard let view else { return effect.net }
    for object in edited { knownViews?.see(object, by: view, model.objects) }
    for object in edit.objects { knownViews?.touch(object, by: view, model.objects) }
    return effect.net
  }

  /// Returns an edit as a write to a model with relations; `nil` if the model has no relations.
  ///
  /// If the edit is a save of a view under a policy that depends on conflicts, the write includes the
  /// objects that other writers have changed since the view read them. The result is also `nil` for
  /// a model upgrade, and for ``Edit/changes(_:)``, whose conflicts are already resolved.
  private mutating func related(_ edit: Edit) -> RelatedWrite? {
    guard hasRelations else { return nil }
    switch edit {
    case .write(let write):
      let isRequest = write.context == PlannedWrite.batch && write.isUniform
      var related = RelatedWrite(write.changes, isRequest ? .error : write.policy, on: model)
      guard edit.viewWriter != nil, knownViews != nil, write.policy != .objectWins else {
        return related
      }
      if knownViews?.isUnsure(write.actor) != false { isUndecided = true }
      related.conflicts = conflicts(of: write)
      return related
    case .batch(let batch): return RelatedWrite(batch, on: model)
    case .related(let related): return related
    case .plainSQL(let changes, _): return RelatedWrite(plainSQL: changes)
    case .changes, .upgrade: return nil
    }
  }

  /// Returns why the store must refuse an edit in a model with relations.
  ///
  /// The result is `nil` if the store must accept the edit, or if the model has no relations.
  ///
  /// Before an actor's view (its first context) saves, it reads the saved objects that it has not
  /// read yet, even if the store then refuses the save. If the edit is such a save, this method also
  /// records these reads.
  mutating func mustRefuse(_ edit: Edit) -> Refusal? {
    guard let related = related(edit) else { return nil }
    if let view = edit.viewWriter {
      for object in edit.objects { knownViews?.touch(object, by: view, model.objects) }
    }
    var model = model
    return model.apply(related).refusal
  }

  /// Returns the net changes, except updates that change no value and that the system did not report.
  private static func captured(_ net: [NetChange], _ reported: [CommittedChange]) -> [NetChange] {
    net.filter { change in
      change.type != .update || change.changesValues
        || reported.contains { $0.object == change.object }
    }
  }

  /// Rolls the state back to the transaction at the position `last`.
  ///
  /// The edits through that transaction are applied again to an empty store. All information about
  /// what the actors' views (first contexts) have read is discarded.
  mutating func goBack(through last: Int) {
    guard knownViews != nil || log.contains(where: { $0.at > last }) else { return }
    log.removeAll { $0.at > last }
    model = ReferenceModel(model.model)
    knownViews?.forget()
    for entry in log {
      let net = entry.edit.apply(to: &model)
      knownViews?.note(net, at: entry.at, by: nil, model.objects)
    }
  }

  /// Updates what an actor's view has read, after a launch, a resync, a merge or a live query's result.
  mutating func observe(_ kind: EventKind, by actor: ActorID, named: [Int]) {
    switch kind {
    case .registered, .launched: knownViews?.load(actor, isLaunch: true, model.objects)
    case .resynced: knownViews?.load(actor, isLaunch: false, model.objects)
    case .merged: knownViews?.merge(named, by: actor, model.objects)
    case .listed(let report): knownViews?.list(report, by: actor, model.objects)
    default: break
    }
  }

  /// Records that it is unknown what an actor's view has read, after a command of the actor failed.
  mutating func uncertainty(_ actor: ActorID) { knownViews?.uncertainty(actor) }

  // MARK: Policies

  /// Returns whether a write must fail with a conflict.
  ///
  /// In a model with relations, the result is never `nil`. In a model without relations, it is `nil`
  /// in two cases: the edit is not a save of an actor's view (its first context) with the policy
  /// `error`, or it is unknown what that view has read.
  mutating func mustConflict(_ edit: Edit) -> Bool? {
    if hasRelations { return mustRefuse(edit) == .conflict }
    guard case .write(let write) = edit, write.policy == .error, edit.viewWriter != nil,
      knownViews?.isUnsure(write.actor) == false
    else { return nil }
    return !conflicts(of: write).isEmpty
  }

  private mutating func resolve(_ edit: Edit, _ reported: [CommittedChange]) -> Edit {
    guard case .write(let write) = edit, edit.viewWriter != nil, knownViews != nil else {
      return edit
    }
    if write.policy == .objectWins { return .changes(write.changes) }
    guard knownViews?.isUnsure(write.actor) == false else {
      let touched = Set(edit.objects)
      return .changes(
        reported.filter { touched.contains($0.object) }
          .map { PlannedChange($0.type, $0.object, $0.values) }
      )
    }
    let conflicts = conflicts(of: write)
    // A write that must fail has no effect, whatever the system reports.
    if write.policy == .error { return .changes(conflicts.isEmpty ? write.changes : []) }
    return .changes(
      write.changes.filter { conflicts[$0.object] == nil }
        + conflicts.sorted { $0.key < $1.key }.compactMap { object, seen in
          resolveConflict(object, seen, write)
        }
    )
  }

  /// Returns the objects of a write that other writes have changed since the view read them.
  ///
  /// The values in the result are those that the view read.
  private mutating func conflicts(of write: PlannedWrite) -> [ObjectName: Values] {
    var conflicts: [ObjectName: Values] = [:]
    for change in write.changes where model.objects[change.object] != nil {
      knownViews?.touch(change.object, by: write.actor, model.objects)
      guard change.type != .insert else { continue }
      if let seen = knownViews?.outdated(change.object, by: write.actor) {
        conflicts[change.object] = seen
      }
    }
    return conflicts
  }

  /// Returns the change that a write makes to a conflicting object under its merge policy.
  ///
  /// The result is `nil` if the policy leaves the object as it is.
  private func resolveConflict(
    _ object: ObjectName,
    _ seen: Values,
    _ write: PlannedWrite
  ) -> PlannedChange? {
    let changes = write.changes.filter { $0.object == object && $0.type != .insert }
    let stored = model.objects[object] ?? [:]
    if changes.contains(where: { $0.type == .delete }) {
      return write.policy == .overwrite ? PlannedChange(.delete, object) : nil
    }
    var set: Values = [:]
    for change in changes { set.merge(change.values) { $1 } }
    switch write.policy {
    case .error, .objectWins, .rollback: return nil
    case .storeWins:
      let free = set.filter { name, _ in
        (stored[name] ?? .null).isSame(as: seen[name] ?? .null)
      }
      return free.isEmpty ? nil : PlannedChange(.update, object, free)
    case .overwrite:
      let entity = model.model.entities.first { $0.name == object.entity }
      var whole: Values = [:]
      let isOlder = olderActors.contains(write.actor)
      for attribute in entity?.attributes ?? [] where attribute.isOlder || !isOlder {
        whole[attribute.name] = set[attribute.name] ?? seen[attribute.name] ?? .null
      }
      return PlannedChange(.update, object, whole)
    }
  }
}

/// An edit of the data by one command of the plan.
enum Edit: Sendable {
  case write(PlannedWrite)
  case changes([PlannedChange])
  case batch(PlannedBatch)
  /// A write to a model whose entities refer to each other.
  ///
  /// Another writer may have changed an object since the context of this write read it. For each such
  /// object, the write includes the values that the context read.
  case related(RelatedWrite)
  /// A write with plain SQL.
  ///
  /// If the program replaces rows (`REPLACE`), an update sets all attributes.
  case plainSQL([PlannedChange], replacing: Bool)
  /// A change of the file's model by a newer program.
  case upgrade

  func apply(to model: inout ReferenceModel) -> [NetChange] {
    switch self {
    case .upgrade:
      model.upgrade()
      return []
    case .write(let write): return model.apply(write.changes)
    case .changes(let changes): return model.apply(changes)
    case .plainSQL(let changes, let replaces):
      var net = model.apply(changes)
      if replaces { for index in net.indices { net[index].columns = ~0 } }
      return net
    case .batch(let batch): return model.apply(batch)
    case .related(let related): return model.apply(related).net
    }
  }

  /// Whether the edit upgrades the file's model; the upgrade remains even if the launch then fails.
  var isUpgrade: Bool { if case .upgrade = self { true } else { false } }

  /// Whether a program without the library makes the edit.
  var isPlainSQL: Bool { if case .plainSQL = self { true } else { false } }

  /// The actor whose view (first context) saves the edit; `nil` if the edit is no save of a view.
  var viewWriter: ActorID? {
    if case .write(let write) = self, write.context == "view" { write.actor } else { nil }
  }

  /// The objects that a write updates or deletes.
  var editedObjects: Set<ObjectName> {
    switch self {
    case .write(let write): Set(write.changes.filter { $0.type != .insert }.map(\.object))
    case .changes(let changes), .plainSQL(let changes, _):
      Set(changes.filter { $0.type != .insert }.map(\.object))
    case .batch, .related, .upgrade: []
    }
  }

  /// The objects that a write names.
  var objects: [ObjectName] {
    switch self {
    case .write(let write): write.changes.map(\.object)
    case .changes(let changes), .plainSQL(let changes, _): changes.map(\.object)
    case .batch, .related, .upgrade: []
    }
  }
}

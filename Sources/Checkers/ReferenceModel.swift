package import HistoryTypes
package import Traces

/// The expected data of a store, computed from the plan alone.
///
/// Writes are applied one after another, in commit order. An insert of an object that exists, and
/// an update or a delete of one that does not exist, are skipped; each edit sees the earlier edits of
/// the same write. The model is a plain value: copying it forks the data.
package struct ReferenceModel: Sendable {
  /// The data model with the entities and attributes.
  package let model: Model
  /// The objects that exist; an attribute that was never set is absent and means null.
  package private(set) var objects: Objects = [:]

  /// Whether the data have the attributes that only the newer version of the plan's model has.
  package private(set) var isUpgraded: Bool
  /// By entity, the default values of the attributes that only the newer version of the model has.
  private let defaults: [String: Values]

  /// Creates the data of an empty store, in the older version of the model if the plan has two.
  package init(_ model: Model) {
    self.model = model
    isUpgraded = model.version == 1
    var defaults: [String: Values] = [:]
    for entity in model.entities {
      for attribute in entity.attributes where !attribute.isOlder {
        defaults[entity.name, default: [:]][attribute.name] = attribute.defaultValue
      }
    }
    self.defaults = defaults
  }

  /// Applies an upgrade: every object gets the default values of the attributes that are new.
  ///
  /// - Complexity: linear in the objects.
  package mutating func upgrade() {
    guard !isUpgraded else { return }
    isUpgraded = true
    for object in Array(objects.keys) {
      objects[object]?.merge(defaults[object.entity] ?? [:]) { old, _ in old }
    }
  }

  /// Applies the changes of one write in order, and returns their net effect.
  ///
  /// - Complexity: linear in the changes and their values.
  @discardableResult
  package mutating func apply(_ changes: [PlannedChange]) -> [NetChange] {
    var net = NetChanges(capacity: changes.count)
    for change in changes {
      switch change.type {
      case .insert: insert(change, &net)
      case .update: update(change.object, change.values, &net)
      case .delete: delete(change.object, &net)
      }
    }
    return finished(net)
  }

  /// Applies a batch request to every object that matches, and returns its net effect.
  ///
  /// - Complexity: linear in the objects.
  @discardableResult
  package mutating func apply(_ batch: PlannedBatch) -> [NetChange] {
    let matches = matches(batch)
    var net = NetChanges(capacity: matches.count)
    for name in matches {
      switch batch.type {
      case .insert: break
      case .update: update(name, batch.values, &net)
      case .delete: delete(name, &net)
      }
    }
    return finished(net)
  }

  /// Returns the objects that a batch request changes, in order.
  func matches(_ batch: PlannedBatch) -> [ObjectName] {
    objects.keys.filter { name in
      name.entity == batch.entity && batch.conditions.allSatisfy { holds($0, for: name) }
    }.sorted()
  }

  /// Returns the net changes, without those of objects that the write both inserted and deleted.
  ///
  /// For an object that was edited several times, the values before and after the write decide
  /// whether any value changed.
  func finished(_ net: NetChanges) -> [NetChange] {
    guard net.hasRepeats else { return net.entries }
    var entries = net.entries.filter { $0.type != nil }
    for (place, entry) in entries.enumerated() where entry.type == .update {
      guard let before = entry.before, let after = objects[entry.object] else { continue }
      entries[place].changesValues = !before.isSame(as: after)
    }
    return entries
  }

  private func holds(_ condition: PlannedCondition, for name: ObjectName) -> Bool {
    condition.holds(for: objects[name] ?? [:])
  }

  mutating func insert(_ change: PlannedChange, _ net: inout NetChanges) {
    guard objects[change.object] == nil else { return }
    objects[change.object] = change.values
    if isUpgraded, let defaults = defaults[change.object.entity] {
      objects[change.object]?.merge(defaults) { given, _ in given }
    }
    net.edit(change.object, before: nil) { entry in
      entry.isThere = true
      guard entry.wasThere else { return }
      entry.isReplacement = true
      entry.columns = ~0
    }
  }

  mutating func update(_ object: ObjectName, _ values: Values, _ net: inout NetChanges) {
    guard let place = objects.index(forKey: object) else { return }
    let before = objects.values[place]
    let entity = model.entities.first { $0.name == object.entity }
    var columns: UInt64 = 0
    var changesValues = false
    for (attribute, value) in values {
      let old = objects.values[place].updateValue(value, forKey: attribute) ?? .null
      changesValues = changesValues || !old.isSame(as: value)
      if let index = entity?.index(of: attribute) { columns |= 1 << UInt64(index) }
    }
    net.edit(object, before: before) { entry in
      entry.columns |= columns
      entry.changesValues = entry.changesValues || changesValues
    }
  }

  mutating func delete(_ object: ObjectName, _ net: inout NetChanges) {
    guard let values = objects.removeValue(forKey: object) else { return }
    net.edit(object, before: values) { entry in
      entry.isUpdatedFirst = entry.columns != 0
      entry.isThere = false
      entry.isReplacement = false
    }
  }
}

/// The net changes of a write in progress, in the order in which objects were first edited.
struct NetChanges {
  private static let indexedFrom = 16
  private(set) var entries: [NetChange] = []
  /// Whether any object was edited more than once.
  private(set) var hasRepeats = false
  private var places: [ObjectName: Int] = [:]

  init(capacity: Int) { entries.reserveCapacity(capacity) }

  /// Applies an edit to an object's net change.
  ///
  /// If the write has not edited the object yet, this adds a net change with the values `before`.
  mutating func edit(_ object: ObjectName, before: Values?, _ body: (inout NetChange) -> Void) {
    let count = entries.count
    let place = place(of: object, before: before)
    body(&entries[place])
    hasRepeats = hasRepeats || entries.count == count
  }

  /// Returns the index of an object's net change; adds an empty net change if there is none yet.
  private mutating func place(of object: ObjectName, before: Values?) -> Int {
    if entries.count < Self.indexedFrom {
      if let known = entries.firstIndex(where: { $0.object == object }) { return known }
    } else {
      if places.isEmpty {
        for (place, entry) in entries.enumerated() { places[entry.object] = place }
      }
      if let known = places[object] { return known }
      places[object] = entries.count
    }
    entries.append(NetChange(object, before: before))
    return entries.count - 1
  }
}

/// The net effect of one write on one object.
///
/// Edits of one object within a write coalesce: an insert and updates are an insert, an insert and
/// a delete are no change, updates and a delete are a delete. A delete and then an insert replace
/// the object: it exists before and after, so the net change is an update of every attribute. A
/// system that treats the deleted and the inserted object as two objects reports a delete and an
/// insert instead.
package struct NetChange: Hashable, Sendable {
  /// The object that the write changes.
  package let object: ObjectName
  /// Whether the object existed before the write.
  package let wasThere: Bool
  /// Whether the object exists after the write.
  package internal(set) var isThere: Bool
  /// Whether the object was deleted and inserted again.
  package internal(set) var isReplacement = false
  /// Whether any value differs after the write; if none does, an update may be left out of history.
  package internal(set) var changesValues = false
  /// Whether the write updated the object before it deleted the object.
  package internal(set) var isUpdatedFirst = false
  /// The attributes that the write's updates have set, one bit each.
  ///
  /// The bits have the order of the entity's attributes.
  package internal(set) var columns: UInt64 = 0
  /// The values before the write; `nil` if the object did not exist then.
  package let before: Values?

  init(_ object: ObjectName, before: Values?) {
    self.object = object
    self.before = before
    wasThere = before != nil
    isThere = wasThere
  }

  /// The type of the change in history; `nil` if the object exists neither before nor after the write.
  package var type: ChangeType? {
    switch (wasThere, isThere) {
    case (false, true): .insert
    case (true, true): .update
    case (true, false): .delete
    case (false, false): nil
    }
  }
}

import CoreData
import Foundation
import HistoryTesting

/// One member: a coordinator of its own on the shared file, its view context and its token.
///
/// The view is a background context, and used on its queue only.
/// The token is archived to a file, as an app keeps it, so that it survives the member.
final class CoreDataMember {
  private let view: NSManagedObjectContext
  /// The fetched transactions that are not merged yet.
  var fetched: [NSPersistentHistoryTransaction] = []
  /// The token of the last merged transaction.
  var merged: NSPersistentHistoryToken?
  private let container: NSPersistentContainer
  private let tokenFile: URL
  private let model: Model

  init(_ name: String, _ model: Model, _ managed: NSManagedObjectModel, in folder: URL) throws {
    self.model = model
    tokenFile = folder.appending(path: "\(name).token")
    container = NSPersistentContainer(name: "plan", managedObjectModel: managed)
    let description = NSPersistentStoreDescription(url: folder.appending(path: "plan.sqlite"))
    description.shouldAddStoreAsynchronously = false
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber,
      forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey
    )
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    view = container.newBackgroundContext()
    // History stores the context's name, which identifies the member's own transactions.
    view.name = name
    view.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    if try Self.token(of: name, in: folder) == nil {
      try keep(container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
    }
    merged = try Self.token(of: name, in: folder)
    _ = try load()
  }

  /// Reads a member's saved token; `nil` before its first launch and in an empty history.
  static func token(of name: String, in folder: URL) throws -> NSPersistentHistoryToken? {
    let file = folder.appending(path: "\(name).token")
    guard let archive = FileManager.default.contents(atPath: file.path), !archive.isEmpty else {
      return nil
    }
    return try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self,
      from: archive
    )
  }

  /// Saves a token for the next launch.
  func keep(_ token: NSPersistentHistoryToken?) throws {
    let archive = try token.map {
      try NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
    }
    try (archive ?? Data()).write(to: tokenFile, options: .atomic)
  }

  /// Fetches the transactions after a token, oldest first.
  func transactions(
    after token: NSPersistentHistoryToken?
  ) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    request.resultType = .transactionsAndChanges
    return try view.performAndWait {
      let result = try view.execute(request) as? NSPersistentHistoryResult
      return result?.result as? [NSPersistentHistoryTransaction] ?? []
    }
  }

  /// Executes a request for history.
  func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult? {
    try view.performAndWait { try view.execute(request) as? NSPersistentHistoryResult }
  }

  /// Merges transactions into the view as saves of a remote context.
  func mergeRemotely(_ transactions: [NSPersistentHistoryTransaction]) {
    view.performAndWait {
      for transaction in transactions {
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: transaction.objectIDNotification().userInfo ?? [:],
          into: [view]
        )
      }
    }
  }

  /// Deletes history strictly before a token.
  func deleteHistory(before token: NSPersistentHistoryToken) throws {
    let request = NSPersistentHistoryChangeRequest.deleteHistory(before: token)
    _ = try view.performAndWait { try view.execute(request) }
  }

  /// Merges transactions of other members into the view.
  func merge(_ transactions: [NSPersistentHistoryTransaction]) {
    view.performAndWait {
      for transaction in transactions {
        view.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
    }
  }

  /// Applies a plan's changes to the view and saves them as one transaction.
  ///
  /// Changes of objects that do not exist, and inserts of those that do, are left out.
  func save(_ changes: [PlannedChange], author: String?) throws {
    try view.performAndWait { try apply(changes, author: author) }
  }

  private func apply(_ changes: [PlannedChange], author: String?) throws {
    view.transactionAuthor = author
    for change in changes {
      let existing = try object(change.object)
      switch (change.type, existing) {
      case (.insert, nil):
        let inserted = NSEntityDescription.insertNewObject(
          forEntityName: change.object.entity,
          into: view
        )
        inserted.setValue(change.object.key, forKey: planKey)
        for (name, value) in change.values { inserted.setValue(value.managed, forKey: name) }
      case (.update, let object?):
        for (name, value) in change.values { object.setValue(value.managed, forKey: name) }
      case (.delete, let object?): view.delete(object)
      default: continue
      }
    }
    do { if view.hasChanges { try view.save() } } catch {
      view.rollback()
      throw error
    }
  }

  /// Fetches all objects into the view, and returns them with their values.
  func load() throws -> Objects {
    try view.performAndWait {
      var objects: Objects = [:]
      for entity in model.entities {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        for object in try view.fetch(request) { add(object, entity, to: &objects) }
      }
      return objects
    }
  }

  /// Returns the objects that the view has registered, without a fetch.
  func registered() -> Objects {
    view.performAndWait {
      var objects: Objects = [:]
      for object in view.registeredObjects where !object.isDeleted {
        guard let entity = model.entities.first(where: { $0.name == object.entity.name }) else {
          continue
        }
        add(object, entity, to: &objects)
      }
      return objects
    }
  }

  /// Discards the view's objects and reads the store again.
  func reload() throws {
    view.performAndWait { view.reset() }
    _ = try load()
    merged = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
    try keep(merged)
  }

  private func object(_ name: ObjectName) throws -> NSManagedObject? {
    let request = NSFetchRequest<NSManagedObject>(entityName: name.entity)
    request.predicate = NSPredicate(
      format: "%K == %@",
      argumentArray: [planKey, NSNumber(value: name.key)]
    )
    return try view.fetch(request).first
  }

  private func add(_ object: NSManagedObject, _ entity: Entity, to objects: inout Objects) {
    guard let key = object.value(forKey: planKey) as? Int64 else { return }
    var values: Values = [:]
    for attribute in entity.attributes {
      values[attribute.name] = attribute.type.value(object.value(forKey: attribute.name))
    }
    objects[ObjectName(entity.name, key)] = values
  }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

// The declarations of Core Data that the tracker uses, for type checks where Core Data does not exist.
// Nothing here can be run. The names, types and optionality are those of Apple's documentation.
import Foundation

private func absent() -> Never { fatalError("Core Data is on Apple's systems only.") }

public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
public let NSPersistentHistoryTokenExpiredError = 134301

public enum NSAttributeType: UInt, Sendable {
  case integer64AttributeType = 300
  case doubleAttributeType = 500
  case stringAttributeType = 700
  case booleanAttributeType = 800
  case dateAttributeType = 900
  case binaryDataAttributeType = 1000
  case UUIDAttributeType = 1100
}

open class NSPropertyDescription: NSObject {
  open var name = ""
  open var isOptional = true
}

open class NSAttributeDescription: NSPropertyDescription {
  open var attributeType = NSAttributeType.stringAttributeType
  open var preservesValueInHistoryOnDeletion = false
}

open class NSEntityDescription: NSObject {
  open var name: String?
  open var managedObjectClassName: String!
  open var properties: [NSPropertyDescription] = []
  open class func insertNewObject(
    forEntityName entityName: String,
    into context: NSManagedObjectContext
  ) -> NSManagedObject { absent() }
}

open class NSManagedObjectModel: NSObject, @unchecked Sendable {
  open var entities: [NSEntityDescription] = []
}

public protocol NSFetchRequestResult: NSObjectProtocol {}

open class NSManagedObject: NSObject, NSFetchRequestResult {
  open var entity: NSEntityDescription { absent() }
  open var isDeleted: Bool { absent() }
  open func setValue(_ value: Any?, forKey key: String) { absent() }
  open func value(forKey key: String) -> Any? { absent() }
}

open class NSPersistentStoreRequest: NSObject {}
open class NSPersistentStoreResult: NSObject {}
open class NSPersistentStore: NSObject {}

open class NSFetchRequest<ResultType>: NSPersistentStoreRequest {
  open var predicate: NSPredicate?
  public init(entityName: String) { absent() }
}

open class NSPredicate: NSObject {
  public init(format: String, argumentArray: [Any]?) { absent() }
}

open class NSMergePolicy: NSObject {
  open class var mergeByPropertyObjectTrump: NSMergePolicy { absent() }
}

open class NSManagedObjectContext: NSObject {
  open var name: String?
  open var transactionAuthor: String?
  open var mergePolicy: Any = 0
  open var hasChanges: Bool { absent() }
  open var registeredObjects: Set<NSManagedObject> { absent() }
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    absent()
  }
  open func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { absent() }
  open func delete(_ object: NSManagedObject) { absent() }
  open func save() throws { absent() }
  open func performAndWait<T>(_ block: () throws -> T) rethrows -> T { absent() }
  open func rollback() { absent() }
  open func reset() { absent() }
  open func mergeChanges(fromContextDidSave notification: Notification) { absent() }
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) { absent() }
}

open class NSPersistentStoreCoordinator: NSObject {
  open func currentPersistentHistoryToken(
    fromStores stores: [NSPersistentStore]?
  ) -> NSPersistentHistoryToken? { absent() }
}

open class NSPersistentStoreDescription: NSObject {
  open var shouldAddStoreAsynchronously = false
  public init(url: URL) { absent() }
  open func setOption(_ option: NSObject?, forKey key: String) { absent() }
}

open class NSPersistentContainer: NSObject {
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] = []
  open func newBackgroundContext() -> NSManagedObjectContext { absent() }
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { absent() }
  public init(name: String, managedObjectModel model: NSManagedObjectModel) { absent() }
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) { absent() }
}

open class NSPersistentHistoryToken: NSObject, NSSecureCoding {
  public static var supportsSecureCoding: Bool { true }
  public required init?(coder: NSCoder) { absent() }
  open func encode(with coder: NSCoder) { absent() }
}

open class NSPersistentHistoryTransaction: NSObject {
  open var transactionNumber: Int64 { absent() }
  open var author: String? { absent() }
  open var contextName: String? { absent() }
  open var token: NSPersistentHistoryToken { absent() }
  open var timestamp: Date { absent() }
  open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { absent() }
  open func objectIDNotification() -> Notification { absent() }
}

public enum NSPersistentHistoryResultType: Int, Sendable {
  case transactionsAndChanges = 5
}

open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  open var resultType = NSPersistentHistoryResultType.transactionsAndChanges
  open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?
  open class func fetchHistory(after date: Date) -> Self { absent() }
  open class func deleteHistory(before date: Date) -> Self { absent() }
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { absent() }
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self { absent() }
}

open class NSPersistentHistoryResult: NSPersistentStoreResult {
  open var result: Any? { absent() }
}

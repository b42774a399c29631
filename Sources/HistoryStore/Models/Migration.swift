public import HistoryTypes
import SQLiteStorage

/// A member whose recorded model version is lower than the version that a migration applies.
public struct OlderMember: Sendable, Hashable, CustomStringConvertible {
  /// The name of the member.
  public let id: MemberID
  /// The version of the member's model.
  public let modelVersion: Int
  /// The time when the member last registered, launched, resynced or recorded its cursor.
  ///
  /// The time is that of the store's clock.
  public let seen: Date

  /// The name, the version and the time.
  public var description: String { "\"\(id)\" with version \(modelVersion), last seen at \(seen)" }
}

/// The progress of a migration that computes values with closures.
public struct MigrationProgress: Sendable, Hashable {
  /// The number of objects that were passed to the migration's closures so far.
  public let objectCount: Int
  /// The total number of objects to pass to the migration's closures.
  public let total: Int
}

/// The result of a migration, such as the applied differences and the retired members.
public struct MigrationResult: Sendable, Hashable {
  /// The version of the file's model before the migration.
  public let oldVersion: Int
  /// The version of the file's model after the migration.
  public let newVersion: Int
  /// The differences between the models, which the migration applied.
  public let differences: [ModelDifference]
  /// The number of objects that were passed to the migration's closures.
  public let objectCount: Int
  /// The members that the migration retired, because their models were older.
  public let retiredMembers: [OlderMember]
}

/// An object during a migration: its values in the older model, and those that a closure has set.
public struct MigratedObject {
  /// The ID of the object, which stays the same.
  public let id: ObjectID
  let older: Entity
  let row: ArraySlice<Value>
  /// The object's entity in the newer model, or `nil` if the newer model lacks the entity.
  let newer: Entity?
  /// The bitmap of the newer model's attributes that the closure has set.
  private(set) var columns: UInt64 = 0
  private var values: [Value] = []
  private let inserting: (String, [String: Value]) throws -> ObjectID

  init(
    _ id: ObjectID,
    _ older: Entity,
    _ row: ArraySlice<Value>,
    _ newer: Entity?,
    inserting: @escaping (String, [String: Value]) throws -> ObjectID
  ) {
    self.id = id
    self.older = older
    self.row = row
    self.newer = newer
    self.inserting = inserting
    values = Array(repeating: .null, count: newer?.attributes.count ?? 0)
  }

  /// The value of an attribute of the older model, or `nil` if the older model has no such attribute.
  public subscript(attribute: String) -> Value? {
    older.index(of: attribute).map { row[row.startIndex + $0] }
  }

  /// Sets an attribute of the newer model.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the newer model has no such attribute.
  /// - Complexity: linear in the number of attributes; no query.
  public mutating func set(_ value: Value, for attribute: String) throws(HistoryError) {
    guard let newer, let index = newer.index(of: attribute) else {
      throw .unknownAttribute(attribute, of: newer ?? older)
    }
    columns |= 1 << UInt64(index)
    values[index] = value
  }

  /// Inserts an object of the newer model, for example to split an entity, and returns its ID.
  ///
  /// Attributes that are not named get their default values.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity in the newer model.
  ///   - values: The values by attribute name. The default is none.
  /// - Returns: The ID of the new object.
  /// - Throws: ``HistoryError/Code/unknownEntity``, ``HistoryError/Code/unknownAttribute`` or
  ///   ``HistoryError/Code/unfitValue`` if the newer model does not allow the object, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one statement.
  @discardableResult
  public func insert(
    _ entity: String,
    _ values: [String: Value] = [:]
  ) throws(HistoryError) -> ObjectID {
    do {
      return try inserting(entity, values)
    } catch {
      throw HistoryError(error)
    }
  }

  /// The values that were set, in the order of the newer model.
  var setValues: [Value] {
    values.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { values[$0] }
  }
}

extension Store {
  /// Applies a newer model to a file, including differences that are not lightweight.
  ///
  /// Everything happens in one transaction of SQLite: after a crash or a power failure, the file
  /// has either the old model and its data or the new ones. Tables and columns of entities and
  /// attributes that the newer model lacks are deleted. An attribute with a new type gets its
  /// default value, unless a closure sets it. If an attribute becomes required, closures must set
  /// it for the objects without a value. Writers wait during the migration; readers do not.
  ///
  /// A program with an older model cannot use the file afterwards. If such a program has the file
  /// open, its requests throw ``HistoryError/Code/modelOutgrown``. The migration is refused while
  /// an active member with an older model is not listed in `members`, unless `retiresOlderMembers`
  /// is `true`.
  ///
  /// ```swift
  /// try Store.migrate(path: path, to: model, members: ["app"], computing: [
  ///   "Item": { item in try item.set(.string("\(item["count"] ?? 0)"), for: "amount") }
  /// ])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - model: The newer model.
  ///   - configuration: The options for opening the file.
  ///   - members: The members that this program runs itself, which do not count as older.
  ///   - retiresOlderMembers: Whether the memberships of older members end. The default is `false`.
  ///   - closures: The closures that compute values, by the name of the entity in the file's model.
  ///     They run inside the transaction, once for each object.
  ///   - progress: A closure that is called after each batch of objects.
  /// - Returns: The result, or `nil` if the file has a model of this or a later version.
  /// - Throws: ``HistoryError/Code/olderMembers``, ``HistoryError/Code/missingValue`` if an object
  ///   has no value for a required attribute, the errors of opening a store, the errors for values
  ///   that closures set, and ``HistoryError/Code/stopped`` if a closure throws. The file is
  ///   unchanged then.
  /// - Complexity: linear in the objects of some entities: those with a closure or a reference,
  ///   those that lose an attribute or get an index, and those whose set of required attributes
  ///   changes. At most one batch of objects is in memory.
  @discardableResult
  public static func migrate(
    path: String,
    to model: Model,
    configuration: StoreConfiguration = .init(),
    members: Set<MemberID> = [],
    retiresOlderMembers: Bool = false,
    computing closures: [String: (inout MigratedObject) throws -> Void] = [:],
    progress: (MigrationProgress) throws -> Void = { _ in }
  ) throws(HistoryError) -> MigrationResult? {
    do {
      let opened = try FileHeader.open(path: path, model: nil, configuration: configuration)
      // Dropping a column keeps the old pages of its table until the statement ends. In memory, they
      // would grow with the table.
      try opened.connection.execute("PRAGMA temp_store=FILE")
      let core = try StoreCore(path: path, configuration: configuration, opened: opened)
      return try core.migrate(
        to: model.declared,
        members,
        retiring: retiresOlderMembers,
        closures,
        progress
      )
    } catch {
      throw HistoryError(error)
    }
  }
}

import HistoryStore
import Measuring
import ObjectContexts
import PersistentHistory

/// Writes at random through a view and by batch requests: inserts, updates and deletes.
struct StressWriter {
  private let view: ObjectContext
  private let author: BatchAuthor
  private var random: SeededRandom

  /// From how many objects on more is deleted than inserted.
  private static let objectCountMax = 400

  init(view: ObjectContext, seed: UInt64) {
    self.view = view
    author = BatchAuthor(view.author)
    random = SeededRandom(seed: seed)
  }

  /// Writes once.
  ///
  /// - Returns: whether it took effect as a transaction.
  mutating func write() throws -> Bool {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: try insert()
    case 3..<6: try update()
    case 6: try delete()
    case 7: try batchInsert()
    case 8: try batchUpdate()
    default: try thinOut()
    }
  }

  private mutating func number() -> Int64 { Int64.random(in: 0..<1_000_000, using: &random) }

  private mutating func bucket() -> Int64 {
    Int64.random(in: 0..<StressModel.bucketCount, using: &random)
  }

  private mutating func values() -> [String: Value] {
    ["title": .string("item \(number())"), "count": .int(number()), "bucket": .int(bucket())]
  }

  private mutating func insert() throws -> Bool {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      try view.insert(StressModel.entity, values())
    }
    return try view.save() != nil
  }

  private mutating func update() throws -> Bool {
    guard let object = try randomObject() else { return false }
    do { try object.set(.int(number()), for: "count") } catch HistoryError.unknownObject {
      // Somebody else's delete was merged just now.
      return false
    }
    return try view.save() != nil
  }

  private mutating func delete() throws -> Bool {
    guard let object = try randomObject() else { return false }
    object.delete()
    return try view.save() != nil
  }

  /// One of the objects that the view holds.
  private mutating func randomObject() throws -> StoredObject? {
    try view.registeredObjects(StressModel.entity).randomElement(using: &random)
  }

  private mutating func batchInsert() throws -> Bool {
    let rows = [values(), values(), values(), values(), values()]
    try view.store.batchInsert(into: StressModel.entity, rows, by: author)
    return true
  }

  private mutating func batchUpdate() throws -> Bool {
    let result = try view.store.batchUpdate(
      StressModel.entity,
      where: .compare("bucket", .equal, .int(bucket())),
      set: ["count": .int(number())],
      by: author
    )
    return result.transaction != nil
  }

  /// Deletes a bucket, when there are many objects.
  private mutating func thinOut() throws -> Bool {
    guard try view.registeredObjects(StressModel.entity).count > Self.objectCountMax else {
      return false
    }
    let result = try view.store.batchDelete(
      StressModel.entity,
      where: .compare("bucket", .equal, .int(bucket())),
      by: author
    )
    return result.transaction != nil
  }
}

import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// The objects of stress runs.
enum StressModel {
  static let entity = "Item"
  static let bucketCount: Int64 = 8

  /// - Throws: ``HistoryError`` when the file cannot be opened.
  static func open(_ path: String) throws -> Store {
    let model = try Model([
      Entity(
        entity,
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int), Attribute("bucket", .int),
        ]
      )
    ])
    return try Store(path: path, model: model)
  }
}

extension StressView {
  /// What a context holds, whatever the order in which it learned of it.
  init(_ context: ObjectContext) {
    var rows: [(id: ObjectID, values: [Value])] = []
    context.forEachRegistered { rows.append(($0, Array($1))) }
    rows.sort { $0.id < $1.id }
    var state = StateSketch()
    for row in rows {
      state.add(Int(row.id.key))
      for value in row.values { state.add(value) }
    }
    self.init(objectCount: rows.count, digest: String(state.digest, radix: 16))
  }
}

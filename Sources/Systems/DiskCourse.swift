import HistoryStore
import HistoryTypes
import ObjectContexts

/// Stores on disk that have the model and configuration of a plan's store.
protocol DiskCourse {
  var store: Store { get }
  var faults: [String] { get set }
}

extension DiskCourse {
  func configuration() -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.layout = store.configuration.layout
    configuration.timestamps = store.configuration.timestamps
    configuration.changePollInterval = .seconds(60)
    configuration.memberLocks = .files
    configuration.clock = store.configuration.clock
    return configuration
  }

  mutating func expect(_ isRight: Bool, _ fault: @autoclosure () -> String) {
    if !isRight { faults.append(fault()) }
  }

  /// Notes a fault unless a request fails with an error.
  mutating func expect(
    _ code: HistoryError.Code,
    of what: String,
    _ body: () throws(HistoryError) -> Void
  ) {
    do throws(HistoryError) {
      try body()
      faults.append("\(what) is accepted")
    } catch {
      if error.code != code { faults.append("\(what): \(error)") }
    }
  }

  /// Saves an object without values.
  @discardableResult
  func insert(into store: Store) throws(HistoryError) -> Int64 {
    let context = ObjectContext(store: store, author: "app", name: "view")
    _ = try context.insert(store.model.entities[0].name)
    return try context.save()?.number.rawValue ?? 0
  }

  /// The transactions of a store, one line each.
  func history(_ store: Store) throws(HistoryError) -> [String] {
    var lines: [String] = []
    var request = HistoryRequest(after: nil, transactionCountMax: 2)
    while lines.count < 100 {
      let page = try store.fetch(request)
      for transaction in page.transactions {
        let changes = transaction.changes.map { change in
          "\(change.type) \(change.objectID.entity)/\(change.objectID.key) "
            + change.columnNumbers.map(String.init).joined(separator: "+")
            + (change.tombstone.map { " \($0.count)" } ?? "")
        }
        lines.append(
          "#\(transaction.number) \(transaction.timestamp.timeIntervalSinceReferenceDate) "
            + "\(transaction.author ?? "-") \(transaction.contextName ?? "-") \(changes)"
        )
      }
      guard page.hasMore else { break }
      request = request.next(after: page)
    }
    return lines
  }
}

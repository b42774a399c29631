import PersistentHistory

/// The guide "Choose a purge policy".
enum ChoosingAPurgePolicy {
  static func daily() -> TrackerConfiguration {
    let configuration = TrackerConfiguration(
      currentAuthor: "app",
      allAuthors: ["app", "widget"],
      strategy: .byDuration(.seconds(86_400))
    )
    return configuration
  }

  static func limited() -> TrackerConfiguration {
    var configuration = TrackerConfiguration(currentAuthor: "app", allAuthors: ["app", "widget"])
    configuration.retention = RetentionLimits(age: .seconds(30 * 86_400), byteCount: 50_000_000)
    return configuration
  }

  static func send(_ store: Store) async throws {
    let upload = try HistoryConsumer("upload", store: store)
    while let page = try await upload.next() {
      for change in page.changes { print("send", change.objectID) }
      try await upload.confirm(page)
    }
  }

  static func purge(_ store: Store) throws {
    let result = try store.purge()
    print("purged \(result.transactionCount) transactions through #\(result.purgedThrough)")
  }

  static func look(_ store: Store) throws {
    let size = try store.historySize()
    print("history is \(Int(size.share * 100)) % of \(size.storeBytes) bytes")
    for member in try store.members() {
      print(member.id, "holds back", member.lag.byteCount, "bytes")
    }
  }
}

import HistoryStore
import HistoryTracking
import HistoryTypes

extension PublicOperation {
  /// The operations of members.
  static var members: [PublicOperation] {
    [
      PublicOperation("Store.join(_: MemberID)") { world in
        let registration = try world.store.join("app", author: "app")
        return "\(registration.isNew) \(registration.cursor.number)"
      },
      PublicOperation("Store.record(_: Registration, through: HistoryToken)") { world in
        try world.store.record(world.member, through: world.token(6))
        return "recorded"
      },
      PublicOperation("Store.recordedCursor(of: Registration)") { world in
        "\(try world.store.recordedCursor(of: world.member).number)"
      },
      PublicOperation(
        "Store.consume(_: Registration, _: (HistoryPage) throws -> Void)",
        hasSteps: true
      ) { world in
        "\(try world.store.consume(world.member, pageTransactionCountMax: 1) { _ in }.number)"
      },
      PublicOperation("Store.retire(_: Registration)") { world in
        try world.store.retire(world.member)
        return "retired"
      },
      PublicOperation("Store.resync(_: Registration)") { world in
        "\(try world.store.resync(world.member).cursor.number)"
      },
      PublicOperation("Store.forget(_: MemberID)") { world in
        "\(try world.store.forget("mirror"))"
      },
      PublicOperation("Store.members()") { world in
        "\(try world.store.members().map { "\($0.id) \($0.cursor)" })"
      },
      PublicOperation("Store.configurationDifferences()") { world in
        "\(try world.store.configurationDifferences().count)"
      },
    ]
  }

  /// The operations of consumers.
  static var consumers: [PublicOperation] {
    [
      PublicOperation("HistoryConsumer.init(_: MemberID, store: Store)") { world in
        let consumer = try HistoryConsumer("index", store: world.store)
        return "\(await consumer.isNew) \(await consumer.confirmed.number)"
      },
      PublicOperation("HistoryConsumer.next()", on: consumer) { consumer in
        await consumer.startOver()
        return try await consumer.next()?.transactions.summary ?? "-"
      },
      PublicOperation("HistoryConsumer.confirm(_: HistoryPage)", on: readingConsumer) { reading in
        try await reading.consumer.confirm(reading.page)
        return "\(await reading.consumer.confirmed.number)"
      },
      PublicOperation("HistoryConsumer.confirm(through: HistoryToken)", on: readingConsumer) {
        reading in
        try await reading.consumer.confirm(through: reading.page.scannedThrough)
        return "\(await reading.consumer.confirmed.number)"
      },
      PublicOperation("HistoryConsumer.resync()", on: consumer) { consumer in
        "\(try await consumer.resync().number)"
      },
      PublicOperation("HistoryConsumer.retire()", on: consumer) { consumer in
        try await consumer.retire()
        return "retired"
      },
    ]
  }

  /// The initial consumer, which has two transactions to read.
  private static func consumer(_ world: OperationWorld) throws -> HistoryConsumer {
    try HistoryConsumer("mirror", store: world.store)
  }

  private struct Reading: Sendable {
    let consumer: HistoryConsumer
    let page: HistoryPage
  }

  private struct NothingToRead: Error {}

  /// A consumer that has read a page.
  private static func readingConsumer(_ world: OperationWorld) async throws -> Reading {
    let consumer = try consumer(world)
    guard let page = try await consumer.next() else { throw NothingToRead() }
    return Reading(consumer: consumer, page: page)
  }
}

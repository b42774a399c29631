import HistoryTypes

/// A consumer's reading of history page by page, through the product's own consumer.
///
/// Without steps the consumer passes every new page to a closure, and records each one after it.
/// With steps a process of the consumer starts, makes them, and ends.
package struct PlannedReading: Hashable, Sendable {
  package var consumer: ActorID
  /// The maximum number of transactions of a page.
  package var page: Int
  /// The entity whose changes make a transaction match; `nil` if all transactions do.
  package var entity: String?
  /// The author whose transactions match; `nil` if all transactions do.
  package var author: String?
  /// The number of the page at which the closure throws, from 1; `nil` if it never does.
  package var stopsAt: Int?
  /// The steps of the consumer's process; an empty list reads with a closure.
  package var steps: [ReadingStep]

  package init(
    _ consumer: ActorID,
    page: Int = 1000,
    entity: String? = nil,
    author: String? = nil,
    stopsAt: Int? = nil,
    steps: [ReadingStep] = []
  ) {
    self.consumer = consumer
    self.page = page
    self.entity = entity
    self.author = author
    self.stopsAt = stopsAt
    self.steps = steps
  }
}

/// A step of a consumer's process.
package enum ReadingStep: String, Hashable, Sendable, CaseIterable {
  /// It requests the next page.
  case next
  /// It confirms the last page that it received.
  case confirm
  /// It requests all unconfirmed pages again.
  case startOver
  /// The process ends, and another one starts at the confirmed position.
  case restart
  /// A second process starts while the first one runs.
  case overtake
  /// It tries to confirm positions of other histories, which must be refused.
  case misplace
  /// It ends its membership, and another process of it registers at the newest position.
  case retire
}

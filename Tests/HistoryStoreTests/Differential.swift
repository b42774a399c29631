import Foundation
import HistoryStore
import HistoryTypes
import Testing

/// Sends two stores the same requests of every kind, and compares the results except for store
/// identities.
struct Differential {
  let left: Store
  let right: Store
  private let all: HistoryPage

  init(left: Store, right: Store) throws {
    self.left = left
    self.right = right
    all = try left.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
  }

  func compare() throws {
    #expect(!all.transactions.isEmpty)
    #expect(try left.currentToken().number == right.currentToken().number)
    #expect(try left.heldNumbers() == right.heldNumbers())
    try compareEverything()
    // Big files use only a share of the filters, depending on their size.
    let shareCount = all.changes.count > 500 ? 4 : 1
    for (index, filter) in filters().enumerated()
    where index % shareCount == all.changes.count % shareCount {
      try compareAnswers(HistoryRequest(after: nil, filter: filter))
    }
    for request in positions() { compare(request) }
    try compareSingle()
  }

  /// Compares every property of each change and transaction, from pages and from rows.
  private func compareEverything() throws {
    for changeCountMax in [100_000, 16] {
      var request = HistoryRequest(after: nil)
      request.changeCountMax = changeCountMax
      var readers = (try left.reader(request), try right.reader(request))
      var facts: ([TransactionFacts], [TransactionFacts]) = ([], [])
      while let page = try readers.0.next() {
        facts.0 += page.transactions.map(TransactionFacts.init)
      }
      while let page = try readers.1.next() {
        facts.1 += page.transactions.map(TransactionFacts.init)
      }
      #expect(facts.0.map(\.number).count >= all.transactions.count)
      #expect(facts.0.flatMap(\.changes) == facts.1.flatMap(\.changes))
      #expect(Set(facts.0.map(\.own)) == Set(facts.1.map(\.own)))
    }
    let sql = "SELECT * FROM history_changes"
    let rows = try (left.query(sql).rows, right.query(sql).rows)
    #expect(rows.0 == rows.1 && rows.0.count == all.changes.count)
  }

  /// Every kind of filter, with values that history has and values that it lacks.
  private func filters() -> [HistoryFilter?] {
    let transactions = all.transactions
    let middle = transactions[transactions.count / 2]
    func some(_ values: [String?]) -> [String?] {
      let sorted = Set(values).sorted { left, right in (left ?? "") < (right ?? "") }
      return Array(sorted.prefix(3)) + ["nobody", nil]
    }
    var filters: [HistoryFilter?] = [nil, .all([]), .any([])]
    filters += some(transactions.map(\.author)).flatMap { [.author($0), .not(.author($0))] }
    filters += some(transactions.map(\.contextName)).map { .contextName($0) }
    filters += some(transactions.map(\.bundleID)).map { .bundleID($0) }
    filters += some(transactions.map(\.processID)).map { .processID($0) }
    filters += ChangeType.allCases.flatMap { [.type($0), .not(.type($0))] }
    filters += Set(all.changes.compactMap(\.entityName)).sorted().prefix(3).flatMap {
      [.entity($0), .not(.entity($0))]
    }
    let deleted = all.changes.last { $0.type == .delete }
    filters += [all.changes.first, deleted].compactMap(\.self).map { .object($0.objectID) }
    filters += [.numbers(2...middle.number), .numbers(middle.number...middle.number)]
    let time = middle.timestamp
    filters += [.timestamps(time...time), .timestamps(time...time.addingTimeInterval(100))]
    filters.append(.any([.all([.author(middle.author), .type(.insert)]), .numbers(1...3)]))
    filters.append(.not(.all([.not(.type(.update)), .timestamps(.distantPast...time)])))
    return filters
  }

  /// Every kind of position: the start, tokens, dates and transactions, with and without a filter.
  private func positions() -> [HistoryRequest] {
    let first = all.transactions[0]
    var requests = [HistoryRequest(after: HistoryToken.beginning(of: left.id))]
    // Positions below the first transaction count as purged.
    let below = HistoryToken(store: left.id, number: first.number.rawValue - 1, mark: 0)
    requests += [below, HistoryToken(store: left.id, number: .max, mark: 0)].map {
      HistoryRequest(after: $0)
    }
    for transaction in all.transactions
    where transaction.number.rawValue % 16 == first.number.rawValue % 16 {
      let filter: HistoryFilter? =
        transaction.number.rawValue % 32 < 16 ? .not(.type(.insert)) : nil
      requests.append(
        HistoryRequest(after: transaction.token, filter: filter, transactionCountMax: 5)
      )
      requests.append(HistoryRequest(after: transaction, filter: filter, transactionCountMax: 2))
      for seconds in [-1e-6, 0, 1e-6] {
        let date = transaction.timestamp.addingTimeInterval(seconds)
        requests.append(HistoryRequest(after: date, filter: filter, transactionCountMax: 3))
      }
    }
    return requests
  }

  /// All result types, page by page to the end.
  private func compareAnswers(_ first: HistoryRequest) throws {
    for contents in HistoryContents.allCases {
      var request = first
      request.contents = contents
      request.transactionCountMax = 100
      let pages = try (pages(left, request), pages(right, request))
      #expect(pages.0 == pages.1, "\(request)")
      #expect(try left.count(request) == right.count(request), "\(request)")
    }
    #expect(try left.objectIDs(first) == right.objectIDs(first), "\(first)")
    #expect(try left.hasHistory(first) == right.hasHistory(first), "\(first)")
  }

  private func pages(_ store: Store, _ first: HistoryRequest) throws -> [PageFacts] {
    var page = try store.fetch(first)
    var pages = [PageFacts(page)]
    var request = first
    while page.hasMore {
      request = request.next(after: page)
      page = try store.fetch(request)
      pages.append(PageFacts(page))
    }
    return pages
  }

  private func compare(_ request: HistoryRequest) {
    #expect(answer(left, request) == answer(right, request), "\(request)")
  }

  /// One page, or the error as text.
  private func answer(_ store: Store, _ request: HistoryRequest) -> Result<PageFacts, Refusal> {
    var request = request
    if case .token(let token?) = request.position {
      request.position = .token(
        HistoryToken(store: store.id, number: token.number, mark: token.mark)
      )
    }
    do {
      return .success(PageFacts(try store.fetch(request)))
    } catch {
      let words = error.description.replacingOccurrences(of: store.id.description, with: "store")
      return .failure(Refusal(words: words))
    }
  }

  /// Single transactions, by number and by token.
  private func compareSingle() throws {
    let head = try left.currentToken().number
    for number in [0, 1, all.transactions[0].number.rawValue, head - 1, head, head + 1] {
      let found = try (
        left.transaction(TransactionNumber(number)), right.transaction(TransactionNumber(number))
      )
      #expect(found.0.map(TransactionFacts.init) == found.1.map(TransactionFacts.init))
      guard let transaction = found.0 else { continue }
      let token = HistoryToken(store: right.id, number: number, mark: transaction.token.mark)
      #expect(try left.transaction(at: transaction.token)?.token.number == number)
      #expect(try right.transaction(at: token)?.token.number == number)
    }
  }
}

private struct Refusal: Error, Equatable {
  let words: String
}

/// The transactions and changes of a page, and its end.
private struct PageFacts: Equatable {
  let through: Int64
  let hasMore: Bool
  let transactions: [Int64]
  let changeCounts: [Int]
  let changes: [ChangeID]

  init(_ page: HistoryPage) {
    through = page.scannedThrough.number
    hasMore = page.hasMore
    transactions = page.transactions.map(\.number.rawValue)
    changeCounts = page.transactions.map(\.changeCount)
    changes = page.changes.map(\.id)
  }
}

/// Every property of a transaction.
private struct TransactionFacts: Equatable {
  /// The properties that do not depend on which of its changes are on the page.
  struct Own: Hashable {
    let number: Int64
    let timestamp: Date
    let mark: Int64
    let names: [String?]
    let writer: WriterID?
    let changeCount: Int
  }

  let own: Own
  let changes: [ChangeFacts]
  var number: Int64 { own.number }

  init(_ transaction: HistoryTransaction) {
    own = Own(
      number: transaction.number.rawValue,
      timestamp: transaction.timestamp,
      mark: transaction.token.mark,
      names: [
        transaction.author, transaction.contextName, transaction.bundleID, transaction.processID,
      ],
      writer: transaction.writer,
      changeCount: transaction.changeCount
    )
    changes = transaction.changes.map(ChangeFacts.init)
  }
}

import PersistentHistory
import SQLiteStorage

/// The changes of a history as rows for SQL, one row per change in either layout.
///
/// Changes are fetched page by page, so that a query that ends early does not unpack the rest.
final class HistoryChangeRows: TableRows {
  /// The columns in order; `number` and `place` identify a change.
  private enum Column: Int32, CaseIterable {
    case number
    case place
    case timestamp
    case author
    case context
    case bundle
    case process
    case entity
    case key
    case type
    case properties
    case tombstone

    var declaration: String {
      switch self {
      case .number, .place, .key: "\(self) INTEGER"
      case .timestamp: "\(self) REAL"
      default: "\(self) TEXT"
      }
    }
  }

  /// The declaration of the table for SQL.
  static let table = TableDescription(
    name: "history_changes",
    columns: Column.allCases.map(\.declaration),
    keyCount: 2
  )
  /// The column with the values of deleted objects.
  static let tombstoneColumn = "\(Column.tombstone)"

  /// The types of changes by raw value; `String(describing:)` took ten times as long.
  private static let words = ["insert", "update", "delete"]

  /// The number of changes of the first page, and the maximum of later pages.
  private static let changeCounts = (first: 64, most: 16 * 1024)

  private unowned let core: StoreCore
  private var request = HistoryRequest(after: nil)
  private var page: HistoryPage?
  private var hasMore = false
  /// The indices of the row's transaction and change in the page.
  private var transaction = 0
  private var change = -1

  init(_ core: StoreCore) { self.core = core }

  func start(in numbers: ClosedRange<Int64>) throws {
    request = HistoryRequest(after: nil, filter: .numbers(numbers))
    request.streaming = StreamingLimits()
    request.changeCountMax = Self.changeCounts.first
    page = nil
    hasMore = true
  }

  func next() throws -> Bool {
    change += 1
    while change >= page?.changeRecords.count ?? 0 {
      guard hasMore else { return false }
      try readPage()
    }
    while let record = page?.records[transaction], change >= record.firstChange + record.count {
      transaction += 1
    }
    return true
  }

  private func readPage() throws {
    if let page { request = request.next(after: page) }
    let read = try core.fetch(request)
    request.changeCountMax = min(4 * request.changeCountMax, Self.changeCounts.most)
    hasMore = read.hasMore
    page = read
    (transaction, change) = (0, 0)
  }

  func give(_ column: Int32, to answer: ColumnAnswer) {
    guard let page, let column = Column(rawValue: column) else { return }
    let record = page.records[transaction]
    let changed = page.changeRecords[change]
    switch column {
    case .number: answer.set(record.number)
    case .place: answer.set(Int64(record.firstPlace + change - record.firstChange))
    case .timestamp: answer.set(record.timestamp)
    case .author: answer.set(page.string(record.author))
    case .context: answer.set(page.string(record.contextName))
    case .bundle: answer.set(page.string(record.bundle))
    case .process: answer.set(HistoryTransaction(page: page, index: transaction).processID)
    case .entity: answer.set(page.model.entity(changed.entity)?.name ?? "#\(changed.entity)")
    case .key: answer.set(changed.key)
    case .type: answer.set(Self.words[Int(changed.type.rawValue)])
    case .properties:
      guard changed.type == .update else { return }
      answer.set(JSONText.array(HistoryChange(page: page, index: change).updatedProperties))
    case .tombstone:
      answer.set(HistoryChange(page: page, index: change).tombstone.map(JSONText.object))
    }
  }
}

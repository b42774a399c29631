import PersistentHistory
import SQLiteStorage

/// A filter as conditions on transactions, with the values that they bind.
///
/// Strings appear as their numbers, absent ones as 0, so there is no null to trip over and nothing to
/// quote; ranges are bound, so that a statement serves them all.
struct FilterSQL {
  /// Where the first value is bound; the positions before belong to the scan.
  private static let firstPosition: Int32 = 3

  private enum Bound {
    case int(Int64)
    case real(Double)
  }

  /// What holds for every transaction that matches; for others it may hold, too, when the filter
  /// depends on changes.
  private(set) var possible = "1"
  /// What holds only for transactions whose every change matches, or that match without any.
  private(set) var certain = "1"
  private var bounds: [Bound] = []
  private let columns: HistoryLayout
  /// Whether a transaction without changes is taken for one that may touch any entity: that it touches
  /// none does not make it match.
  private var answersEmpty = false

  init(_ filter: CompiledFilter, _ columns: HistoryLayout) {
    self.columns = columns
    possible = sql(filter, orElse: true)
    guard filter.readsChanges else { return }
    answersEmpty = true
    certain = sql(filter, orElse: false)
  }

  /// Binds the values to a statement that holds the conditions.
  func bind(to statement: borrowing Statement) {
    for (offset, bound) in bounds.enumerated() {
      let position = Self.firstPosition + Int32(offset)
      switch bound {
      case .int(let value): statement.bind(value, at: position)
      case .real(let value): statement.bind(value, at: position)
      }
    }
  }

  /// The condition, with an answer for what only a change can tell; under a `not` it is the other one.
  private mutating func sql(_ filter: CompiledFilter, orElse unknown: Bool) -> String {
    switch filter {
    case .constant(let value): value ? "1" : "0"
    case .string(let column, let number): "\(name(of: column)) = \(number)"
    case .numbers(let range):
      "(\(columns.number) >= \(place(.int(range.lowerBound))) "
        + "AND \(columns.number) <= \(place(.int(range.upperBound))))"
    case .timestamps(let range):
      "(\(columns.timestamp) >= \(place(.real(range.lowerBound))) "
        + "AND \(columns.timestamp) <= \(place(.real(range.upperBound))))"
    case .entity(let entity): unknown ? isTouched(entity) : "0"
    case .object(let id): unknown ? isTouched(id.entity) : "0"
    case .type: unknown ? "1" : "0"
    case .all(let filters): join(filters, by: " AND ", empty: "1", orElse: unknown)
    case .any(let filters): join(filters, by: " OR ", empty: "0", orElse: unknown)
    case .not(let filter): "NOT \(sql(filter, orElse: !unknown))"
    }
  }

  /// Whether the bitmap of entities has the bit of one, which others may share.
  private func isTouched(_ entity: Int32) -> String {
    let isTouched = "\(columns.entities) >> \(entity & 63) & 1"
    return answersEmpty ? "(\(columns.entities) = 0 OR \(isTouched))" : "(\(isTouched))"
  }

  private mutating func place(_ bound: Bound) -> String {
    bounds.append(bound)
    return "?\(Self.firstPosition + Int32(bounds.count) - 1)"
  }

  private mutating func join(
    _ filters: [CompiledFilter],
    by word: String,
    empty: String,
    orElse unknown: Bool
  ) -> String {
    var parts: [String] = []
    for filter in filters { parts.append(sql(filter, orElse: unknown)) }
    return parts.isEmpty ? empty : "(" + parts.joined(separator: word) + ")"
  }

  private func name(of column: CompiledFilter.StringColumn) -> String {
    switch column {
    case .author: columns.author
    case .contextName: columns.contextName
    case .bundle: columns.bundle
    case .process: columns.process
    }
  }
}

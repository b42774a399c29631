import PersistentHistory
import SQLiteStorage

/// A filter as SQL conditions on transactions, with the values to bind.
///
/// Strings appear as their numbers, absent ones as 0, so that the conditions need neither null
/// checks nor quoting. The bounds of ranges are bound, so that one statement serves all ranges.
struct FilterSQL {
  /// The position of the first bound value; lower positions belong to the scan.
  private static let firstPosition: Int32 = 3

  private enum Bound {
    case int(Int64)
    case real(Double)
  }

  /// A condition that every matching transaction meets.
  ///
  /// Others may meet it too when the filter depends on changes.
  private(set) var possible = "1"
  /// A condition that only transactions meet that match with every change, or without changes.
  private(set) var certain = "1"
  private var bounds: [Bound] = []
  private let columns: HistoryLayout
  /// Whether a transaction without changes is treated as one that may touch any entity.
  ///
  /// Otherwise, touching no entity could make it match.
  private var answersEmpty = false

  init(_ filter: CompiledFilter, _ columns: HistoryLayout) {
    self.columns = columns
    possible = sql(filter, orElse: true)
    guard filter.readsChanges else { return }
    answersEmpty = true
    certain = sql(filter, orElse: false)
  }

  /// Binds the values to a statement that contains the conditions.
  func bind(to statement: borrowing Statement) {
    for (offset, bound) in bounds.enumerated() {
      let position = Self.firstPosition + Int32(offset)
      switch bound {
      case .int(let value): statement.bind(value, at: position)
      case .real(let value): statement.bind(value, at: position)
      }
    }
  }

  /// Returns the condition, with `unknown` for tests of a change; a `not` inverts `unknown`.
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

  /// Returns a test of an entity's bit in the bitmap, which other entities may share.
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

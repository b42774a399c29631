import HistoryTypes
import SQLiteStorage

/// A filter whose names are resolved to numbers, for use in SQL and on unpacked changes.
indirect enum CompiledFilter {
  /// A string property of a transaction, stored as a number.
  enum StringColumn {
    case author
    case contextName
    case bundle
    case process
  }

  case constant(Bool)
  case string(StringColumn, Int32)
  case numbers(ClosedRange<Int64>)
  /// A range of timestamps in seconds since 2001-01-01 UTC.
  case timestamps(ClosedRange<Double>)
  case entity(Int32)
  case type(ChangeType)
  case object(ObjectID)
  case all([CompiledFilter])
  case any([CompiledFilter])
  case not(CompiledFilter)

  /// Resolves the names of a filter; a string that the file does not contain matches no transaction.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity``.
  init(
    _ filter: HistoryFilter,
    _ model: Model,
    _ strings: InternedStrings
  ) throws(HistoryError) {
    func string(_ column: StringColumn, _ text: String?) -> CompiledFilter {
      strings.number(of: text).map { .string(column, $0) } ?? .constant(false)
    }
    func compiled(_ filters: [HistoryFilter]) throws(HistoryError) -> [CompiledFilter] {
      try filters.map { filter throws(HistoryError) in
        try CompiledFilter(filter, model, strings)
      }
    }
    switch filter {
    case .author(let text): self = string(.author, text)
    case .contextName(let text): self = string(.contextName, text)
    case .bundleID(let text): self = string(.bundle, text)
    case .processID(let text):
      self = .any(strings.numbers(ofProcess: text).map { .string(.process, $0) })
    case .numbers(let range): self = .numbers(range.lowerBound.rawValue...range.upperBound.rawValue)
    case .timestamps(let range):
      self = .timestamps(
        range.lowerBound
          .timeIntervalSinceReferenceDate...range.upperBound.timeIntervalSinceReferenceDate
      )
    case .entity(let name):
      guard let number = model.number(of: name) else { throw .unknownEntity(name, in: model) }
      self = .entity(number)
    case .type(let type): self = .type(type)
    case .object(let id): self = .object(id)
    case .all(let filters): self = .all(try compiled(filters))
    case .any(let filters): self = .any(try compiled(filters))
    case .not(let filter): self = .not(try CompiledFilter(filter, model, strings))
    }
  }

  /// Whether any condition of the filter depends on changes, and not only on the transaction.
  var readsChanges: Bool {
    switch self {
    case .entity, .type, .object: true
    case .all(let filters), .any(let filters): filters.contains(where: \.readsChanges)
    case .not(let filter): filter.readsChanges
    case .constant, .string, .numbers, .timestamps: false
    }
  }

  /// The lowest transaction number that can match, or `nil` if no top-level condition limits it.
  var numberMin: Int64? {
    switch self {
    case .numbers(let range): range.lowerBound
    case .all(let filters): filters.compactMap(\.numberMin).max()
    default: nil
    }
  }
}

// MARK: Changes

extension CompiledFilter {
  /// Returns the filter with every condition on the transaction replaced by its result.
  func reduced(for record: TransactionRecord) -> CompiledFilter {
    switch self {
    case .string(let column, let number): .constant(column.number(in: record) == number)
    case .numbers(let range): .constant(range.contains(record.number))
    case .timestamps(let range): .constant(range.contains(record.timestamp))
    case .all(let filters): Self.all(filters.map { $0.reduced(for: record) }).folded
    case .any(let filters): Self.any(filters.map { $0.reduced(for: record) }).folded
    case .not(let filter): Self.not(filter.reduced(for: record)).folded
    case .constant, .entity, .type, .object: self
    }
  }

  /// The same filter, simplified: without nested constants and without lists of one element.
  private var folded: CompiledFilter {
    switch self {
    case .all(let filters):
      if filters.contains(where: { $0.isConstant(false) }) { return .constant(false) }
      let open = filters.filter { !$0.isConstant(true) }
      return open.isEmpty ? .constant(true) : open.count == 1 ? open[0] : .all(open)
    case .any(let filters):
      if filters.contains(where: { $0.isConstant(true) }) { return .constant(true) }
      let open = filters.filter { !$0.isConstant(false) }
      return open.isEmpty ? .constant(false) : open.count == 1 ? open[0] : .any(open)
    case .not(.constant(let value)): return .constant(!value)
    default: return self
    }
  }

  private func isConstant(_ wanted: Bool) -> Bool {
    if case .constant(wanted) = self { true } else { false }
  }

  /// Returns whether a change matches this filter.
  ///
  /// The filter must be a result of ``reduced(for:)``: if it still contains a condition on the
  /// transaction, the call stops the program.
  func matches(_ change: ChangeRecord) -> Bool {
    switch self {
    case .entity(let entity): change.entity == entity
    case .type(let type): change.type == type
    case .object(let id): change.key == id.key && change.entity == id.entity
    case .all(let filters): filters.allSatisfy { $0.matches(change) }
    case .any(let filters): filters.contains { $0.matches(change) }
    case .not(let filter): !filter.matches(change)
    case .constant(let value): value
    case .string, .numbers, .timestamps:
      fatalError("Call reduced(for:) before matches(_:): \(self) depends on a transaction.")
    }
  }
}

extension CompiledFilter.StringColumn {
  fileprivate func number(in record: TransactionRecord) -> Int32 {
    switch self {
    case .author: record.author
    case .contextName: record.contextName
    case .bundle: record.bundle
    case .process: record.process
    }
  }
}

/// A filter as SQL conditions on transactions, with the values to bind.
///
/// Strings appear as their numbers, and absent strings as 0, so that the conditions need neither
/// null checks nor quoting. The limits of ranges are parameters, so that one statement serves all
/// ranges.
struct FilterSQL {
  /// The position of the filter's first SQL parameter; the scan binds the lower positions.
  private static let firstPosition: Int32 = 3

  private enum Bound {
    case int(Int64)
    case real(Double)
  }

  /// A condition that is true for every matching transaction.
  ///
  /// If the filter depends on changes, the condition may also be true for other transactions.
  private(set) var possible = "1"
  /// A condition that is true only for transactions that match regardless of their changes.
  private(set) var certain = "1"
  private var bounds: [Bound] = []
  private let columns: HistoryLayout
  /// Whether the generated SQL treats a transaction without changes as if it changed every entity.
  ///
  /// This is `true` only while ``certain`` is generated. Without this rule, a filter such as
  /// `.not(.entity("Note"))` would make ``certain`` true for a transaction that has no change to
  /// match.
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

  /// Returns the filter as an SQL condition on transactions.
  ///
  /// SQL cannot test individual changes. If `unknown` is `true`, a test of changes becomes a condition
  /// that is true whenever a change may pass the test. If `unknown` is `false`, the test becomes false.
  /// Inside a `not`, `unknown` is inverted.
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

  /// Returns SQL that tests whether a transaction's bitmap of changed entities contains an entity.
  ///
  /// Entities whose numbers are equal modulo 64 share one bit.
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

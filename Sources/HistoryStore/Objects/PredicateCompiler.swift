import HistoryTypes

/// A predicate as SQL, with the values to bind in the order of their positions.
struct CompiledPredicate {
  var sql: String
  var values: [Value] = []
}

extension StoreCore {
  /// Translates a predicate over an entity into SQL with parameters numbered from `position`.
  func compile(
    _ predicate: ObjectPredicate?,
    over table: EntityStatements,
    from position: Int
  ) throws -> CompiledPredicate {
    var compiler = PredicateCompiler(core: self, table: table, position: position)
    let sql = try compiler.sql(predicate ?? .all([]), depth: 0)
    return CompiledPredicate(sql: sql, values: compiler.values)
  }

  /// Binds the values of a compiled predicate to a statement, starting at parameter `position`.
  func bind(_ compiled: CompiledPredicate, to row: PreparedStatement, from position: Int) {
    for (offset, value) in compiled.values.enumerated() {
      row.statement.bind(value, at: Int32(offset + position))
    }
  }
}

/// Translates one predicate into SQL; names come from the model, values are bound.
private struct PredicateCompiler {
  let core: StoreCore
  let table: EntityStatements
  let position: Int
  var values: [Value] = []
  private var comparisonCount = 0

  init(core: StoreCore, table: EntityStatements, position: Int) {
    self.core = core
    self.table = table
    self.position = position
  }

  mutating func sql(_ predicate: ObjectPredicate, depth: Int) throws -> String {
    try Self.hold(depth, to: .depth)
    switch predicate {
    case .compare(let name, let comparison, let value):
      return try compare(name, comparison, value)
    case .in(let name, let list): return try membership(name, list)
    case .between(let name, let low, let high): return try between(name, low, high)
    case .like(let name, let pattern): return try like(name, pattern)
    case .all(let parts): return try join(parts, " AND ", ofNone: "1", depth)
    case .any(let parts): return try join(parts, " OR ", ofNone: "0", depth)
    // A condition that is null in SQL does not match, so its negation must match.
    case .not(let part): return "(\(try sql(part, depth: depth + 1))) IS NOT TRUE"
    }
  }

  private static func hold(_ count: Int, to limit: PredicateLimit) throws {
    guard count <= limit.most else { throw HistoryError.predicateTooLarge(limit, found: count) }
  }

  private mutating func join(
    _ parts: [ObjectPredicate],
    _ word: String,
    ofNone: String,
    _ depth: Int
  ) throws -> String {
    guard !parts.isEmpty else { return ofNone }
    return "(" + (try parts.map { try sql($0, depth: depth + 1) }).joined(separator: word) + ")"
  }

  /// Returns the attribute with a name and its column as SQL, and counts one comparison.
  private mutating func attribute(_ name: String) throws -> (Attribute, column: String) {
    let entity = table.entity
    guard let index = entity.index(of: name) else {
      throw HistoryError.unknownAttribute(name, of: entity)
    }
    comparisonCount += 1
    try Self.hold(comparisonCount, to: .comparisons)
    return (entity.attributes[index], table.qualified(table.columnNames[index]))
  }

  /// Returns the SQL parameter for a value, and throws if the value does not fit the attribute.
  private mutating func place(_ value: Value, of attribute: Attribute) throws -> String {
    try core.check(value, of: attribute, in: table.entity)
    values.append(value)
    try Self.hold(values.count, to: .values)
    return "?\(position + values.count - 1)"
  }

  private mutating func compare(
    _ name: String,
    _ comparison: Comparison,
    _ value: Value
  ) throws -> String {
    let (attribute, column) = try attribute(name)
    guard value == .null else {
      return "\(column) \(comparison.rawValue) \(try place(value, of: attribute))"
    }
    switch comparison {
    case .equal: return "\(column) IS NULL"
    case .notEqual: return "\(column) IS NOT NULL"
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return "0"
    }
  }

  private mutating func membership(_ name: String, _ list: [Value]) throws -> String {
    let (attribute, column) = try attribute(name)
    var places: [String] = []
    for value in list where value != .null { places.append(try place(value, of: attribute)) }
    let isOne = "\(column) IN (\(places.joined(separator: ",")))"
    return list.contains(.null) ? "(\(isOne) OR \(column) IS NULL)" : isOne
  }

  private mutating func between(_ name: String, _ low: Value, _ high: Value) throws -> String {
    let (attribute, column) = try attribute(name)
    let places = (try place(low, of: attribute), try place(high, of: attribute))
    return "\(column) BETWEEN \(places.0) AND \(places.1)"
  }

  private mutating func like(_ name: String, _ pattern: String) throws -> String {
    let (attribute, column) = try attribute(name)
    try Self.hold(pattern.utf8.count, to: .patternBytes)
    return "\(column) LIKE \(try place(.string(pattern), of: attribute)) ESCAPE '\\'"
  }
}

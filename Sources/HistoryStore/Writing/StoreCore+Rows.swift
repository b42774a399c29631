import HistoryTypes
import SQLiteStorage

extension Statement {
  /// Binds a value in the storage class of its type.
  borrowing func bind(_ value: Value, at position: Int32) {
    switch value {
    case .null: bindNull(at: position)
    case .int(let value): bind(value, at: position)
    case .double(let value): bind(value, at: position)
    case .string(let value): bind(value, at: position)
    case .data(let value): value.withUnsafeBytes { bind(copying: $0, at: position) }
    case .date(let value): bind(value.timeIntervalSinceReferenceDate, at: position)
    case .bool(let value): bind(value ? 1 : 0 as Int64, at: position)
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { bind(copying: $0, at: position) }
    }
  }
}

extension RowValues where Self: ~Copyable {
  /// Returns the value of a column as an attribute's type.
  ///
  /// A value in another storage class is converted, or null when that is impossible.
  @inline(__always)
  borrowing func value(_ column: Int32, as type: AttributeType) -> Value {
    switch (storage(column), type) {
    case (.null, _): .null
    case (.integer, .int): .int(int(column))
    case (.real, .double): .double(real(column))
    case (.real, .date): .date(Date(timeIntervalSinceReferenceDate: real(column)))
    case (.text, .string): .string(String(decoding: bytes(column), as: UTF8.self))
    case (.integer, _): Value(stored: int(column), as: type) ?? .null
    case (.real, _): Value(stored: real(column), as: type) ?? .null
    case (.text, _), (.blob, _): Value(stored: bytes(column), as: type) ?? .null
    }
  }
}

extension Value {
  /// The maximum size of a string or data in bytes.
  ///
  /// The maximum is half of SQLite's limit, so that the tombstone with the value fits as well.
  static let byteCountMax = 500_000_000
}

extension StoreCore {
  func entity(_ name: String) throws -> (number: Int32, entity: Entity) {
    guard let number = model.number(of: name), let entity = model.entity(number) else {
      throw HistoryError.unknownEntity(name, in: model)
    }
    return (number, entity)
  }

  func entity(_ number: Int32) throws -> Entity {
    try table(number).entity
  }

  func table(_ name: String) throws -> EntityStatements {
    guard let number = model.number(of: name) else {
      throw HistoryError.unknownEntity(name, in: model)
    }
    return try table(number)
  }

  func table(_ number: Int32) throws -> EntityStatements {
    if tables.indices.contains(Int(number) - 1) {
      let table = tables[Int(number) - 1]
      if table.isDeclared { return table }
    }
    throw HistoryError.unknownEntity("number \(number)", in: model)
  }

  /// Throws for a value that does not fit its attribute, or exceeds SQLite's limits.
  ///
  /// A value that cannot be bound would become null (https://sqlite.org/limits.html).
  func check(_ value: Value, of attribute: Attribute, in entity: Entity) throws {
    guard value.fits(attribute.type) else {
      throw HistoryError.unfitValue(
        entity: entity.name,
        attribute: attribute.name,
        type: attribute.type
      )
    }
  }

  /// Throws for a value that does not fit the attribute with an index, like ``check(_:of:in:)``.
  @inline(__always)
  func check(_ value: Value, of table: EntityStatements, _ index: Int) throws {
    guard value.fits(table.types[index]) else {
      return try check(value, of: table.entity.attributes[index], in: table.entity)
    }
  }

  /// Returns the next key of an entity; reserves a block of keys in the current write if necessary.
  func nextKey(_ entity: Int32) throws -> Int64 {
    _ = try table(entity)
    return try nextKey(entity, from: &cache.keys[Int(entity) - 1])
  }

  /// Returns the next key of an entity from a block of reserved keys.
  ///
  /// If the block is empty, reserves another block within the current write.
  @inline(__always)
  func nextKey(_ entity: Int32, from block: inout KeyBlock) throws -> Int64 {
    if !block.hasNext { block = try reservedKeys(entity, count: block.size) }
    defer { block.next += 1 }
    return block.next
  }

  /// Whether the next key is available without a write.
  func hasKey(_ entity: Int32) -> Bool {
    cache.keys[Int(entity) - 1].hasNext
  }

  private func reservedKeys(_ entity: Int32, count: Int64) throws -> KeyBlock {
    hasChangedCache = true
    let first = try reserve(count, of: entity)
    return KeyBlock(next: first, end: first + count, size: min(count * 2, 4096))
  }

  /// Advances an entity's key counter past a key, so that new objects get greater keys.
  func skipKeys(of entity: Int32, through key: Int64) throws {
    let skip = try query(layout.skippedKeys)
    skip.statement.bind(Int64(entity), at: 1)
    skip.statement.bind(key, at: 2)
    try skip.statement.run()
  }

  /// Reserves `count` consecutive keys of an entity, and returns the first of them.
  func reserve(_ count: Int64, of entity: Int32) throws -> Int64 {
    let reserve = try statement(.reserveKeys)
    reserve.statement.bind(Int64(entity), at: 1)
    reserve.statement.bind(count, at: 2)
    defer { reserve.statement.reset() }
    guard try reserve.statement.step() else {
      throw HistoryError.damaged(path: path, what: "the next key of entity \(entity) is missing")
    }
    return reserve.statement.int(0)
  }

  /// Returns the number of a string, or 0 for `nil`; the current write adds a new string.
  func intern(_ string: String?) throws -> Int32 {
    if let known = cache.strings.number(of: string) { return known }
    guard let string else { return 0 }
    let find = try statement(.findString)
    find.statement.bind(string, at: 1)
    let isThere = try find.statement.step()
    let found = Int32(truncatingIfNeeded: find.statement.int(0))
    find.statement.reset()
    if isThere {
      cache.strings.learn(string, as: found)
      return found
    }
    hasChangedCache = true
    let insert = try statement(.insertString)
    insert.statement.bind(string, at: 1)
    try insert.statement.run()
    let number = Int32(truncatingIfNeeded: connection.lastInsertedKey)
    if layout == .coreData { try raise(CoreDataEntity.string, to: Int64(number)) }
    cache.strings.learn(string, as: number)
    return number
  }

  /// Returns the interned-string number of an author; adds a new author to `history_author`.
  func internAuthor(_ author: String?) throws -> Int32 {
    if let last = cache.lastAuthor, last.name == author { return last.number }
    let number = try intern(author)
    cache.lastAuthor = (author, number)
    if number != 0 && cache.authors.insert(number).inserted {
      hasChangedCache = true
      let insert = try statement(.insertAuthor)
      insert.statement.bind(Int64(number), at: 1)
      try insert.statement.run()
    }
    return number
  }

  /// Returns the number of a context name's interned string; the current write adds a new string.
  func internContext(_ name: String?) throws -> Int32 {
    if let last = cache.lastContext, last.name == name { return last.number }
    let number = try intern(name)
    cache.lastContext = (name, number)
    return number
  }

  /// The greatest number that an interned string may have.
  ///
  /// The cache of strings is an array by number, so its memory use grows with the greatest number.
  private static let stringNumberMax: Int64 = 1 << 24

  /// Reads the strings that other connections have added since the last call.
  func learnNewStrings() throws {
    let query = try statement(.newStrings)
    query.statement.bind(Int64(cache.strings.completeThrough), at: 1)
    defer { query.statement.reset() }
    var greatest = cache.strings.completeThrough
    while try query.statement.step() {
      let number = query.statement.int(0)
      guard number <= Self.stringNumberMax, let text = query.statement.text(1) else {
        throw HistoryError.damaged(
          path: path,
          what: "its table of strings has no text for number \(number), or the number is too large"
        )
      }
      cache.strings.learn(text, as: Int32(number))
      greatest = max(greatest, Int32(number))
    }
    cache.strings.markComplete(through: greatest)
  }
}

extension Value {
  /// Whether the value can be stored in an attribute of a type.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .null: true
    case .double(let double): type == .double && !double.isNaN
    case .date(let date): type == .date && !date.timeIntervalSinceReferenceDate.isNaN
    case .string(let text): type == .string && text.utf8.count <= Value.byteCountMax
    case .data(let data): type == .data && data.count <= Value.byteCountMax
    default: self.type == type
    }
  }
}

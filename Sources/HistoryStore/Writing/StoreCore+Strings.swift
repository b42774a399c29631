import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Returns the number of a string, 0 for `nil`; a new string is added within the current write.
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

  /// Returns the number of an author, which is also added to the authors with purged positions.
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

  /// The greatest number that a string may have, since memory use grows with it.
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
        throw HistoryError.damaged(path: path, what: "it has a string with number \(number)")
      }
      cache.strings.learn(text, as: Int32(number))
      greatest = max(greatest, Int32(number))
    }
    cache.strings.markComplete(through: greatest)
  }
}

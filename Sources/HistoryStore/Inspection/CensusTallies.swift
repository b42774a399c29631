/// Counts of changes by the number of their entity.
struct EntityTally {
  /// The changes of the entities with numbers below ``fewEntities``, which are nearly all of them.
  private var entities = Array(repeating: ChangeCounts(), count: fewEntities)
  private var furtherEntities: [Int64: ChangeCounts] = [:]
  private static let fewEntities = 1024

  /// Counts one change; `nil` is passed for a value that is not an integer.
  @inline(__always)
  mutating func add(entity: Int64?, type: Int64?) {
    let entity = entity ?? 0
    if entity >= 0 && entity < Int64(Self.fewEntities) {
      entities[Int(entity)].add(type: type)
    } else {
      furtherEntities[entity, default: ChangeCounts()].add(type: type)
    }
  }

  /// Returns the entities by descending number of changes, after looking up their names.
  func finish(_ name: (Int64) throws -> String?) rethrows -> [EntityCount] {
    var all = furtherEntities
    for (number, changes) in entities.enumerated() where changes.all > 0 {
      all[Int64(number)] = changes
    }
    return try all.map { number, changes in
      EntityCount(name: try name(number).map(CensusName.known) ?? .number(number), changes: changes)
    }.sorted { ($1.changes.all, $0.name.text) < ($0.changes.all, $1.name.text) }
  }
}

/// Counts of transactions and changes by author.
struct AuthorTally {
  private var authors: [CensusBuilder.AuthorKey: (transactions: Int, changes: Int)] = [:]

  /// Counts one transaction.
  mutating func add(_ author: CensusBuilder.AuthorKey, changeCount: Int) {
    let before = authors[author] ?? (0, 0)
    authors[author] = (before.transactions + 1, before.changes + changeCount)
  }

  /// Returns the authors by descending number of transactions, after looking up their names.
  func finish(_ string: (Int64) throws -> String?) rethrows -> [AuthorCount] {
    var byName: [CensusName: AuthorCount] = [:]
    for (key, count) in authors {
      let name: CensusName =
        switch key {
        case .absent: .absent
        case .text(let name): .known(name)
        case .string(let number): try string(number).map(CensusName.known) ?? .number(number)
        }
      byName[name, default: AuthorCount(name: name)].transactions += count.transactions
      byName[name, default: AuthorCount(name: name)].changes += count.changes
    }
    return byName.values.sorted {
      ($1.transactions, $0.name.text) < ($0.transactions, $1.name.text)
    }
  }
}

import HistoryStore

/// The transactions of a history in commit order, with counts in place of their changes.
///
/// The arrays from ``numbers`` to ``bytes`` have one element for each transaction. A million
/// transactions take 28 MB.
package struct HistoryOutline: Sendable, Hashable {
  package let layout: HistoryCensus.Layout
  /// Whether the file is a store of this library; such a store may also have the layout `coreData`.
  package var isOurs = false
  /// The UUID of the store in upper case, or `nil` if the file has none.
  package var store: String?
  /// The sizes of the file and of the history.
  package var storage = CensusStorage()
  /// The way in which the file returns free pages to the file system.
  package var vacuum = VacuumMode.manual
  /// The members, sorted by name, or `nil` for a file without a registry.
  package var members: [CensusMember]?
  /// The lowest cursor of the active members, or `nil` if there are none.
  package var watermark: Int64?
  /// Whether the file has tables in which CloudKit mirroring keeps its state.
  package var hasMirrorTables = false

  /// The number of each transaction, ascending.
  package internal(set) var numbers: [Int64] = []
  /// The timestamp of each transaction in seconds since 2001-01-01 UTC; NaN if it is not a number.
  package internal(set) var timestamps: [Double] = []
  /// The index of each transaction's author in ``authors``.
  package internal(set) var authorIndexes: [Int32] = []
  /// The number of changes of each transaction.
  package internal(set) var changeCounts: [Int32] = []
  /// The approximate size of each transaction in the file in bytes, including changes and indexes.
  ///
  /// All sizes are 0 if this build of SQLite cannot measure tables.
  package internal(set) var bytes: [Float] = []

  /// The authors in the order of their first transaction.
  package var authors: [OutlineAuthor] = []
  /// The entities of changed objects, by descending number of changes.
  package var entities: [EntityCount] = []
  /// The attributes that updates set, by descending number of updates.
  package var attributes: [AttributeCount] = []
  /// The number of changes whose transaction is missing.
  package internal(set) var orphanChanges = 0

  package init(layout: HistoryCensus.Layout) { self.layout = layout }

  /// The number of transactions.
  package var count: Int { numbers.count }

  /// Appends a transaction, whose number must be higher than all numbers before it.
  ///
  /// `bytes` may be in any unit if `OutlineBuilder.finish(_:)` converts the sizes of all transactions
  /// to bytes afterwards.
  package mutating func append(
    _ number: Int64,
    timestamp: Double?,
    author: Int32,
    changes: Int,
    bytes: Double
  ) {
    numbers.append(number)
    timestamps.append(timestamp ?? .nan)
    authorIndexes.append(author)
    changeCounts.append(Int32(clamping: changes))
    self.bytes.append(Float(bytes))
  }

  /// Returns the index of the first transaction with a number above `number`, or ``count``.
  package func firstIndex(after number: Int64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] > number { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

package struct OutlineAuthor: Sendable, Hashable {
  package let name: CensusName
  /// Whether a purge keeps the author's transactions.
  package var isProtected = false

  package init(name: CensusName, isProtected: Bool = false) {
    self.name = name
    self.isProtected = isProtected
  }

  /// Whether the author is a CloudKit mirror.
  package var isMirror: Bool {
    guard case .known(let name) = name else { return false }
    return AuthorPatterns.match(name, [AuthorPatterns.cloudKitMirror])
  }
}

/// The number of updates that set one attribute.
package struct AttributeCount: Sendable, Hashable {
  package let entity: CensusName
  /// The attribute's name, or `#n` for the n-th property from 0 if the file has no names.
  package let attribute: String
  package let updates: Int

  package init(entity: CensusName, attribute: String, updates: Int) {
    self.entity = entity
    self.attribute = attribute
    self.updates = updates
  }
}

/// The way in which a file returns free pages to the file system.
///
/// See https://sqlite.org/pragma.html#pragma_auto_vacuum.
package enum VacuumMode: Int64, Sendable, Hashable {
  /// Only `VACUUM` makes the file smaller.
  case manual = 0
  /// Every commit moves free pages to the end of the file and truncates the file.
  case full = 1
  /// `PRAGMA incremental_vacuum` removes the free pages from the file.
  case incremental = 2
}

/// The number of updates of each attribute, by entity number and attribute number.
struct AttributeTally {
  private var counts: [Int64: [Int]] = [:]

  /// Counts the attributes that one update set.
  ///
  /// `columns` has a bit for each of the first 64 attributes, and `rest` for the others.
  mutating func add(entity: Int64, columns: UInt64, rest: some Sequence<UInt8>) {
    var (first, last) = (columns, -1)
    counts[entity, default: Array(repeating: 0, count: 64)].withUnsafeMutableBufferPointer {
      while first != 0 {
        $0[first.trailingZeroBitCount] += 1
        first &= first - 1
      }
    }
    for (index, byte) in rest.enumerated() where byte != 0 {
      for bit in 0..<8 where byte >> UInt8(bit) & 1 == 1 {
        last = 64 + 8 * index + bit
        while counts[entity, default: []].count <= last { counts[entity]?.append(0) }
        counts[entity]?[last] += 1
      }
    }
  }

  /// Returns the attributes by descending number of updates, after looking up their names.
  func finish(
    entity: (Int64) throws -> String?,
    attribute: (Int64, Int) -> String?
  ) rethrows -> [AttributeCount] {
    try counts.flatMap { number, updates in
      let name = try entity(number).map(CensusName.known) ?? .number(number)
      return updates.enumerated().filter { $0.element > 0 }.map { column, count in
        AttributeCount(
          entity: name,
          attribute: attribute(number, column) ?? "#\(column)",
          updates: count
        )
      }
    }.sorted {
      ($1.updates, $0.entity.text, $0.attribute) < ($0.updates, $1.entity.text, $1.attribute)
    }
  }
}

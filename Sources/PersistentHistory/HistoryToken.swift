/// A position in one store's history: everything up to and including one transaction.
///
/// A token contains the store's identity, the transaction's number and a random mark of that
/// transaction. A store that was replaced or rewound thereby detects tokens from a different
/// history. Except for the store, the contents are opaque, as in `NSPersistentHistoryToken`:
/// compare tokens of one store, encode them, or print their description.
public struct HistoryToken: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The store that issued the token.
  public let store: StoreID
  /// The number of the last transaction at or before the position; 0 at the beginning of history.
  package let number: Int64
  /// The random mark of that transaction; 0 at the beginning.
  package let mark: Int64

  /// Creates a token; for use only by stores and codecs.
  package init(store: StoreID, number: Int64, mark: Int64) {
    self.store = store
    self.number = number
    self.mark = mark
  }

  /// Returns the position before the first transaction of a store.
  package static func beginning(of store: StoreID) -> HistoryToken {
    HistoryToken(store: store, number: 0, mark: 0)
  }

  /// The store and the number, for logs.
  public var description: String { "\(store)#\(number)" }
}

extension HistoryToken: Comparable {
  /// Orders tokens of one store by number, then by mark if history was rewound.
  ///
  /// Tokens of different stores are ordered by the text forms of their stores.
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    guard left.store == right.store else {
      return left.store.description < right.store.description
    }
    return (left.number, left.mark) < (right.number, right.mark)
  }
}

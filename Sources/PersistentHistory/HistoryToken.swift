/// A position in one store's history: everything up to and including one transaction.
///
/// A token names the store, the transaction's number and a random mark of that transaction, so that
/// a store that was replaced or rewound notices tokens that it did not give out. What it holds but for
/// the store is opaque, as in `NSPersistentHistoryToken`: compare tokens of one store, encode them, or
/// show their description.
public struct HistoryToken: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The store that gave the token out.
  public let store: StoreID
  /// The number of the last transaction that lies behind the position; 0 is the beginning.
  package let number: Int64
  /// The random mark of that transaction; 0 at the beginning.
  package let mark: Int64

  /// Creates a token; only stores and codecs do.
  package init(store: StoreID, number: Int64, mark: Int64) {
    self.store = store
    self.number = number
    self.mark = mark
  }

  /// The position before the first transaction of a store.
  package static func beginning(of store: StoreID) -> HistoryToken {
    HistoryToken(store: store, number: 0, mark: 0)
  }

  /// The store and the number, for logs.
  public var description: String { "\(store)#\(number)" }
}

extension HistoryToken: Comparable {
  /// Orders tokens of one store by position, and by mark where history was rewound; tokens of two
  /// stores by the stores' text forms first.
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    guard left.store == right.store else {
      return left.store.description < right.store.description
    }
    return (left.number, left.mark) < (right.number, right.mark)
  }
}

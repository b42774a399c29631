/// The identity of one store file, assigned on creation and never changed.
///
/// It corresponds to the store UUID in Core Data's store metadata (`NSPersistentStore.identifier`).
public struct StoreID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The UUID of the store.
  public let uuid: UUID

  /// Creates the identity with a UUID.
  public init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// Creates the identity from its text form, or returns `nil` if the text is not a UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(exactly: text) else { return nil }
    self.uuid = uuid
  }

  /// The text form, as formatted by `UUID`.
  public var description: String { uuid.uuidString }
}

/// The name of one member: a process in one role, or a consumer without contexts.
///
/// Two processes must never share a name. It therefore does not default to the author, which
/// several processes may write under.
public struct MemberID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The name.
  public let name: String

  /// Creates the identity with a name, which must not be empty.
  public init(_ name: String) {
    precondition(!name.isEmpty, "A member needs a name.")
    self.name = name
  }

  /// The name.
  public var description: String { name }
}

extension MemberID: ExpressibleByStringLiteral {
  /// Creates the identity with a literal name.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension MemberID: Comparable {
  /// Orders by name.
  public static func < (left: MemberID, right: MemberID) -> Bool { left.name < right.name }
}

/// The identity of one context in one process.
///
/// It is a random number, drawn when the context is created, by which a context recognizes its own
/// saves under any author.
public struct WriterID: RawRepresentable, Hashable, Sendable, Codable {
  /// The number; never 0.
  public let rawValue: Int64

  /// Creates the identity with a number.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// The number of one transaction in its store (Core Data: `transactionNumber`).
///
/// The first transaction has number 1. Numbers grow in commit order and may have gaps; they say
/// nothing about time. A number of 0 stands for the beginning of history.
public struct TransactionNumber: RawRepresentable, Hashable, Sendable, Codable {
  /// The number as it is in the file.
  public let rawValue: Int64

  /// Creates a number from its value in the file.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Creates a number from its value in the file.
  public init(_ rawValue: Int64) { self.init(rawValue: rawValue) }
}

extension TransactionNumber: Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Creates a number from a literal.
  public init(integerLiteral value: Int64) { self.init(rawValue: value) }

  /// Orders by commit order.
  public static func < (left: TransactionNumber, right: TransactionNumber) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The digits of the number.
  public var description: String { String(rawValue) }
}

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

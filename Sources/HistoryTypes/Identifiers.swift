/// The identity of one store file, assigned on creation and never changed.
///
/// Core Data: the store UUID in the store's metadata (`NSPersistentStore.identifier`).
public struct StoreID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The UUID of the store.
  public let uuid: UUID

  /// Creates a store ID with a UUID.
  public init(_ uuid: UUID) {
    self.uuid = uuid
  }

  /// Creates a store ID from its text form, or returns `nil` if the text is not a UUID.
  public init?(_ text: String) {
    guard let uuid = UUID(exactly: text) else { return nil }
    self.uuid = uuid
  }

  /// The text form, as formatted by `UUID`.
  public var description: String { uuid.uuidString }
}

/// The name of one member, for which a store keeps history until the member has read it.
///
/// A member is a process in one role, such as `app` or `widget`, or a consumer that reads history
/// without contexts. Two processes must never share a member name. Several processes may write under
/// one author, so the member name does not default to the author.
public struct MemberID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The member's name.
  public let name: String

  /// Creates a member ID with a name, which must not be empty.
  public init(_ name: String) {
    precondition(!name.isEmpty, "A member needs a name.")
    self.name = name
  }

  /// The member's name.
  public var description: String { name }
}

extension MemberID: ExpressibleByStringLiteral {
  /// Creates a member ID with a literal name, which must not be empty.
  public init(stringLiteral name: String) {
    self.init(name)
  }
}

extension MemberID: Comparable {
  /// Orders members by name.
  public static func < (left: MemberID, right: MemberID) -> Bool { left.name < right.name }
}

/// The identity of one context in one process.
///
/// The identity is a random number, drawn when the context is created. A context uses it to
/// recognize its own saves under any author.
public struct WriterID: RawRepresentable, Hashable, Sendable, Codable {
  /// The random number of the context; never 0.
  public let rawValue: Int64

  /// Creates a writer ID with the random number of a context.
  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }
}

/// The number of one transaction in its store (Core Data: `transactionNumber`).
///
/// The first transaction has number 1. Numbers grow in commit order and may have gaps. The order of
/// timestamps may differ from the order of numbers. A number of 0 stands for the beginning of
/// history.
public struct TransactionNumber: RawRepresentable, Hashable, Sendable, Codable {
  /// The number as stored in the file.
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

  /// Orders transaction numbers by commit order.
  public static func < (left: TransactionNumber, right: TransactionNumber) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The digits of the number.
  public var description: String { String(rawValue) }
}

/// A position in one store's history: everything up to and including one transaction.
///
/// A token contains the store's identity, the transaction's number and a random mark of that
/// transaction. With the mark, a store that was replaced or restored from a backup detects tokens
/// from a different history. Tokens are opaque except for ``store``, as `NSPersistentHistoryToken`
/// is: compare tokens of one store, encode them, or print their description.
public struct HistoryToken: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The store that issued the token.
  public let store: StoreID
  /// The number of the last transaction at or before the position; 0 at the beginning of history.
  package let number: Int64
  /// The random mark of the transaction with ``number``; 0 at the beginning of history.
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
  /// Orders tokens of one store by transaction number, then by the transaction's random mark.
  ///
  /// Two transactions have the same number but different marks if, for example, the restore of a
  /// backup removed the first one and the second one was written afterwards.
  ///
  /// Tokens of different stores are ordered by the text forms of their stores.
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    guard left.store == right.store else {
      return left.store.description < right.store.description
    }
    return (left.number, left.mark) < (right.number, right.mark)
  }
}

/// The identity of one object within a store: the number of its entity and its key.
///
/// Core Data: `NSManagedObjectID`.
///
/// Keys are never reused within a store. A store converts identities to URIs and back
/// (Core Data: `NSManagedObjectID.uriRepresentation()`).
public struct ObjectID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The entity's number in the model, from 1.
  public let entity: Int32
  /// The object's key within its entity, from 1.
  public let key: Int64

  /// Creates the identity of an object.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity in the model, from 1.
  ///   - key: The key of the object within its entity, from 1.
  public init(entity: Int32, key: Int64) {
    self.entity = entity
    self.key = key
  }

  /// The entity number and the key, for logs.
  public var description: String { "e\(entity)/p\(key)" }
}

extension ObjectID: Comparable {
  /// Orders objects by entity number, then by key.
  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}

/// The text form of an object's identity: `x-history://STORE/ENTITY/pKEY`.
///
/// Core Data: `NSManagedObjectID.uriRepresentation()`.
package struct ObjectURI: Hashable, Sendable, CustomStringConvertible {
  private static let scheme = "x-history://"

  /// The store that contains the object.
  package let store: StoreID
  /// The name of the entity.
  package let entity: String
  /// The key within the entity, from 1.
  package let key: Int64

  package init(store: StoreID, entity: String, key: Int64) {
    self.store = store
    self.entity = entity
    self.key = key
  }

  /// Parses the complete text form; returns `nil` for any other text.
  ///
  /// The store part may be in lowercase, because some URI libraries convert URIs to lowercase.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.scheme) else { return nil }
    let parts = text.dropFirst(Self.scheme.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let store = StoreID(String(parts[0])), !parts[1].isEmpty,
      let key = Self.key(parts[2])
    else { return nil }
    self.init(store: store, entity: String(parts[1]), key: key)
  }

  /// Parses a key, which has exactly one valid form: no sign and no leading zeros.
  private static func key(_ text: Substring) -> Int64? {
    guard text.utf8.first == UInt8(ascii: "p"),
      let first = text.utf8.dropFirst().first, first != UInt8(ascii: "0"),
      text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text.dropFirst())
  }

  /// The text form of the URI.
  package var description: String { "\(Self.scheme)\(store)/\(entity)/p\(key)" }
}

extension UUID {
  /// Parses a text form of 36 characters, in upper or lower case; returns `nil` for any other text.
  ///
  /// `UUID(uuidString:)` skips characters that it cannot parse: a space in place of a digit yields
  /// a different UUID.
  package init?(exactly text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
      return nil
    }
    self = uuid
  }
}

/// The process and the context that wrote a transaction, combined in one string.
///
/// An example is `app writer=00000000000000ff`. A storage layout without a column for the writer
/// stores this string. A process name may itself have the form of a label. Such a name is stored as a
/// label with writer 0, so that every string has exactly one meaning.
package struct ProcessLabel: Hashable, Sendable {
  /// The name of the process, or `nil`.
  package let name: String?
  /// The ID of the context that wrote the transaction; 0 for no ID.
  package let writer: Int64

  private static let word = "writer="
  private static let digitCount = 16

  package init(name: String?, writer: Int64) {
    self.name = name
    self.writer = writer
  }

  /// Parses a stored string: a label such as `app writer=00000000000000ff`, or else a process name.
  package init(_ text: String) {
    self = Self.label(in: text) ?? ProcessLabel(name: text, writer: 0)
  }

  /// Parses a string that ends with `writer=` and 16 hexadecimal digits; `nil` for other strings.
  ///
  /// The implementation compares bytes, because comparing characters is much slower.
  private static func label(in text: String) -> ProcessLabel? {
    let bytes = text.utf8
    let nameCount = bytes.count - word.utf8.count - digitCount
    guard nameCount >= 0 else { return nil }
    let start = bytes.index(bytes.startIndex, offsetBy: nameCount)
    guard bytes[start...].starts(with: word.utf8) else { return nil }
    let digits = text[bytes.index(start, offsetBy: word.utf8.count)...]
    guard let writer = UInt64(digits, radix: 16), digits.utf8.first != UInt8(ascii: "+") else {
      return nil
    }
    let number = Int64(bitPattern: writer)
    guard nameCount > 0 else { return ProcessLabel(name: nil, writer: number) }
    let space = bytes.index(before: start)
    guard bytes[space] == UInt8(ascii: " ") else { return nil }
    return ProcessLabel(name: String(text[..<space]), writer: number)
  }

  /// The string to store, or `nil` if there is neither a process name nor a context ID.
  package var text: String? {
    if writer == 0, name.map({ ProcessLabel($0) == self }) ?? true { return name }
    let digits = String(UInt64(bitPattern: writer), radix: 16)
    let padding = String(repeating: "0", count: Self.digitCount - digits.count)
    return (name.map { $0 + " " } ?? "") + Self.word + padding + digits
  }
}

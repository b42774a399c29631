public import HistoryTypes
import SQLiteStorage

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The result of importing a member's start position from a date of PersistentHistoryTrackingKit.
public enum CursorImport: Sendable, Hashable {
  /// The member starts after the token: the date proves that all history through the token is merged.
  case imported(HistoryToken, date: Date)
  /// No date was used; the member starts as if none had been passed.
  case ignored(Reason)

  /// The reason why the member does not start from a date of PersistentHistoryTrackingKit.
  public enum Reason: Sendable, Hashable {
    /// The member is already in the registry.
    ///
    /// An active member continues at its recorded cursor. A member that had retired or was lost
    /// starts at the newest transaction.
    case alreadyAMember
    /// PersistentHistoryTrackingKit has stored no date for the author.
    case noDate(author: String?)
    /// Some history after the date may have been purged, so the member cannot start there.
    case historyIsGone(date: Date)
  }
}

extension CursorImport: CustomStringConvertible {
  /// Sentences that state whether the date was imported, and where the member starts.
  ///
  /// The date is the one that PersistentHistoryTrackingKit stored for the member's author.
  public var description: String {
    switch self {
    case .imported(let token, let date):
      "The date \(Self.text(date)) was imported: the member starts after #\(token.number), because it "
        + "has certainly merged all history through that transaction."
    case .ignored(.alreadyAMember):
      "The date was not imported: the member is already registered and has a cursor. Stop passing the "
        + "dates of PersistentHistoryTrackingKit."
    case .ignored(.noDate(let author)):
      "PersistentHistoryTrackingKit stored no date for "
        + "\(author.map { "the author \"\($0)\"" } ?? "a member without an author"): the member "
        + "starts at the newest transaction."
    case .ignored(.historyIsGone(let date)):
      "The date \(Self.text(date)) was not imported, because some history after it may have been "
        + "purged: the member starts at the newest transaction, and must read all data."
    }
  }

  private static func text(_ date: Date) -> String {
    "\(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
  }
}

/// The dates that PersistentHistoryTrackingKit keeps in `UserDefaults`, one for each author.
///
/// A date is the timestamp of the last transaction that the author's process has merged.
///
/// ```swift
/// let old = KitCursors(UserDefaults(suiteName: group)?.dictionaryRepresentation() ?? [:])
/// let registration = try store.join("app", author: "app", importing: old)
/// ```
public struct KitCursors: Sendable, Hashable {
  /// The default prefix of the keys in `UserDefaults`; the name of the author follows the prefix.
  public static let standardPrefix = "PersistentHistoryTrackingKit.lastToken."

  /// The time of the last transaction that each author's process has merged, by author.
  public let dates: [String: Date]

  /// Reads the authors' dates from a dictionary with the contents of a `UserDefaults` suite.
  ///
  /// Keys that do not start with `prefix`, and values that are not dates, are ignored.
  ///
  /// - Parameters:
  ///   - defaults: The contents of the suite, by key.
  ///   - prefix: The prefix of the keys. The default is ``standardPrefix``.
  public init(_ defaults: [String: Any], prefix: String = KitCursors.standardPrefix) {
    var dates: [String: Date] = [:]
    for (key, value) in defaults where key.hasPrefix(prefix) {
      dates[String(key.dropFirst(prefix.count))] = value as? Date
    }
    self.dates = dates
  }

  /// Reads the dates from the contents of a defaults suite's property list file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file, in any format of property lists.
  ///   - prefix: The prefix of the keys. The default is ``standardPrefix``.
  /// - Throws: ``HistoryError/Code/unreadable`` when the bytes are not a property list with a
  ///   dictionary, or the value of a key with the prefix is not a date.
  public init(
    propertyList bytes: Data,
    prefix: String = KitCursors.standardPrefix
  ) throws(HistoryError) {
    let read: [String: DateOrElse]
    do {
      read = try PropertyListDecoder().decode([String: DateOrElse].self, from: bytes)
    } catch {
      throw .unreadable(
        "The cursors of PersistentHistoryTrackingKit cannot be read: the passed data "
          + "(\(bytes.count.counted("byte"))) is not a property list with a dictionary. Pass the contents "
          + "of Library/Preferences/GROUP.plist of the app group, or a dictionary."
      )
    }
    var dates: [String: Date] = [:]
    for (key, value) in read where key.hasPrefix(prefix) {
      guard let date = value.date else {
        throw .unreadable(
          "The value of the key \"\(key)\" in the property list is not a date. Pass the uniqueString "
            + "of PersistentHistoryTrackingKit as the prefix, or remove the key."
        )
      }
      dates[String(key.dropFirst(prefix.count))] = date
    }
    self.dates = dates
  }
}

/// A value of a property list; values that are not dates decode as `nil`.
private struct DateOrElse: Decodable {
  let date: Date?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    do { date = try value.decode(Date.self) } catch { date = nil }
  }
}

extension StoreCore {
  /// Returns the start position of a member that has merged all history up to a date.
  ///
  /// PersistentHistoryTrackingKit fetches transactions strictly later than the date, and stores the
  /// time of the last merged transaction. After that fetch, another transaction may have been
  /// written with the same time, or with an earlier time if the clock stepped back. The member
  /// therefore starts before the first transaction, in commit order, that is at or after the date.
  func find(_ cursors: KitCursors, _ author: String?) throws -> CursorImport {
    guard let date = author.flatMap({ cursors.dates[$0] }) else {
      return .ignored(.noDate(author: author))
    }
    let seconds = date.timeIntervalSinceReferenceDate
    let number: Int64
    if let next = try firstTransaction(notBefore: seconds) {
      number = next.number - 1
      // A purged transaction directly before `next` may be later than the date, and thus not
      // merged.
      if number > 0, next.timestamp > seconds, try mark(of: number) == nil {
        return .ignored(.historyIsGone(date: date))
      }
    } else {
      number = try head().number
    }
    guard number >= (try greatestGone()) else { return .ignored(.historyIsGone(date: date)) }
    let mark = try mark(of: number) ?? 0
    return .imported(HistoryToken(store: id, number: number, mark: mark), date: date)
  }

  /// Returns the first transaction in commit order that is not earlier than a time.
  private func firstTransaction(
    notBefore seconds: Double
  ) throws -> (number: Int64, timestamp: Double)? {
    if timestamps == .monotone {
      return try row(atOrAfter: try lastNumber(notAfter: seconds.nextDown) + 1)
    }
    let first = try query(
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      WHERE \(layout.timestamp) >= ?1 ORDER BY \(layout.number) LIMIT 1
      """
    )
    first.statement.bind(seconds, at: 1)
    defer { first.statement.reset() }
    guard try first.statement.step() else { return nil }
    return (first.statement.int(0), first.statement.real(1))
  }
}

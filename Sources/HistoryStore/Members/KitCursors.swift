public import PersistentHistory

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The dates that PersistentHistoryTrackingKit has kept in `UserDefaults`, one for each author: the
/// time of the last transaction that a process of that author has merged.
///
/// ```swift
/// let old = KitCursors(UserDefaults(suiteName: group)?.dictionaryRepresentation() ?? [:])
/// let registration = try store.join("app", author: "app", importing: old)
/// ```
public struct KitCursors: Sendable, Hashable {
  /// What the kit puts before an author in the key of its date, unless it is told another string.
  public static let standardPrefix = "PersistentHistoryTrackingKit.lastToken."

  /// The date of each author.
  public let dates: [String: Date]

  /// Takes the dates out of a dictionary; keys without the prefix, and values that are no dates, do not
  /// belong to the kit.
  public init(_ defaults: [String: Any], prefix: String = KitCursors.standardPrefix) {
    var dates: [String: Date] = [:]
    for (key, value) in defaults where key.hasPrefix(prefix) {
      dates[String(key.dropFirst(prefix.count))] = value as? Date
    }
    self.dates = dates
  }

  /// Takes the dates out of a property list, as the file of a suite of defaults is one.
  ///
  /// - Throws: ``HistoryError/unreadable(_:)`` when the bytes are no property list with keys, or the
  ///   kit's key holds something else than a date.
  public init(
    propertyList bytes: Data,
    prefix: String = KitCursors.standardPrefix
  ) throws(HistoryError) {
    let read: [String: DateOrElse]
    do {
      read = try PropertyListDecoder().decode([String: DateOrElse].self, from: bytes)
    } catch {
      throw .unreadable(
        "The cursors of PersistentHistoryTrackingKit cannot be read: what was handed in "
          + "(\(bytes.count.counted("byte"))) is no property list with keys. Hand in the file Library/Preferences/GROUP.plist of the app "
          + "group, or a dictionary."
      )
    }
    var dates: [String: Date] = [:]
    for (key, value) in read where key.hasPrefix(prefix) {
      guard let date = value.date else {
        throw .unreadable(
          "The key \"\(key)\" of the property list holds no date. Name the prefix that the kit was "
            + "given as its uniqueString, or take the key out."
        )
      }
      dates[String(key.dropFirst(prefix.count))] = date
    }
    self.dates = dates
  }
}

/// A value of a property list that matters only when it is a date.
private struct DateOrElse: Decodable {
  let date: Date?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    do { date = try value.decode(Date.self) } catch { date = nil }
  }
}

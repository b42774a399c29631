public import PersistentHistory

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The dates that PersistentHistoryTrackingKit keeps in `UserDefaults`, one for each author.
///
/// A date is the time of the last transaction that a process of the author has merged.
///
/// ```swift
/// let old = KitCursors(UserDefaults(suiteName: group)?.dictionaryRepresentation() ?? [:])
/// let registration = try store.join("app", author: "app", importing: old)
/// ```
public struct KitCursors: Sendable, Hashable {
  /// The kit's default prefix of an author in the key of its date.
  public static let standardPrefix = "PersistentHistoryTrackingKit.lastToken."

  /// The date of each author.
  public let dates: [String: Date]

  /// Reads the dates from a dictionary.
  ///
  /// Keys without the prefix and values that are not dates are ignored.
  public init(_ defaults: [String: Any], prefix: String = KitCursors.standardPrefix) {
    var dates: [String: Date] = [:]
    for (key, value) in defaults where key.hasPrefix(prefix) {
      dates[String(key.dropFirst(prefix.count))] = value as? Date
    }
    self.dates = dates
  }

  /// Reads the dates from a property list, the format of the file of a defaults suite.
  ///
  /// - Throws: ``HistoryError/unreadable(_:)`` when the bytes are not a property list with keys, or
  ///   the value of one of the kit's keys is not a date.
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

/// A value of a property list, which is read only if it is a date.
private struct DateOrElse: Decodable {
  let date: Date?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    do { date = try value.decode(Date.self) } catch { date = nil }
  }
}

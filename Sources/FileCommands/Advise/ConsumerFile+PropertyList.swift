import Basics
import Commands
import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes

/// Property lists: the kit's dates by author, and archived tokens.
extension ConsumerFile {
  /// Reads the dates and the archived tokens of a property list, or a list that is an archived token.
  static func propertyList(
    _ bytes: Data,
    _ path: String,
    _ prefix: String
  ) throws(LabError) -> [Entry] {
    let isList = bytes.starts(with: Array("bplist".utf8)) || bytes.first.map(UInt8.isMarkup) == true
    let list: [String: Any]?
    do {
      list =
        isList
        ? try PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
        : nil
    } catch { list = nil }
    guard let list else {
      throw .usage(
        "--cursors: \(path.quoted) is neither a JSON list nor a property list with a dictionary. "
          + "\(shape) Or give the file Library/Preferences/GROUP.plist of the app group."
      )
    }
    if list["$archiver"] != nil { return [try archived(bytes, path)] }
    let values = list.filter { $0.key.hasPrefix(prefix) }
    let tokens = try tokens(in: list, path, prefix)
    if let other = values.filter({ !($0.value is Date || $0.value is Data) }).keys.min() {
      throw .usage(
        "--cursors: \(path.quoted) has no date under the key \(other.quoted). Give the prefix of the "
          + "keys of PersistentHistoryTrackingKit with --prefix."
      )
    }
    let dates = KitCursors(list, prefix: prefix).dates
    guard !dates.isEmpty || !tokens.isEmpty else {
      throw .usage(
        "--cursors: \(path.quoted) has no date of PersistentHistoryTrackingKit: none of its "
          + "\(list.count.counted("key")) starts with \(prefix.quoted). Give the defaults of the app group, or "
          + "give the prefix of the keys with --prefix."
      )
    }
    return dates.sorted { $0.key < $1.key }.map { author, date in
      Entry(consumer: Consumer(author, at: .date(date.timeIntervalSinceReferenceDate)))
    } + tokens
  }

  /// Returns the archived tokens of a property list, by key; a key loses the prefix.
  ///
  /// - Throws: A usage error for data under the prefix that are no token.
  private static func tokens(
    in list: [String: Any],
    _ path: String,
    _ prefix: String
  ) throws(LabError) -> [Entry] {
    var entries: [Entry] = []
    for (key, value) in list.sorted(by: { $0.key < $1.key }) {
      guard let bytes = value as? Data else { continue }
      let isWanted = key.hasPrefix(prefix)
      guard let token = ArchivedToken(Array(bytes)) else {
        guard isWanted else { continue }
        throw unreadable(path, "has under the key \(key.quoted) data that are")
      }
      let name = isWanted ? String(key.dropFirst(prefix.count)) : key
      entries.append(Entry(consumer: Consumer(name, at: .unknown), archive: token))
    }
    return entries
  }

  /// Returns the consumer of an archive, with the name of the file.
  private static func archived(_ bytes: Data, _ path: String) throws(LabError) -> Entry {
    guard let token = ArchivedToken(Array(bytes)) else {
      throw unreadable(path, "is an archive, but")
    }
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    return Entry(consumer: Consumer(name, at: .unknown), archive: token)
  }

  private static func unreadable(_ path: String, _ what: String) -> LabError {
    .usage(
      "--cursors: \(path.quoted) \(what) not an archived NSPersistentHistoryToken. \(transactionNumber)"
    )
  }
}

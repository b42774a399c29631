import Basics
import Commands
import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes

/// Property lists: PersistentHistoryTrackingKit's dates by author, and archived tokens.
extension ConsumerFile {
  /// Reads the dates and archived tokens in a property list, or a property list that is an archived token.
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
        "--cursors: \(path.quoted) has a value under the key \(other.quoted) that is neither a date nor "
          + "data, so it is not a cursor. If the file also contains settings that are not cursors, give the "
          + "prefix of the cursors' keys with --prefix."
      )
    }
    let dates = KitCursors(list, prefix: prefix).dates
    guard !dates.isEmpty || !tokens.isEmpty else {
      throw .usage(
        "--cursors: \(path.quoted) contains no cursor: none of its \(list.count.counted("key")) starts "
          + "with \(prefix.quoted), and no value is an archived token. Pass the property list of the app "
          + "group's defaults, or give the prefix of the keys with --prefix."
      )
    }
    return dates.sorted { $0.key < $1.key }.map { author, date in
      Entry(consumer: Consumer(author, at: .date(date.timeIntervalSinceReferenceDate)))
    } + tokens
  }

  /// Returns the archived tokens of a property list.
  ///
  /// The name of each token's consumer is the token's key without `prefix`.
  ///
  /// - Throws: A usage error if a key with the prefix has data that are not an archived token.
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
        throw unreadable(path, "has data under the key \(key.quoted) that are")
      }
      let name = isWanted ? String(key.dropFirst(prefix.count)) : key
      entries.append(Entry(consumer: Consumer(name, at: .unknown), archive: token))
    }
    return entries
  }

  /// Returns the consumer of an archived token; the consumer's name is the name of the file.
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

/// A token of Core Data as `NSKeyedArchiver` writes it: a transaction number for each store.
///
/// Apple does not document what an archived `NSPersistentHistoryToken` contains. Listings of the
/// framework's classes show that a token has one dictionary from a store's UUID to the number of a
/// transaction, and encodes only that dictionary. So this type reads the one dictionary that the
/// archived object refers to, under any key, and rejects every other structure.
struct ArchivedToken: Hashable, Sendable {
  /// The number of the last transaction, by the upper-case UUID of the transaction's store.
  let numbers: [String: Int64]

  /// The names under which Core Data's class of tokens may be archived; the first one is private.
  private static let classes: Set = ["_NSPersistentHistoryToken", "NSPersistentHistoryToken"]

  /// Reads an archive; `nil` if the bytes are not an archived token.
  init?(_ bytes: [UInt8]) {
    guard let archive = BinaryPropertyList.value(bytes), archive["$archiver"] != nil,
      let objects = archive["$objects"]?.elements, case .dictionary(let top)? = archive["$top"]
    else { return nil }
    func object(_ value: BinaryValue?) -> BinaryValue? {
      guard case .reference(let index)? = value else { return value }
      return objects.indices.contains(index) ? objects[index] : nil
    }
    func isToken(_ value: BinaryValue) -> Bool {
      object(value["$class"])?["$classname"]?.text.map(Self.classes.contains) ?? false
    }
    // The key of the top object is "root", or that of an app's own call.
    guard let token = top.values.compactMap(object).first(where: isToken),
      case .dictionary(let members) = token
    else { return nil }
    let coded = members.filter { $0.key != "$class" }.values.compactMap(object)
    guard coded.count == 1, let keys = coded[0]["NS.keys"]?.elements,
      let values = coded[0]["NS.objects"]?.elements, keys.count == values.count, !keys.isEmpty
    else { return nil }
    var numbers: [String: Int64] = [:]
    for (key, value) in zip(keys, values) {
      guard let store = object(key)?.text, case .integer(let number)? = object(value) else {
        return nil
      }
      numbers[store.uppercased()] = number
    }
    self.numbers = numbers
  }
}

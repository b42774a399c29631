import Basics
import Commands
import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes

/// A file that states the positions of consumers: a JSON list, or a property list of `UserDefaults`.
///
/// A JSON list has an object for each consumer, with `name` and one of `date` (ISO 8601), `token`
/// (the number of the last transaction that the consumer has merged), `archive` (the path of a file
/// with an archived `NSPersistentHistoryToken`) and `unknown` (`true`). With a token, `store` may
/// name the UUID of the store that issued the token. A property list has the dates that
/// PersistentHistoryTrackingKit stores, by author, or archived tokens. A file with only an archived
/// token states one consumer, whose name is the file's name.
struct ConsumerFile {
  /// A consumer, with the UUID of the store that issued the consumer's token, if the file states the UUID.
  struct Entry: Sendable, Hashable {
    var consumer: Consumer
    var store: String?
    /// The archived token that states the position.
    var archive: ArchivedToken?
  }

  /// The path of this file, as the user gave it.
  let path: String
  let entries: [Entry]

  /// Reads the `--cursors` file at a path: as JSON or as a property list.
  ///
  /// `prefix` is the start of the keys of a property list under which dates are stored.
  ///
  /// - Throws: A usage error that states the problem, its place and a correction.
  init(_ path: String, prefix: String = KitCursors.standardPrefix) throws(LabError) {
    let bytes: Data
    do { bytes = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      throw .usage("--cursors: \(path.quoted) cannot be read: \(error.localizedDescription).")
    }
    try self.init(bytes, path: path, prefix: prefix)
  }

  /// Reads the bytes of a file: as JSON if they start with `[` or `{`, otherwise as a property list.
  ///
  /// Blanks and line breaks before the first character are skipped.
  ///
  /// - Throws: A usage error, as ``init(_:prefix:)`` does.
  init(
    _ bytes: Data,
    path: String,
    prefix: String = KitCursors.standardPrefix
  ) throws(LabError) {
    self.path = path
    let first = bytes.first { !UInt8.isBlank($0) }
    let isJSON = first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    entries =
      isJSON
      ? try Self.json(bytes, path)
      : try Self.propertyList(bytes, path, prefix)
    let names = entries.map(\.consumer.name)
    if let twice = Dictionary(grouping: names, by: \.self).first(where: { $0.value.count > 1 }) {
      throw .usage(
        "--cursors: \(path.quoted) names \(twice.key.quoted) twice. Keep one of the two."
      )
    }
  }
}

extension ConsumerFile {
  /// One object of a JSON list, before its keys are checked.
  private struct Item: Decodable {
    var name: String?
    var date: String?
    var token: Int64?
    var archive: String?
    var store: String?
    var unknown: Bool?
  }

  static let shape =
    #"Give a list such as [{"name": "widget", "date": "2025-01-31T12:30:00Z"}, {"name": "app", "#
    + #""token": 512}, {"name": "watch", "unknown": true}]."#

  private static func json(_ bytes: Data, _ path: String) throws(LabError) -> [Entry] {
    let items: [Item]
    do { items = try JSONDecoder().decode([Item].self, from: bytes) } catch {
      throw .usage("--cursors: \(path.quoted) \(place(error)). \(shape)")
    }
    guard !items.isEmpty else {
      throw .usage("--cursors: \(path.quoted) lists no consumers. \(shape)")
    }
    var entries: [Entry] = []
    for (index, item) in items.enumerated() {
      entries.append(try entry(item, "object \(index + 1) of \(path.quoted)", path))
    }
    return entries
  }

  private static func entry(
    _ item: Item,
    _ place: String,
    _ path: String
  ) throws(LabError) -> Entry {
    guard let name = item.name, !name.isEmpty else {
      throw .usage("--cursors: \(place) has no name. \(shape)")
    }
    let given = [
      item.date != nil, item.token != nil, item.archive != nil, item.unknown != nil,
    ].count { $0 }
    guard given == 1, item.unknown != false else {
      throw .usage(
        "--cursors: \(place), \(name.quoted), needs exactly one of the keys \"date\", \"token\", "
          + "\"archive\" and \"unknown\". The value of \"unknown\" must be true."
      )
    }
    guard item.store == nil || item.token != nil else {
      throw .usage(
        "--cursors: \(place), \(name.quoted), has the key \"store\" without the key \"token\". Remove \"store\", or add \"token\"."
      )
    }
    var position = Consumer.Position.unknown
    if let token = item.token { position = .number(token) }
    if let text = item.date {
      guard let seconds = ISO8601Text.seconds(text) else {
        throw .usage(
          "--cursors: \(place), \(name.quoted), has the date \(text.quoted), which is not an ISO 8601 "
            + "date. Write it as 2025-01-31T12:30:00Z."
        )
      }
      position = .date(seconds)
    }
    let archive = try item.archive.map { archive throws(LabError) in
      try token(archive, nextTo: path, "--cursors: \(place), \(name.quoted),")
    }
    return Entry(consumer: Consumer(name, at: position), store: item.store, archive: archive)
  }

  /// Reads the archived token of a file, whose path is relative to the folder of the JSON list.
  private static func token(
    _ archive: String,
    nextTo path: String,
    _ place: String
  ) throws(LabError) -> ArchivedToken {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    guard
      let bytes = FileManager.default.contents(
        atPath: URL(fileURLWithPath: archive, relativeTo: folder).path
      )
    else {
      throw .usage(
        "\(place) names the archive \(archive.quoted), which cannot be read. Give a path relative to "
          + "the folder of the --cursors file."
      )
    }
    guard let token = ArchivedToken(Array(bytes)) else {
      throw .usage(
        "\(place) names the archive \(archive.quoted), which is not an archived "
          + "NSPersistentHistoryToken. \(transactionNumber)"
      )
    }
    return token
  }

  static let transactionNumber =
    "In a JSON list, give the transactionNumber of the last transaction that the consumer has "
    + #"merged: [{"name": "widget", "token": 512}]."#

  /// Returns the problem of an invalid JSON text and its place, as a verb phrase.
  private static func place(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "is not JSON" }
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context):
      guard let index = context.codingPath.first?.intValue else {
        return "is JSON, but not a list of objects"
      }
      let key = context.codingPath.dropFirst().last.map { ", \($0.stringValue.quoted)," } ?? ""
      return "has in object \(index + 1)\(key) a value of the wrong type"
    case .dataCorrupted(let context):
      let place = context.codingPath.first?.intValue.map { " in object \($0 + 1)" } ?? ""
      return "is not readable JSON\(place)"
    @unknown default: return "is not readable JSON"
    }
  }
}

extension ConsumerFile {
  /// Returns the consumers, with positions that are checked against a history.
  ///
  /// `now` is the current time in seconds since 2001-01-01 UTC.
  ///
  /// - Throws: A usage error for a registered member, and for a position that this history cannot have,
  ///   such as a token of another store.
  func consumers(of outline: HistoryOutline, now: Double) throws(LabError) -> [Consumer] {
    var consumers: [Consumer] = []
    for entry in entries { consumers.append(try consumer(entry, of: outline, now: now)) }
    return consumers
  }

  private func consumer(
    _ entry: Entry,
    of outline: HistoryOutline,
    now: Double
  ) throws(LabError) -> Consumer {
    let name = entry.consumer.name
    let what = "--cursors: \(path.quoted), \(name.quoted)"
    if let store = entry.store, store.uppercased() != outline.store {
      throw Self.foreign(what, [store], outline.store)
    }
    if outline.members?.contains(where: { $0.name == name }) == true {
      throw .usage(
        "\(what), is a registered member, so its cursor is read from the store. Remove it from the "
          + "--cursors file."
      )
    }
    var consumer = entry.consumer
    if let archive = entry.archive {
      guard let number = outline.store.flatMap({ archive.numbers[$0] }) else {
        throw Self.foreign(what, archive.numbers.keys.sorted(), outline.store)
      }
      consumer.position = .number(number)
    }
    try check(consumer.position, of: outline, now: now, what)
    return consumer
  }

  private static func foreign(_ what: String, _ stores: [String], _ own: String?) -> LabError {
    .usage(
      "\(what), has a token of the store \(stores.joinedWithAnd), but "
        + (own.map { "the UUID of this store is \($0). " } ?? "this store has no UUID. ")
        + "Pass the store that issued the token, or give a token of this store."
    )
  }

  private func check(
    _ position: Consumer.Position,
    of outline: HistoryOutline,
    now: Double,
    _ what: String
  ) throws(LabError) {
    let head = outline.numbers.last ?? 0
    let latest = max(now, outline.timestamps.last { $0.isFinite } ?? now)
    switch position {
    case .number(let number) where number < 0:
      throw .usage(
        "\(what), has the negative token \(number). Give the number of the last merged "
          + "transaction, or 0 if the consumer has merged none."
      )
    case .number(let number) where number > head:
      throw .usage(
        "\(what), has the token \(number), beyond the newest transaction, #\(head): the token belongs "
          + "to another store, or this store is an older copy. Give a token of this store."
      )
    case .date(let date) where date > latest:
      throw .usage(
        "\(what), has the date \(InspectUnits.date(date)), which is in the future. Give the time of "
          + "the last transaction that the consumer has merged, in UTC."
      )
    case .number, .date, .unknown: break
    }
  }
}

/// Reads dates and times of ISO 8601.
enum ISO8601Text {
  /// Returns the seconds from 2001-01-01 UTC to a date; a time without a zone is invalid.
  static func seconds(_ text: String) -> Double? {
    if case .timestamp(let seconds)? = PurgeBound.reader.read(text) { return seconds }
    for hasFraction in [false, true] {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
      do { return try style.parse(text).timeIntervalSinceReferenceDate } catch { continue }
    }
    return nil
  }
}

extension UInt8 {
  /// Returns whether a byte is a blank or a line break.
  fileprivate static func isBlank(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D].contains(byte)
  }

  /// Returns whether a byte can start an XML text, with or without a byte-order mark.
  static func isMarkup(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "<"), 0xEF, 0xFE, 0xFF].contains(byte) || isBlank(byte)
  }
}

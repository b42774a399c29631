package import SQLiteStorage

/// The reason why a file could not be inspected; neither the file nor its folder was changed.
package enum InspectionError: Error, Hashable, Sendable {
  /// No file exists at the path.
  case notFound(path: String)
  /// The path is a folder, a pipe or a device.
  case notAFile(path: String)
  /// The file cannot be opened or read, for the reason that the system reports.
  case unreadable(path: String, reason: String)
  /// The file is empty.
  case empty(path: String)
  /// The file is not an SQLite database.
  case notADatabase(path: String)
  /// The file is an SQLite database without a history; the error lists its tables.
  case foreignFile(path: String, tables: [String])
  /// The file contains only some tables of a history; the error lists the missing tables.
  case missingTables(path: String, tables: [String])
  /// A table of the history lacks columns that every known version of it has.
  case missingColumns(path: String, table: String, columns: [String])
  /// The file was written by a newer version of this library.
  case newerFormat(path: String, found: Int64, known: Int64)
  /// The file lacks required content or contains invalid content; `reason` says which.
  case damaged(path: String, reason: String)
  /// Every attempt to read the file was disturbed by a write.
  case changing(path: String)
  /// The file was written after it was opened.
  case changedSince(path: String)
  /// The file and its log could not be copied into a private folder.
  case cannotCopy(path: String, folder: String, reason: String)
  /// SQLite failed for a reason that no other case describes.
  case sqlite(path: String, SQLiteError)

  /// Converts an error that was thrown while a file was read into an inspection error.
  package init(_ error: any Error, path: String) {
    self =
      switch error {
      case let error as InspectionError: error
      case let error as SQLiteError: Self(error, path: path)
      default: .damaged(path: path, reason: String(describing: error))
      }
  }

  private init(_ error: SQLiteError, path: String) {
    self =
      switch error.cause {
      case .notADatabase: .notADatabase(path: path)
      case .corrupt: .damaged(path: path, reason: error.message)
      case .cannotOpen, .readOnly, .unavailable, .io: .unreadable(path: path, reason: error.message)
      case .busy, .full, .constraint, .noMemory, .other: .sqlite(path: path, error)
      }
  }
}

extension InspectionError: CustomStringConvertible {
  /// The problem, the file that has it, and a suggestion.
  package var description: String {
    switch self {
    case .notFound(let path): "There is no file \(path). Check the path."
    case .notAFile(let path):
      "\(path) is not a file. Pass the path of the store's file, which often ends in .sqlite."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(reason). Check the permissions, or inspect a copy."
    case .empty(let path): "\(path) is empty. Pass the store's main file, not its -wal file."
    case .notADatabase(let path):
      "\(path) is not an SQLite database, or it is encrypted. Pass a store of this library, or the "
        + "file of a Core Data store."
    case .foreignFile(let path, let tables):
      "\(path) is an SQLite database without a history: \(Self.contents(tables)). Pass a store of "
        + "this library, or a Core Data store with persistent history tracking on."
    case .missingTables(let path, let tables):
      "\(path) contains only part of a history: without \(Self.list(tables)) it cannot be read. "
        + "Inspect a complete copy."
    case .missingColumns(let path, let table, let columns):
      "\(path): the table \(table) is not Core Data's: it has no column \(Self.list(columns)). Inspect "
        + "a file that Core Data wrote."
    case .newerFormat(let path, let found, let known):
      "\(path) has file format \(found); this version reads up to format \(known). Update history-lab."
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason). Restore it from a copy."
    case .changing(let path):
      "\(path) was written during every attempt to read it. Try again when no app writes to it."
    case .changedSince(let path):
      "\(path) was changed after it was opened. Open it again to read its new contents."
    case .cannotCopy(let path, let folder, let reason):
      "\(path) must be copied before it is read, and the copy cannot be made in \(folder): \(reason). "
        + "Set TMPDIR to a folder with more free space."
    case .sqlite(let path, let error): "\(path) could not be read. \(error)"
    }
  }

  private static func contents(_ tables: [String]) -> String {
    tables.isEmpty ? "it contains no table" : "it contains \(list(tables))"
  }

  /// Returns up to four names, quoted and escaped so that a terminal executes no control sequence.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(4).map(\.debugDescription).joined(separator: ", ")
    return names.count > 4 ? "\(shown) and \(names.count - 4) more" : shown
  }
}

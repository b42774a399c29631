import HistoryTypes
package import SQLiteStorage

extension Store {
  /// Opens a file of this library or of Core Data for reading only.
  ///
  /// The store supports every history request and refuses every write; neither the file nor its
  /// folder changes. If the file has a live write-ahead log, the store copies the file and the log
  /// into a private folder, and reads the copy.
  ///
  /// In a Core Data file, entities have the names in `Z_PRIMARYKEY`, updated properties are numbers
  /// (``HistoryChange/columnNumbers``), and the values of a tombstone are named after their columns
  /// (`ZTOMBSTONE0`). History before the first transaction in the file counts as purged.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - temporaryFolder: The folder for the private copy. The default `nil` uses the system's
  ///     temporary folder.
  /// - Throws: ``HistoryError/Code/unreadable``, which says why the file has no readable history,
  ///   and the other errors of ``init(path:configuration:)``. A later request also throws
  ///   ``HistoryError/Code/unreadable`` if the file was written after it was opened.
  /// - Complexity: constant, plus a copy of a file that has a live log.
  public convenience init(
    reading path: String,
    copyingTo temporaryFolder: String? = nil
  ) throws(HistoryError) {
    try self.init(reading: path, copyingTo: temporaryFolder, stopCheck: nil)
  }

  /// Opens a file for reading, with a callback that can stop requests.
  ///
  /// The file is opened as by ``init(reading:copyingTo:)``. A stopped request throws
  /// ``HistoryError/Code/sqlite``.
  package convenience init(
    reading path: String,
    copyingTo temporaryFolder: String? = nil,
    stopCheck: Connection.StopCheck?
  ) throws(HistoryError) {
    do {
      let folder = temporaryFolder ?? QuietFile.temporaryFolder
      let opened = try QuietFile(path, copyingTo: folder, stopCheck: stopCheck).open()
      var configuration = StoreConfiguration()
      configuration.timestamps = opened.header.timestamps
      configuration.layout = opened.header.layout
      configuration.signalsChanges = false
      configuration.cacheSizeKiB = QuietFile.cacheSizeKiB
      configuration.tracksHistory = opened.header.isTracked
      try self.init(path: path, configuration, opened)
    } catch InspectionError.cannotCopy(let path, let folder, let reason) {
      throw .cannotCopy(path: path, folder: folder, reason: reason)
    } catch let error as InspectionError {
      throw .unreadable(error.description)
    } catch let error as SQLiteError {
      throw .unreadable(InspectionError(error, path: path).description)
    } catch {
      throw HistoryError(error)
    }
  }
}

extension QuietFile {
  /// Opens the file, or a private copy, and records the file's state to detect later changes.
  fileprivate func open() throws -> OpenedFile {
    for _ in 0..<Self.attemptsMax {
      let before = FileState(realPath)
      let copy = before.hasLog ? try CopyHolder(realPath, in: temporaryFolder, stopCheck) : nil
      guard FileState(realPath) == before else { continue }
      let connection = try connection(
        to: copy?.path ?? realPath,
        copy == nil ? .immutable : .readWrite
      )
      let header = try FileHeader(reading: connection, path: path, realPath: realPath)
      let reading = QuietReading(realPath, before, copy)
      return OpenedFile(connection: connection, header: header, reading: reading)
    }
    throw InspectionError.changing(path: path)
  }
}

/// A connection to a file that is a valid store.
struct OpenedFile: ~Copyable {
  let connection: Connection
  let header: FileHeader
  /// The file's state when it was opened for reading only; `nil` if the store may write.
  var reading: QuietReading?
}

/// An owner of a private copy of a file; releasing the owner deletes the copy.
final class CopyHolder {
  private let copy: PrivateCopy

  init(
    _ path: String,
    in temporaryFolder: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    copy = try PrivateCopy(of: path, in: temporaryFolder, stopCheck)
  }

  var path: String { copy.path }
}

/// The state of a file when it was opened for reading only, to detect later writes.
final class QuietReading {
  /// The private copy that is read if the file has a live log; `nil` if the file itself is read.
  private let copy: CopyHolder?
  private let path: String
  private let state: FileState

  init(_ path: String, _ state: FileState, _ copy: CopyHolder?) {
    self.path = path
    self.state = state
    self.copy = copy
  }

  /// Whether the file was written since it was opened, so that reads may be inconsistent.
  ///
  /// Always `false` for a copy.
  var hasChanged: Bool { copy == nil && FileState(path) != state }
}

import PersistentHistory
package import SQLiteStorage

extension Store {
  /// Opens a file for reading, one of this library or one that Core Data wrote: it answers every
  /// history request and refuses every write, and nothing of the file or beside it changes.
  ///
  /// A file with a live log is copied with it into a private folder and read there, at the moment of
  /// the copy. Of a Core Data file the entities have the names of `Z_PRIMARYKEY`, updated properties
  /// are numbers (``HistoryChange/columnNumbers``), and the values of a tombstone go by their columns
  /// (`ZTOMBSTONE0`). Its transactions count as purged below the first that is there.
  ///
  /// - Throws: ``HistoryError/unreadable(_:)`` with a sentence for every kind of file that has no
  ///   readable history, and other errors as ``init(path:configuration:)``. A request throws it too
  ///   when the file was written since it was opened.
  /// - Complexity: constant, and a copy of a file that has a live log.
  public convenience init(
    reading path: String,
    copyingTo temporaryFolder: String? = nil
  ) throws(HistoryError) {
    try self.init(reading: path, copyingTo: temporaryFolder, stopCheck: nil)
  }

  /// Opens a file for reading as ``init(reading:copyingTo:)`` does; requests end with
  /// ``HistoryError/sqlite(_:)`` once the check says so.
  package convenience init(
    reading path: String,
    copyingTo temporaryFolder: String? = nil,
    stopCheck: Connection.StopCheck?
  ) throws(HistoryError) {
    do {
      let folder = temporaryFolder ?? StoreInspector().temporaryFolder
      let opened = try QuietFile(path, copyingTo: folder, stopCheck: stopCheck).open()
      var configuration = StoreConfiguration()
      configuration.timestamps = opened.header.timestamps
      configuration.layout = opened.header.layout
      configuration.signalsChanges = false
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
  /// Opens what the file holds, for as long as it stays as it is.
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

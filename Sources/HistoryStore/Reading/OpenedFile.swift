import SQLiteStorage

/// A connection to a file that was found to hold a store.
struct OpenedFile: ~Copyable {
  let connection: Connection
  let header: FileHeader
  /// What must stay as it is while the file is read, if it was opened for reading.
  var reading: QuietReading?
}

/// Keeps a private copy for as long as anyone reads it.
final class CopyHolder {
  private let copy: PrivateCopy

  /// Copies a file and its logs.
  init(
    _ path: String,
    in temporaryFolder: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    copy = try PrivateCopy(of: path, in: temporaryFolder, stopCheck)
  }

  /// Where the copy lies.
  var path: String { copy.path }
}

/// What a file that is open for reading depends on.
final class QuietReading {
  /// The copy that is read in the place of a file with a live log.
  private let copy: CopyHolder?
  private let path: String
  private let state: FileState

  init(_ path: String, _ state: FileState, _ copy: CopyHolder?) {
    self.path = path
    self.state = state
    self.copy = copy
  }

  /// Whether the file was written since it was opened, so that what is read may be of two moments; a
  /// copy never is.
  var hasChanged: Bool { copy == nil && FileState(path) != state }
}

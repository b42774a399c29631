import SQLiteStorage

/// A connection to a file that is a valid store.
struct OpenedFile: ~Copyable {
  let connection: Connection
  let header: FileHeader
  /// The state that must not change while the file is open for reading; `nil` otherwise.
  var reading: QuietReading?
}

/// A reference to a private copy, which is deleted with the last reference.
final class CopyHolder {
  private let copy: PrivateCopy

  init(
    _ path: String,
    in temporaryFolder: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    copy = try PrivateCopy(of: path, in: temporaryFolder, stopCheck)
  }

  /// The path of the copy.
  var path: String { copy.path }
}

/// The state of a file that is open for reading.
final class QuietReading {
  /// The copy that is read instead of a file with a live log.
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

import PersistentHistory

/// What the watching thread does: it waits for signals, looks at the head, and tells when it moved.
///
/// Nothing is missed: whatever is committed while the head is read or somebody is told leaves a signal
/// that ends the next wait. However many commits that were, they are told as one.
final class WatchLoop: @unchecked Sendable {
  private let file: WatchedFile
  private let files: FileWatch
  private let listeners: ChangeListeners
  private var reader: HeadReader?
  /// The position that was told last, or the head when the watch began.
  private var told: HistoryToken

  /// Begins to watch: what is committed from here on will be told.
  ///
  /// - Throws: what opening or reading the store throws.
  init(_ file: WatchedFile, _ files: FileWatch, _ listeners: ChangeListeners) throws {
    files.arm()
    let reader = try HeadReader(file)
    told = try reader.token()
    self.file = file
    self.files = files
    self.listeners = listeners
    self.reader = reader
  }

  /// Goes on until the listeners end it.
  func run() {
    while !listeners.hasEnded {
      let wake = files.wait(file.pollMs)
      if wake == .signal {
        look()
      } else if !listeners.hasEnded {
        look(checkingFile: true)
      }
    }
  }

  /// Reads the head, and tells it if it is another one.
  private func look(checkingFile: Bool = false) {
    do {
      if checkingFile { files.arm() }
      let reader = try currentReader(checkingFile: checkingFile)
      let head = try reader.token()
      guard head != told else { return }
      told = head
      listeners.tell(head)
    } catch {
      // The file is gone, half replaced or locked: the next signal or poll looks again.
      reader = nil
    }
  }

  /// The reader of the file that has the store's name now; of the one that had it when there is none.
  private func currentReader(checkingFile: Bool) throws -> HeadReader {
    guard let reader else { return try openReader() }
    guard checkingFile else { return reader }
    if let now = FileIdentity(file.path), now != reader.identity { return try openReader() }
    try reader.readStore()
    return reader
  }

  private func openReader() throws -> HeadReader {
    let opened = try HeadReader(file)
    reader = opened
    return opened
  }
}

import HistoryTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The loop of the watching thread, which waits for signals and notifies listeners of a new head.
///
/// No commit is missed: a commit while the head is read or a listener runs leaves a signal that
/// ends the next wait. Commits in quick succession are reported as one.
final class WatchLoop: @unchecked Sendable {
  private let file: WatchedFile
  private let files: FileWatch
  private let listeners: ChangeListeners
  private var reader: HeadReader?
  /// The last reported position, or the head when the watch started.
  private var reported: HistoryToken

  /// Starts the watch: commits from now on will be reported.
  ///
  /// - Throws: the errors of opening and reading the store.
  init(_ file: WatchedFile, _ files: FileWatch, _ listeners: ChangeListeners) throws {
    files.arm()
    let reader = try HeadReader(file)
    reported = try reader.token()
    self.file = file
    self.files = files
    self.listeners = listeners
    self.reader = reader
  }

  /// Runs until the listeners end it.
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

  /// Reads the head, and notifies the listeners if it changed.
  private func look(checkingFile: Bool = false) {
    do {
      if checkingFile { files.arm() }
      let reader = try currentReader(checkingFile: checkingFile)
      let head = try reader.token()
      guard head != reported else { return }
      reported = head
      listeners.tell(head)
    } catch {
      // The file is missing, locked or being replaced: the next signal or poll tries again.
      reader = nil
    }
  }

  /// Returns the reader of the file that has the store's name, or else of the last such file.
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

/// A dedicated thread, because it waits in the kernel for as long as a store is watched.
final class WatchThread: @unchecked Sendable {
  private let thread: pthread_t

  /// Starts a thread.
  ///
  /// - Throws: ``HistoryError/Code/unwatchable`` when the system has no more threads
  ///   available.
  init(path: String, _ body: @escaping @Sendable () -> Void) throws(HistoryError) {
    let work = Unmanaged.passRetained(ThreadWork(body: body))
    #if canImport(Darwin)
    var made: pthread_t?
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0, let made else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #else
    var made = pthread_t()
    let code = pthread_create(&made, nil, { runThread($0) }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw .unwatchable(path: path, why: String(cString: strerror(code)))
    }
    #endif
    thread = made
  }

  /// Joins or detaches the thread; must be called exactly once.
  func end(waiting: Bool) {
    if waiting, pthread_equal(pthread_self(), thread) == 0 {
      pthread_join(thread, nil)
    } else {
      pthread_detach(thread)
    }
  }
}

private final class ThreadWork {
  let body: @Sendable () -> Void

  init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
  return nil
}

#if canImport(Darwin)

import Darwin

/// A kernel watch of a store's signal file for writes, removal and replacement (kqueue(2)).
///
/// The store's own file is not opened, because closing any descriptor of a file releases the
/// process's locks on that file (https://sqlite.org/howtocorrupt.html, section 2.2). Polling
/// detects that the store was replaced. One thread waits for events; any thread may interrupt the
/// wait.
final class FileWatch: @unchecked Sendable {
  private let file: WatchedFile
  private let queue: Int32
  private var signalFile: Int32 = -1
  private var identity: FileIdentity?

  private static let gone = UInt32(NOTE_DELETE | NOTE_RENAME | NOTE_REVOKE)
  private static let written = UInt32(NOTE_WRITE | NOTE_EXTEND)
  private static let wakeUp: UInt = 0

  /// Creates a watch without a file; ``arm()`` starts watching.
  ///
  /// - Throws: ``HistoryError/Code/unwatchable`` if the process has too many open files.
  init(_ file: WatchedFile) throws(HistoryError) {
    self.file = file
    queue = kqueue()
    guard queue >= 0 else {
      throw .unwatchable(path: file.path, why: String(cString: strerror(errno)))
    }
    _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
    change(Self.wakeUp, EVFILT_USER, EV_ADD | EV_CLEAR, 0)
  }

  deinit {
    if queue >= 0 { close(queue) }
    if signalFile >= 0 { close(signalFile) }
  }

  /// Watches the current signal file, creating it if necessary.
  ///
  /// Has no effect if the file is already watched.
  func arm() {
    guard let path = file.signalPath, FileIdentity(file.path) != nil else { return }
    SignalFile.create(path)
    let now = FileIdentity(path)
    guard now != identity || signalFile < 0 else { return }
    // Closing a file discards its pending events in the queue.
    if signalFile >= 0 { close(signalFile) }
    signalFile = open(path, O_EVTONLY | O_CLOEXEC | O_NOFOLLOW)
    identity = now
    guard signalFile >= 0 else { return }
    change(UInt(signalFile), EVFILT_VNODE, EV_ADD | EV_CLEAR, Self.gone | Self.written)
  }

  /// Waits for an event, an interrupt or the timeout.
  func wait(_ timeoutMs: Int32) -> WatchWake {
    var events = Array(repeating: kevent(), count: 4)
    var timeout = timespec(
      tv_sec: Int(timeoutMs / 1000),
      tv_nsec: Int(timeoutMs % 1000) * 1_000_000
    )
    let count = kevent(queue, nil, 0, &events, Int32(events.count), &timeout)
    var wake: WatchWake = []
    for event in events.prefix(max(0, Int(count))) where event.filter == Int16(EVFILT_VNODE) {
      if event.fflags & Self.gone != 0 { wake.insert(.replaced) }
      if event.fflags & Self.written != 0 { wake.insert(.signal) }
    }
    return wake
  }

  /// Interrupts a wait, from any thread.
  func interrupt() { change(Self.wakeUp, EVFILT_USER, 0, UInt32(NOTE_TRIGGER)) }

  private func change(_ identifier: UInt, _ filter: Int32, _ flags: Int32, _ what: UInt32) {
    var event = kevent(
      ident: identifier,
      filter: Int16(filter),
      flags: UInt16(flags),
      fflags: what,
      data: 0,
      udata: nil
    )
    _ = kevent(queue, &event, 1, nil, 0, nil)
  }
}

#endif

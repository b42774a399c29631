#if os(Linux)

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// A kernel watch of a store's file and signal file.
///
/// The watch reports writes to the signal file, and the removal or replacement of either file
/// (https://man7.org/linux/man-pages/man7/inotify.7.html). One thread waits for events; any thread
/// may interrupt the wait. If the system has no more watches available, no events are reported, and
/// a wait ends only with its timeout or an interrupt.
final class FileWatch: @unchecked Sendable {
  private let file: WatchedFile
  private let notifier: Int32
  private let wakeUp: (read: Int32, write: Int32)
  private var signalWatch: Int32 = -1
  private var storeWatch: Int32 = -1
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)

  private static let gone = UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
  private static let written = UInt32(IN_MODIFY)

  /// Creates a watch without files; ``arm()`` starts watching.
  ///
  /// - Throws: ``HistoryError/Code/unwatchable`` if the process or the system has too many open
  ///   files.
  init(_ file: WatchedFile) throws(HistoryError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      buffer.deallocate()
      throw .unwatchable(path: file.path, why: String(cString: strerror(errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.file = file
    wakeUp = (ends[0], ends[1])
    notifier = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
  }

  deinit {
    if notifier >= 0 { close(notifier) }
    close(wakeUp.read)
    close(wakeUp.write)
    buffer.deallocate()
  }

  /// Watches the store file and the signal file that now exist; creates a missing signal file.
  ///
  /// Has no effect on files that are already watched.
  func arm() {
    if let path = file.signalPath, FileIdentity(file.path) != nil {
      SignalFile.create(path)
      signalWatch = watch(path, Self.written | Self.gone, insteadOf: signalWatch)
    }
    storeWatch = watch(file.path, Self.gone, insteadOf: storeWatch)
  }

  /// Watches the file that currently exists at a path, and ends the watch of an earlier file.
  ///
  /// If the current file is already watched, the kernel returns the existing watch descriptor.
  private func watch(_ path: String, _ what: UInt32, insteadOf old: Int32) -> Int32 {
    let new = inotify_add_watch(notifier, path, what)
    if old >= 0, old != new { inotify_rm_watch(notifier, old) }
    return new
  }

  /// Waits for an event, an interrupt or the timeout.
  func wait(_ timeoutMs: Int32) -> WatchWake {
    var descriptors = (
      pollfd(fd: notifier, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0)
    )
    let count = withUnsafeMutableBytes(of: &descriptors) { bytes in
      poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, timeoutMs)
    }
    guard count > 0 else { return [] }
    if descriptors.1.revents != 0 { _ = read(wakeUp.read, buffer.baseAddress, buffer.count) }
    return descriptors.0.revents != 0 ? readEvents() : []
  }

  /// Interrupts a wait, from any thread.
  func interrupt() {
    var byte: UInt8 = 1
    _ = write(wakeUp.write, &byte, 1)
  }

  private func readEvents() -> WatchWake {
    let count = read(notifier, buffer.baseAddress, buffer.count)
    var wake: WatchWake = []
    var offset = 0
    while offset + MemoryLayout<inotify_event>.size <= count {
      let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let nameLength = buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
      wake.insert(mask == Self.written ? .signal : .replaced)
      offset += MemoryLayout<inotify_event>.size + Int(nameLength)
    }
    return wake
  }
}

#endif

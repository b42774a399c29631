import Foundation
import Measuring
import SQLiteStorage

/// A small in-memory file system under the store of a stress run, filled and cleared repeatedly.
///
/// It is mounted in a mount namespace of the thread that creates it (mount_namespaces(7)): only
/// that thread and the processes that it starts see it, and the kernel removes it with the last of
/// them, however they end. It belongs to that thread.
final class FullDisk {
  /// The size in bytes: far more than the store of a run needs.
  static let byteCount = 128 << 20
  /// The durations of a full period and of a clear period.
  private static let fullMs = 40...300
  private static let clearMs = 300...1500
  private static let fillerName = "filler"

  /// The folder that the file system is mounted over.
  let folder: String
  /// The number of times that the disk was filled.
  private(set) var filledCount = 0
  private let filler: Int32
  private var isFull = false
  private var isMounted = true
  private var random: SeededRandom
  private var changesAt: ContinuousClock.Instant

  /// Mounts the file system over a folder.
  ///
  /// Returns `nil` if the mount is not possible: on other systems than Linux, and without root's
  /// rights.
  init?(over folder: String, seed: UInt64) {
    guard Self.mount(over: folder) else { return nil }
    self.folder = folder
    filler = open("\(folder)/\(Self.fillerName)", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    random = SeededRandom(seed: seed)
    changesAt = .now + .milliseconds(Int.random(in: Self.clearMs, using: &random))
  }

  deinit {
    close(filler)
    if isMounted { Self.unmount(folder) }
  }

  /// Fills or clears the disk when that is due; a full disk is kept full.
  ///
  /// The store's log is emptied before the disk is filled, so that writers cannot go on in the
  /// log's free space.
  func tend(at now: ContinuousClock.Instant, store path: String) {
    if now < changesAt {
      if isFull { fill() }
      return
    }
    if isFull {
      clear()
    } else {
      Self.emptyLog(of: path)
      isFull = true
      filledCount += 1
      fill()
    }
    let pause = Int.random(in: isFull ? Self.fullMs : Self.clearMs, using: &random)
    changesAt = now + .milliseconds(pause)
  }

  /// Clears the disk.
  func clear() {
    isFull = false
    ftruncate(filler, 0)
  }

  private func fill() {
    var (system, file) = (statvfs(), stat())
    guard fstatvfs(filler, &system) == 0, fstat(filler, &file) == 0 else { return }
    let free = off_t(system.f_bavail) * off_t(system.f_bsize)
    // A writer may take space first: the rest is filled at the next call.
    if free > 0 { take(free, from: file.st_size) }
  }

  /// Checkpoints and truncates the store's log, as any program that has the store open may do.
  ///
  /// The log keeps its length if another process reads or writes at that moment.
  private static func emptyLog(of path: String) {
    var options = ConnectionOptions()
    options.access = .readWrite
    options.busyTimeoutMs = 100
    do {
      try Connection(path: path, options).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      return
    }
  }

  /// Unmounts the file system, and leaves its files in the folder.
  func dissolve() throws {
    clear()
    unlink("\(folder)/\(Self.fillerName)")
    let aside = folder + ".aside"
    try FileManager.default.copyItem(atPath: folder, toPath: aside)
    Self.unmount(folder)
    isMounted = false
    guard rename(aside, folder) == 0 else {
      throw LabError.lab("\(folder) could not be replaced: \(String(cString: strerror(errno)))")
    }
  }

  // MARK: Mounting

  #if os(Linux)
  private func take(_ size: off_t, from offset: off_t) { _ = posix_fallocate(filler, offset, size) }

  /// The flag CLONE_NEWNS of unshare(2), which Swift's Glibc module does not declare.
  private static let newMounts: Int32 = 0x0002_0000

  private static func mount(over folder: String) -> Bool {
    guard let symbol = dlsym(nil, "unshare") else { return false }
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
    guard unshare(newMounts) == 0 else { return false }
    let isPrivate = Glibc.mount(nil, "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0
    let options = "size=\(byteCount),mode=0700"
    return isPrivate
      && Glibc.mount("tmpfs", folder, "tmpfs", UInt(MS_NOSUID) | UInt(MS_NODEV), options) == 0
  }

  private static func unmount(_ folder: String) { umount2(folder, Int32(MNT_DETACH)) }
  #else
  private static func mount(over folder: String) -> Bool { false }

  private static func unmount(_ folder: String) {}
  #endif
}

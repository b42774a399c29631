import Foundation
import Measuring
import SQLiteStorage

/// A small file system in memory under the store of a stress run, which is filled and cleared again and
/// again.
///
/// It lies in a mount namespace of the thread that makes it (mount_namespaces(7)): whoever that thread
/// starts sees it, nobody else does, and the kernel takes it away with the last of them, however they
/// end. It belongs to that thread.
final class FullDisk {
  /// How many bytes it holds: far more than the store of a run.
  static let byteCount = 128 << 20
  /// How long it is full at a time, and how long not.
  private static let fullMs = 40...300
  private static let clearMs = 300...1500
  private static let fillerName = "filler"

  /// The folder that it lies over.
  let folder: String
  /// How often it was filled.
  private(set) var filledCount = 0
  private let filler: Int32
  private var isFull = false
  private var isMounted = true
  private var random: SeededRandom
  private var changesAt: ContinuousClock.Instant

  /// Lays it over a folder, or answers nothing where this process may not: elsewhere than on Linux, and
  /// without root's rights.
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

  /// Fills it or clears it when that is due; what was freed while it is full is taken again.
  ///
  /// Before it is filled the store's log is emptied: writers go on in the room that it has.
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

  /// Clears it.
  func clear() {
    isFull = false
    ftruncate(filler, 0)
  }

  private func fill() {
    var (system, file) = (statvfs(), stat())
    guard fstatvfs(filler, &system) == 0, fstat(filler, &file) == 0 else { return }
    let free = off_t(system.f_bavail) * off_t(system.f_bsize)
    // A writer may be faster: then the rest is taken at the next look.
    if free > 0 { take(free, from: file.st_size) }
  }

  /// Moves what was written out of the log and cuts it off, as any program with the store open may.
  ///
  /// Where somebody reads or writes just then, the log stays as long as it is.
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

  /// Takes it away, and leaves in the folder what lay on it.
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

  /// CLONE_NEWNS of unshare(2), which Swift's Glibc does not know.
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

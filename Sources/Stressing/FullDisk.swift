import Basics
import Foundation
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A small in-memory file system for the store of a stress run, which is filled up repeatedly.
///
/// The file system is mounted in a mount namespace of the thread that creates it
/// (mount_namespaces(7)): only that thread and the processes that it starts see the file system,
/// and the kernel removes it when the last of them has ended. Only that thread may use this object.
package final class FullDisk {
  /// The size in bytes: far more than the store of a run needs.
  package static let byteCount = 128 << 20
  /// The possible durations of a period with a full disk, in milliseconds.
  private static let fullMs = 40...300
  /// The possible times between two periods with a full disk, in milliseconds.
  private static let clearMs = 300...1500
  private static let fillerName = "filler"

  /// The folder that the file system is mounted over.
  let folder: String
  /// The number of times that the disk was filled.
  private(set) var filledCount = 0
  private let filler: Int32
  private var isFull = false
  private var isMounted = true
  private var random: SplitMix64
  private var changesAt: ContinuousClock.Instant

  /// Mounts the file system over a folder.
  ///
  /// Returns `nil` if the mount is not possible: on systems other than Linux, and without root's
  /// rights.
  package init?(over folder: String, seed: UInt64) {
    guard Self.mount(over: folder) else { return nil }
    self.folder = folder
    filler = open("\(folder)/\(Self.fillerName)", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    random = SplitMix64(seed: seed)
    changesAt = .now + .milliseconds(Int.random(in: Self.clearMs, using: &random))
  }

  deinit {
    close(filler)
    if isMounted { Self.unmount(folder) }
  }

  /// Fills or clears the disk if the current period has ended; during a full period, keeps it full.
  ///
  /// The store's write-ahead log is emptied before the disk is filled, so that writers cannot use
  /// free space in the log.
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

  /// Frees the disk's space by truncating the file that fills the disk.
  func clear() {
    isFull = false
    ftruncate(filler, 0)
  }

  private func fill() {
    var (system, file) = (statvfs(), stat())
    guard fstatvfs(filler, &system) == 0, fstat(filler, &file) == 0 else { return }
    let free = off_t(system.f_bavail) * off_t(system.f_bsize)
    // A writer may use up some of the space first; the next call fills the rest.
    if free > 0 { take(free, from: file.st_size) }
  }

  /// Checkpoints and truncates the store's write-ahead log, as any program may do.
  ///
  /// If another process keeps reading or writing for 100 ms, the log keeps its length.
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

  /// Unmounts the file system, and keeps its files in the folder.
  package func dissolve() throws {
    clear()
    unlink("\(folder)/\(Self.fillerName)")
    let aside = folder + ".aside"
    try FileManager.default.copyItem(atPath: folder, toPath: aside)
    Self.unmount(folder)
    isMounted = false
    guard rename(aside, folder) == 0 else {
      throw StressError("\(folder) could not be replaced: \(String(cString: strerror(errno)))")
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

/// A random schedule of a run's disturbances, such as kills and stops of processes.
struct StressNemesis {
  private var random: SplitMix64
  private let killsPerSecond: Double
  private var nextKill: ContinuousClock.Instant
  private var nextStop: ContinuousClock.Instant
  private var nextGuest: ContinuousClock.Instant

  enum Disturbance: Hashable, Sendable {
    /// Kill a process when its code reaches a place for the n-th time (`visit`).
    ///
    /// If the place is `nil`, the process is killed immediately.
    case kill(StressPlace?, visit: Int)
    /// Stop a process for a while, with SIGSTOP.
    case stop(Duration)
    /// Let a process suspend its store, and then stop the process for a while.
    case suspend(Duration)
    /// Let a guest join or retire; a guest is an actor that is a member for only part of the run.
    case moveGuest
  }

  /// The mean number of kills for each time that a process is stopped with SIGSTOP and continued.
  private static let killsPerStop = 3.0
  /// The mean number of kills for each time that a guest, a temporary member, joins or retires.
  private static let killsPerMove = 4.0

  init(killsPerSecond: Double, seed: UInt64) {
    random = SplitMix64(seed: seed)
    self.killsPerSecond = killsPerSecond
    let now = ContinuousClock.now
    (nextKill, nextStop, nextGuest) = (now, now, now)
    nextKill = now + pause(1)
    nextStop = now + pause(Self.killsPerStop)
    nextGuest = now + pause(Self.killsPerMove)
  }

  /// Returns the disturbances that are due at a point in time.
  mutating func disturbances(at now: ContinuousClock.Instant) -> [Disturbance] {
    guard killsPerSecond > 0 else { return [] }
    var disturbances: [Disturbance] = []
    if nextKill <= now {
      nextKill = max(nextKill, now - .seconds(1)) + pause(1)
      disturbances.append(kill())
    }
    if nextStop <= now {
      nextStop = now + pause(Self.killsPerStop)
      let time = Duration.milliseconds(Int.random(in: 30...500, using: &random))
      disturbances.append(Bool.random(using: &random) ? .stop(time) : .suspend(time))
    }
    if nextGuest <= now {
      nextGuest = now + pause(Self.killsPerMove)
      disturbances.append(.moveGuest)
    }
    return disturbances
  }

  /// Kills, stops, continues or starts the Python script that writes plain SQL, at random times.
  mutating func tend(
    _ script: PlainSQLWriter,
    at now: ContinuousClock.Instant
  ) throws -> String? {
    try script.tend(at: now, killsPerSecond: killsPerSecond, &random)
  }

  /// Returns a random element; `nil` if there is none.
  mutating func choose<Element>(_ some: [Element]) -> Element? {
    some.randomElement(using: &random)
  }

  /// Returns a random time, up to 250 ms, from the death of a process to the start of the next one.
  mutating func deathTime() -> Duration { .milliseconds(Int.random(in: 0...250, using: &random)) }

  /// Returns a random seed for a new process.
  mutating func seed() -> UInt64 { random.next() }

  /// Returns a random kill: immediate, or at a place in the process's code, equally often.
  private mutating func kill() -> Disturbance {
    guard Bool.random(using: &random), let place = choose(StressPlace.allCases) else {
      return .kill(nil, visit: 0)
    }
    let last = place == .checkpoint ? 16 : 4
    return .kill(place, visit: Int.random(in: 1...last, using: &random))
  }

  /// Returns a random time until the next disturbance of one kind, such as a stop.
  ///
  /// On average, about `kills` processes are killed from one such disturbance to the next.
  private mutating func pause(_ kills: Double) -> Duration {
    guard killsPerSecond > 0 else { return .seconds(1_000_000) }
    // The pauses of a Poisson process, without the longest ones.
    let pause = -log(Double.random(in: 0.02..<1, using: &random)) * kills / killsPerSecond
    return .seconds(pause)
  }
}

/// The machine's monotonic clock, which all processes share.
enum MonotonicClock {
  /// The nanoseconds since a fixed point in time, such as the start of the machine.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

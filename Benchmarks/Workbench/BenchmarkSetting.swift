import Foundation
import HistoryStore
import HistoryTypes

/// The environment of a benchmark at one history size, with copies of a prebuilt store.
struct BenchmarkSetting {
  /// The size of history, in transactions.
  let historySize: Int
  let template: StoreTemplate
  let scratch: ScratchFolder
  /// The number by which the repetitions of a measurement are divided; 1 for precise results.
  let repetitionDivisor: Int
  /// The one condition that differs from the usual conditions; `nil` if none differs.
  var axis: BenchmarkAxis?
  /// The store of the same size under the usual conditions, for a comparison with this setting's
  /// store.
  var baseTemplate: StoreTemplate?
  /// The store of the same size in the Core Data layout, for benchmarks that compare layouts.
  var otherLayout: StoreTemplate?
  /// Whether commits wait for the disk in this setting, or in the setting that is compared with this one.
  var waitsForDisk = false
  /// The planned writes per second, or `nil` if no rate was specified.
  var plannedRate: Double?

  /// The setting of the same size under the usual conditions.
  var base: BenchmarkSetting {
    var base = BenchmarkSetting(
      historySize: historySize,
      template: baseTemplate ?? template,
      scratch: scratch,
      repetitionDivisor: repetitionDivisor
    )
    base.waitsForDisk = waitsForDisk
    base.plannedRate = plannedRate
    return base
  }

  /// The setting of the same size in the layout of Core Data.
  var coreData: BenchmarkSetting {
    var other = BenchmarkSetting(
      historySize: historySize,
      template: otherLayout ?? template,
      scratch: scratch,
      repetitionDivisor: repetitionDivisor
    )
    other.axis = .coreData
    return other
  }

  /// Returns the number of repetitions within one measurement.
  ///
  /// The number is 1 for a cold cache, because only the first repetition is cold. It is a tenth of
  /// the usual number if each commit waits for the disk.
  func repeats(_ count: Int) -> Int {
    axis == .cold ? 1 : max(1, count / repetitionDivisor / (waitsForDisk ? 10 : 1))
  }

  /// Creates a fresh copy of the prebuilt store file, for one of the compared programs.
  func copy() throws -> String { try scratch.copy(of: template) }

  /// The configuration of stores whose benchmark does not use signals.
  var configuration: StoreConfiguration {
    var configuration = StoreTemplate.quietConfiguration
    configuration.layout = layout
    if axis == .full { configuration.durability = .full }
    if axis == .captured { configuration.foreignWrites = .captured }
    return configuration
  }

  /// The layout of the store's history.
  var layout: HistoryLayout { axis?.shape.layout ?? .packed }

  /// Opens this library's store on a fresh copy of the prebuilt store file.
  func store() throws -> BenchmarkStore { try BenchmarkStore(path: try copy(), self) }

  /// Opens the floor (plain SQLite in C, to compare with the store) on a fresh copy of the file.
  func floor() throws -> BenchmarkFloorFile { try BenchmarkFloorFile(path: try copy()) }

  /// Opens plain SQLite in C that also writes history, on a fresh copy of the store file.
  ///
  /// Benchmarks compare the store with it to find what Swift costs over C.
  func trackedFloor() throws -> TrackedFloor {
    try TrackedFloor(path: try copy(), historySize: historySize)
  }
}

final class BenchmarkStore {
  private(set) var store: Store
  let side: SideConnection
  let historySize: Int
  private let isCold: Bool

  init(path: String, _ setting: BenchmarkSetting) throws {
    store = try Store(path: path, configuration: setting.configuration)
    side = try SideConnection(path: path, layout: setting.layout)
    historySize = setting.historySize
    isCold = setting.axis == .cold
  }

  init(path: String, historySize: Int) throws {
    store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    side = try SideConnection(path: path)
    self.historySize = historySize
    isCold = false
  }

  /// Returns the store for a measurement.
  ///
  /// For a cold cache, the store is reopened after the system has dropped its cache of the file.
  func fresh() throws -> Store {
    guard isCold else { return store }
    try coolDown()
    store = try Store(path: store.path, configuration: store.configuration)
    return store
  }

  /// Drops the system's cache of the file if the benchmark is measured on a cold cache.
  func coolDown() throws {
    guard isCold else { return }
    try side.checkpoint()
    try ColdCache.forget(store.path)
  }

  func token(_ number: Int64) throws -> HistoryToken {
    HistoryToken(store: store.id, number: number, mark: try side.mark(of: number))
  }

  /// Purges the oldest transactions, so that the history has its original size again.
  func trim() throws {
    try store.purge(before: try token(try side.head() - Int64(historySize) + 1))
  }
}

/// A file on which the floor, plain SQLite in C, does the same work as the store.
final class BenchmarkFloorFile {
  let floor: FloorDatabase
  let side: SideConnection
  let path: String

  init(path: String) throws {
    self.path = path
    floor = try FloorDatabase(path: path)
    side = try SideConnection(path: path)
  }
}

/// The environment of a benchmark that builds its own stores.
struct OwnSetting {
  let scratch: ScratchFolder
  let seed: UInt64
  /// The factor by which a quick run is shortened; 1 for precise results.
  ///
  /// The sizes of the stores are divided by the square of this factor.
  let repetitionDivisor: Int
  /// Receives the progress of a long task; an error that it throws ends the benchmark.
  let advance: (LongWork, Int) throws -> Void

  /// Returns the number of transactions of a store, which a quick run reduces, but not below 100.
  func size(_ transactions: Int) -> Int {
    max(100, transactions / repetitionDivisor / repetitionDivisor)
  }
}

/// A task within one benchmark that is long enough to show its progress.
package struct LongWork: Sendable, Hashable {
  package let title: String
  /// The unit of progress, in the plural, such as `stores`.
  package let unit: String
  /// The number of units after which the task is complete.
  package let total: Int
}

/// A folder for the stores of a run, in memory if possible unless a disk is required.
final class ScratchFolder {
  let path: String
  /// The medium of the folder: `tmpfs` or `disk`.
  let medium: String
  private var copyCount = 0

  /// The medium of a folder that is not in memory.
  static let disk = "disk"
  private static let memory = "/dev/shm"
  private static let prefix = "history-lab-bench-"
  /// The lock that marks the folder as in use; `nil` if another process created the folder, or if no lock
  /// could be made.
  private let owner: FolderOwner?

  /// Creates this process's folder, and deletes folders left behind by killed processes.
  init(in chosen: String? = nil, onDisk wantsDisk: Bool = false) throws {
    let manager = FileManager.default
    let usesMemory = chosen == nil && !wantsDisk && manager.isWritableFile(atPath: Self.memory)
    let parent = chosen ?? (usesMemory ? Self.memory : manager.temporaryDirectory.path)
    medium = Self.isInMemory(parent) ? "tmpfs" : Self.disk
    Self.removeLeftOvers(in: parent)
    // `of-` comes before the process number, because older versions remove each folder whose prefix
    // is directly followed by the number of an ended process, whoever owns the folder.
    let name = "of-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
    path = parent + "/" + Self.prefix + name
    try manager.createDirectory(
      atPath: path,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    owner = FolderOwner(of: path)
  }

  /// Uses a folder that another process creates and deletes.
  init(existing path: String, medium: String) {
    self.path = path
    self.medium = medium
    owner = nil
  }

  func makeFolder(_ name: String) throws -> String {
    let folder = path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  func remove() throws { try FileManager.default.removeItem(atPath: path) }

  /// Copies a template to a new path.
  func copy(of template: StoreTemplate) throws -> String {
    copyCount += 1
    let copy = path + "/copy-\(copyCount).sqlite"
    try FileManager.default.copyItem(atPath: template.path, toPath: copy)
    return copy
  }

  /// Deletes all files and folders named `copy-...`; the stores in them must be closed.
  func removeCopies() throws {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: path) where name.hasPrefix("copy-") {
      try manager.removeItem(atPath: path + "/" + name)
    }
  }

  /// Returns whether a folder is in a file system in memory.
  ///
  /// On Linux, the innermost mount point that contains the folder determines the file system. Other
  /// systems have no file system in memory for temporary files.
  static func isInMemory(_ path: String, mounts: String = "/proc/self/mounts") -> Bool {
    let text = String(
      decoding: FileManager.default.contents(atPath: mounts) ?? Data(),
      as: UTF8.self
    )
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "/"
    var (innermost, type): (Int, Substring) = (0, "")
    for line in text.split(separator: "\n") {
      let fields: [Substring] = line.split(separator: " ")
      guard fields.count > 2 else { continue }
      let folder = fields[1] == "/" ? "/" : "\(fields[1])/"
      guard real.hasPrefix(folder), folder.count >= innermost else { continue }
      (innermost, type) = (folder.count, fields[2])
    }
    return type == "tmpfs"
  }

  /// Deletes the scratch folders of this user's ended processes in this PID namespace.
  ///
  /// Errors are ignored.
  private static func removeLeftOvers(in parent: String) {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: parent) } catch { return }
    for name in names where name.hasPrefix(prefix) {
      FolderOwner.removeIfDead(parent + "/" + name)
    }
  }
}

/// The file that names the owner of a scratch folder, and is locked while the process that wrote it
/// runs.
///
/// The owner is a user, a machine and a PID namespace.
///
/// A process number alone is not enough: containers and the tasks of a cluster share folders, but
/// each has its own process numbers.
final class FolderOwner {
  private static let name = "owner"
  private let file: Int32

  /// Writes and locks the owner file of a new scratch folder; `nil` if this fails.
  ///
  /// Other processes remove folders of ended processes, but keep a folder without an owner file.
  init?(of folder: String) {
    // The file gets its name only once it is locked, so that no process finds it unlocked.
    let (fresh, path) = ("\(folder)/\(Self.name).new", "\(folder)/\(Self.name)")
    file = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    let bytes = Array(Self.identity.utf8)
    guard flock(file, LOCK_EX | LOCK_NB) == 0, write(file, bytes, bytes.count) == bytes.count,
      rename(fresh, path) == 0
    else {
      unlink(fresh)
      close(file)
      return nil
    }
  }

  deinit { close(file) }

  /// The user, the boot ID of the machine and the PID namespace of this process.
  private static let identity: String = {
    let boot = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
    var space = [UInt8](repeating: 0, count: 64)
    let count = readlink("/proc/self/ns/pid", &space, space.count)
    let text =
      [Substring("\(geteuid())")]
      + [boot, Data(space.prefix(max(0, count)))].map { data in
        String(decoding: data, as: UTF8.self).prefix { !$0.isNewline }
      }
    return text.joined(separator: " ")
  }()

  /// Deletes a folder if the process that created it ran as this user in this PID namespace and has
  /// ended.
  ///
  /// The folder is kept if its owner cannot be determined or an operation fails.
  static func removeIfDead(_ folder: String) {
    var facts = stat()
    guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR,
      facts.st_uid == geteuid()
    else { return }
    let file = open("\(folder)/\(name)", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, String(decoding: bytes.prefix(count), as: UTF8.self) == identity,
      flock(file, LOCK_EX | LOCK_NB) == 0
    else { return }
    do { try FileManager.default.removeItem(atPath: folder) } catch { return }
  }
}

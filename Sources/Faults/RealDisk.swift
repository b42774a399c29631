internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The state of a file system over real files: armed faults and unsynced writes.
struct RealDisk {
  var faults = ArmedFaults()
  /// The effect of syncs while unsynced writes are tracked, or `nil` if they are not.
  var watch: PowerWatch?
  var isOff = false
  /// The number of power-offs; handles opened before the last one are invalid.
  private(set) var life = 0
  /// The bytes of each changed file at its last sync, and the changes since.
  private var unsynced: [String: UnsyncedWrites] = [:]
  /// The paths of the databases that were opened.
  private var databases: Set<String> = []

  /// Returns `SQLITE_OK` or the code that a call of a handle fails with.
  mutating func admit(_ call: FileCall, _ kind: FileKind, life handle: Int) -> Int32 {
    var code = SQLITE_OK
    if faults.isArmed {
      let struck = faults.strike(call, kind)
      if let power = struck.power { turnOff(power) }
      code = struck.code
    }
    guard isOff || handle != life else { return code }
    return ExtendedCode.failure(of: call, on: kind) ?? SQLITE_OK
  }

  mutating func noteOpen(_ path: String, _ kind: FileKind) {
    if kind == .main { databases.insert(path) }
  }

  mutating func noteDelete(_ path: String) { unsynced[path] = nil }

  /// Records a change to a file, with the bytes that the file had before its first change.
  mutating func note(_ path: String?, _ change: (inout UnsyncedWrites) -> Void) {
    guard watch != nil, let path else { return }
    change(&unsynced[path, default: UnsyncedWrites(synced: RealBytes.read(path))])
  }

  /// Performs a sync according to the watch mode; a delayed sync is only recorded.
  mutating func sync(_ path: String?, isDelayed: Bool) {
    guard watch == .honest, let path else { return }
    if isDelayed { unsynced[path]?.delaySync() } else { unsynced[path] = nil }
  }

  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    unsynced.removeAll()
  }

  /// Turns the power off: every changed file is replaced by a new file with the surviving bytes.
  ///
  /// The old file is unlinked, so that processes that have it open cannot change the new one.
  mutating func turnOff(_ power: PowerLoss) {
    guard !isOff else { return }
    isOff = true
    life += 1
    var random = power.seed.map { SplitMix(seed: $0) }
    for (path, writes) in unsynced.sorted(by: { $0.key < $1.key }) {
      RealBytes.replace(path, by: writes.survivors(tornBy: &random))
    }
    for path in databases { unlink(path + "-shm") }
    unsynced.removeAll()
  }
}

/// Reading and replacing the bytes of real files.
private enum RealBytes {
  /// Returns all bytes of a file, or none if it cannot be read.
  static func read(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: max(0, ftell(file)))
    rewind(file)
    let count = fread(&bytes, 1, bytes.count, file)
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Replaces a file by a new one with the given bytes, or deletes it if there are none.
  static func replace(_ path: String, by bytes: [UInt8]) {
    unlink(path)
    guard !bytes.isEmpty else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0, let file = fdopen(descriptor, "wb") else {
      fatalError("\(path) cannot be written after a power-off: error \(errno)")
    }
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else {
      fatalError("\(path) cannot be written after a power-off: error \(errno)")
    }
  }
}

internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What a file system over real files knows: what fails, and what was not synced.
struct RealDisk {
  var faults = ArmedFaults()
  /// How syncs are taken while somebody wants to know what a power-off would lose; nothing otherwise.
  var watch: PowerWatch?
  var isOff = false
  /// Counts power-offs: a handle from before the last one is dead.
  private(set) var life = 0
  /// What each file had at its last sync, and since, from its first change on.
  private var unsynced: [String: UnsyncedWrites] = [:]
  /// The databases that were opened.
  private var databases: Set<String> = []

  /// Decides whether a call of a handle may act; `SQLITE_OK`, or the code that it fails with.
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

  /// Keeps a change, with the bytes that the file has before its first one.
  mutating func note(_ path: String?, _ change: (inout UnsyncedWrites) -> Void) {
    guard watch != nil, let path else { return }
    change(&unsynced[path, default: UnsyncedWrites(synced: RealBytes.read(path))])
  }

  /// Takes a sync as the watch has it; a delayed one is only noted.
  mutating func sync(_ path: String?, isDelayed: Bool) {
    guard watch == .honest, let path else { return }
    if isDelayed { unsynced[path]?.delaySync() } else { unsynced[path] = nil }
  }

  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    unsynced.removeAll()
  }

  /// Lets the power go: every file gets what survives, as another file under its path, so that whoever
  /// has the old one open does no harm.
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

/// The bytes of real files.
private enum RealBytes {
  /// All bytes of a file; none if it cannot be read.
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

  /// Puts another file in the place of one, or removes it if it is to have no bytes.
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

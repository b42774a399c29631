import CSQLite

/// A connection to one file, closed when the value goes out of scope.
///
/// The connection is opened without SQLite's own mutex: use it from one thread at a time.
package struct Connection: ~Copyable {
  package let handle: OpaquePointer
  private let checkpoints: UnsafeMutablePointer<CheckpointPolicy>
  private let lockWait: UnsafeMutablePointer<LockWait>

  /// Opens the file and runs ``ConnectionOptions/pragmas``.
  ///
  /// - Throws: ``SQLiteError`` if the file cannot be opened, or is not a database.
  package init(path: String, _ options: ConnectionOptions = .init()) throws(SQLiteError) {
    var opened: OpaquePointer?
    let name = options.access == .immutable ? Self.immutableURI(of: path) : path
    let code = sqlite3_open_v2(name, &opened, Self.flags(options), options.vfs)
    guard code == SQLITE_OK, let opened else {
      let error = SQLiteError(opened, code: code, sql: path)
      sqlite3_close_v2(opened)
      throw error
    }
    sqlite3_extended_result_codes(opened, 1)
    let wait = UnsafeMutablePointer<LockWait>.allocate(capacity: 1)
    wait.initialize(to: LockWait(opened, timeoutMs: options.busyTimeoutMs))
    sqlite3_busy_handler(opened, waitForLock, wait)
    let failed = sqlite3_exec(opened, options.pragmas, nil, nil, nil)
    guard failed == SQLITE_OK else {
      let error = SQLiteError(opened, code: failed, sql: path)
      Self.leaveAsFound(opened)
      sqlite3_close_v2(opened)
      Self.free(wait)
      throw error
    }
    handle = opened
    lockWait = wait
    checkpoints = .allocate(capacity: 1)
    checkpoints.initialize(to: CheckpointPolicy(every: options.checkpointFrames))
    sqlite3_wal_hook(opened, checkpointHook, checkpoints)
  }

  deinit {
    sqlite3_wal_hook(handle, nil, nil)
    sqlite3_close_v2(handle)
    checkpoints.deallocate()
    Self.free(lockWait)
  }

  private static func free(_ wait: UnsafeMutablePointer<LockWait>) {
    wait.deinitialize(count: 1)
    wait.deallocate()
  }

  private static func flags(_ options: ConnectionOptions) -> Int32 {
    let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | options.protection.flag
    return switch options.access {
    case .readOnly: common | SQLITE_OPEN_READONLY
    case .readWrite: common | SQLITE_OPEN_READWRITE
    case .create: common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .immutable: common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
  }

  /// The version of the linked SQLite library.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// Runs one or more statements that return no rows.
  package borrowing func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: sql) }
  }

  /// Returns the integer in a query's first row and column; `nil` for null or without a row.
  package borrowing func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try Statement(self, sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.int(0)
  }

  /// Returns the text in a query's first row and column; `nil` for null or without a row.
  package borrowing func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try Statement(self, sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// A Boolean value that indicates whether a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// The number of rows that the last statement changed.
  package var changes: Int64 { sqlite3_changes64(handle) }

  /// The key of the last inserted row.
  package var lastInsertedKey: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A number that changes whenever the content of the file changes.
  ///
  /// Commits of this connection and of others change the number; it is constant within a
  /// transaction (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion).
  ///
  /// - Complexity: no statement; SQLite keeps the number in the memory of the connection.
  package var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Rolls back a transaction after a failure, unless SQLite has already rolled it back.
  package borrowing func rollBack() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// The maximum time to wait for a lock, in milliseconds; with 0 there is no wait.
  package var busyTimeoutMs: Int32 {
    get { lockWait.pointee.timeoutMs }
    nonmutating set { lockWait.pointee.timeoutMs = newValue }
  }

  /// Makes this connection stop waiting for locks, with `SQLITE_BUSY`, when a flag is set.
  package borrowing func endWaits(with flag: StopFlag) { lockWait.pointee.stop = flag }

  /// Sets the size limit of the page cache; a smaller limit frees pages immediately.
  package borrowing func setCacheSize(kiB: Int32) throws(SQLiteError) {
    try execute("PRAGMA cache_size=-\(kiB)")
  }

  /// Ends the running statements with `SQLITE_INTERRUPT`; any thread may call it.
  ///
  /// See https://sqlite.org/c3ref/interrupt.html.
  package borrowing func interrupt() { sqlite3_interrupt(handle) }

  /// Sets whether statements of this connection run the file's triggers; the default is `true`.
  ///
  /// The setting also applies to statements that are already prepared
  /// (https://sqlite.org/c3ref/c_dbconfig_defensive.html).
  package borrowing func setRunsTriggers(_ isOn: Bool) {
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, isOn ? 1 : 0)
  }

  /// Sets whether foreign keys are enforced; the default is that of the build of SQLite.
  ///
  /// See https://sqlite.org/foreignkeys.html#fk_enable.
  package borrowing func setEnforcesForeignKeys(_ isOn: Bool) {
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_ENABLE_FKEY, isOn ? 1 : 0)
  }

  /// Sets whether renaming a table leaves its old name in other tables and views unchanged.
  ///
  /// See https://sqlite.org/pragma.html#pragma_legacy_alter_table.
  package borrowing func setKeepsReferences(_ isOn: Bool) {
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, isOn ? 1 : 0)
  }

  /// Whether the open transaction violates a deferred foreign key, so that its commit would fail.
  ///
  /// See https://sqlite.org/c3ref/c_dbstatus_options.html (`SQLITE_DBSTATUS_DEFERRED_FKS`).
  package var violatesForeignKey: Bool {
    var (count, highest): (Int32, Int32) = (0, 0)
    let code = sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
    return code == SQLITE_OK && count != 0
  }

  /// Copies as much of the write-ahead log into the file as readers allow, without waiting.
  package borrowing func checkpoint() throws(SQLiteError) {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    guard code == SQLITE_OK || code == SQLITE_BUSY else {
      throw SQLiteError(handle, code: code, sql: "checkpoint")
    }
  }

  /// Enables the write-ahead log if it is not enabled yet.
  ///
  /// - Throws: ``SQLiteError`` if the database is in memory, or on a file system without shared
  ///   memory (https://sqlite.org/wal.html).
  package borrowing func turnOnLog() throws(SQLiteError) {
    let sql = "PRAGMA journal_mode=WAL"
    guard try waitingForLock(sql) == "wal" else {
      throw SQLiteError(
        code: SQLITE_CANTOPEN,
        message:
          "a write-ahead log needs a file system with shared memory: use a database file on a local disk",
        sql: sql
      )
    }
  }

  /// Runs a query, and retries it while another connection switches the journal mode.
  ///
  /// SQLite does not call its busy handler during such a switch
  /// (https://sqlite.org/c3ref/busy_handler.html).
  private borrowing func waitingForLock(_ sql: String) throws(SQLiteError) -> String? {
    var waitedMs: Int64 = 0
    while true {
      do throws(SQLiteError) {
        let statement = try Statement(self, sql)
        guard try statement.step() else { return nil }
        let text = statement.text(0)
        // The switch ends, and can fail, after the row.
        _ = try statement.step()
        return text
      } catch {
        guard error.cause == .busy, waitedMs < busyTimeoutMs else { throw error }
        waitedMs += max(1, Int64(sqlite3_sleep(2)))
      }
    }
  }

  /// Ensures that the database file does not change when the connection is closed.
  ///
  /// Closing then does not copy a write-ahead log with content into the file. An empty log, such as
  /// one that was created when the file was opened, is removed.
  package borrowing func leaveAsFound() { Self.leaveAsFound(handle) }

  private static func leaveAsFound(_ handle: OpaquePointer) {
    let isFilled: Bool
    // A log whose size is unknown is treated as one with content, and is not removed.
    do throws(SQLiteError) { isFilled = try logByteCount(handle) > 0 } catch { isFilled = true }
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isFilled ? 1 : 0)
  }

  /// Returns the size of the write-ahead log in bytes, as reported by the file's VFS.
  static func logByteCount(_ handle: OpaquePointer) throws(SQLiteError) -> Int64 {
    var log: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
    guard let log, let size = log.pointee.pMethods?.pointee.xFileSize else { return 0 }
    var count: sqlite3_int64 = 0
    let code = size(log, &count)
    guard code == SQLITE_OK else {
      // The size comes from the VFS, so the connection has no error message for this failure.
      throw SQLiteError(nil, code: code, sql: "reading the size of the write-ahead log")
    }
    return count
  }

  /// A C function that returns a nonzero value to stop running statements; its argument is `nil`.
  package typealias StopCheck = @convention(c) (UnsafeMutableRawPointer?) -> Int32

  /// Interrupts running statements with `SQLITE_INTERRUPT` when a check returns a nonzero value.
  ///
  /// The check is called every few hundred microseconds while a statement runs
  /// (https://sqlite.org/c3ref/progress_handler.html).
  package borrowing func stop(when check: StopCheck?) {
    sqlite3_progress_handler(handle, 1_000, check, nil)
  }

  /// Sets whether closing the last connection copies the write-ahead log into the file.
  package borrowing func setCheckpointsOnClose(_ isOn: Bool) {
    _ = csqlite_db_config_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isOn ? 0 : 1)
  }
}

private let checkpointHook:
  @convention(c) (
    UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
  ) -> Int32 = { context, handle, name, frames in
    guard let policy = context?.assumingMemoryBound(to: CheckpointPolicy.self) else {
      return SQLITE_OK
    }
    if policy.pointee.isDue(frames: frames) {
      // A passive checkpoint copies the frames that readers allow and never waits. If it fails, the
      // next commit reports the error.
      sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
    return SQLITE_OK
  }

/// The options of a connection, including those whose defaults depend on the build of SQLite.
package struct ConnectionOptions: Sendable {
  /// The permitted access to the file.
  package enum Access: Sendable {
    case readOnly
    case readWrite
    case create
    /// A file that no process writes while the connection is open.
    ///
    /// SQLite reads the file without locks and without its write-ahead log, and creates no other
    /// files (https://sqlite.org/uri.html#uriimmutable).
    case immutable
  }
  /// The durability of commits (https://sqlite.org/pragma.html#pragma_synchronous).
  package enum Synchronous: Int32, Sendable {
    /// Commits are atomic; the last commits before a power failure may be lost.
    case normal = 1
    /// No acknowledged commit is lost in a power failure.
    case full = 2
  }

  package var access = Access.create
  /// The protection of the files while the device is locked.
  package var protection = FileProtectionFlag.system
  package var synchronous = Synchronous.normal
  /// The maximum time to wait for a lock, in milliseconds; with 0 there is no wait.
  package var busyTimeoutMs: Int32 = 5000
  /// The size limit of the page cache, in KiB.
  package var cacheSizeKiB: Int32 = 65536
  /// The name of the VFS, or `nil` for the platform's default.
  package var vfs: String?
  /// The number of frames of the write-ahead log after which a commit attempts the next checkpoint.
  package var checkpointFrames: Int32 = 1000

  package init() {}

  /// The settings of the connection as SQL.
  ///
  /// `secure_delete`, which some builds of SQLite turn on, is off: it doubles the work of a purge.
  /// The automatic checkpoint needs no pragma, because ``CheckpointPolicy`` replaces it.
  package var pragmas: String {
    """
    PRAGMA synchronous=\(synchronous.rawValue);
    PRAGMA cache_size=-\(cacheSizeKiB);
    PRAGMA secure_delete=OFF;
    PRAGMA temp_store=MEMORY;
    PRAGMA journal_size_limit=67108864;
    PRAGMA trusted_schema=OFF;
    """
  }
}

/// The protection of files while the device is locked, as a flag for the VFS of Apple's systems.
///
/// Apple: `SQLITE_OPEN_FILEPROTECTION_COMPLETE` and the related flags in `sqlite3.h`. Other systems
/// have no such protection, and the flag is left out.
package enum FileProtectionFlag: Int32, Sendable {
  /// The protection that the system gives to new files.
  case system = 0
  case complete = 0x0010_0000
  case completeUnlessOpen = 0x0020_0000
  case completeUntilFirstUserAuthentication = 0x0030_0000
  case none = 0x0040_0000

  fileprivate var flag: Int32 {
    #if canImport(Darwin)
    rawValue
    #else
    0
    #endif
  }
}

/// A policy that checkpoints the write-ahead log after a number of frames, not at every commit.
///
/// SQLite's own automatic checkpoint runs at every commit while a reader keeps the log from
/// restarting, which made commits 10 times slower in a measurement.
package struct CheckpointPolicy {
  private let every: Int32
  private var next: Int32

  /// Creates the policy for an empty log; `every` is the number of frames between two checkpoints.
  package init(every: Int32) {
    self.every = every
    next = every
  }

  /// Returns whether a checkpoint is due for a log with `frames` frames.
  ///
  /// If so, this method also determines when the next checkpoint is due.
  package mutating func isDue(frames: Int32) -> Bool {
    if frames < next - every { next = every }
    guard frames >= next else { return false }
    next = frames + every
    return true
  }
}

/// The paths and sizes of a connection's files.
extension Connection {
  /// The absolute path of the file with symbolic links resolved; empty if there is no file.
  ///
  /// SQLite derives the name of the write-ahead log from this path.
  package var filePath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
  }

  /// The current size of the write-ahead log in bytes; 0 if there is no log.
  package var logByteCount: Int64 { get throws(SQLiteError) { try Self.logByteCount(handle) } }

  /// The size of a frame header in the write-ahead log, in bytes.
  ///
  /// See https://sqlite.org/fileformat2.html#the_write_ahead_log.
  package static let logFrameHeaderSize: Int64 = 24
  /// The size of the header of the write-ahead log, in bytes.
  package static let logHeaderSize: Int64 = 32

  /// Returns the URI with which SQLite opens an immutable file, with special bytes escaped.
  ///
  /// See https://sqlite.org/uri.html.
  static func immutableURI(of path: String) -> String {
    // SQLite would parse two leading slashes as an authority, which names another machine.
    let beginning = path.hasPrefix("//") ? "//" : ""
    let escaped = path.utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte)
    }
    return "file:" + beginning + escaped.joined() + "?immutable=1"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "/", "-", ".", "_", "~": true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}

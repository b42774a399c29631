internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The role of a file in a store.
///
/// The raw value is an index into the tables of counters; plans and reports write `name`.
package enum FileKind: Int, CaseIterable, Sendable, Hashable {
  /// The database file.
  case main
  /// The write-ahead log file.
  case wal
  /// The shared memory of the write-ahead log, with its index and its locks.
  case shm
  /// A rollback journal of a database, of a statement or of several databases.
  case journal
  /// A temporary database or sorter file, which has no path and is used by one connection only.
  case temporary

  /// The name of this kind of file in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Creates the kind of file that a plan names; `nil` if no kind has the name.
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// Creates a file's kind from open flags (https://sqlite.org/c3ref/c_open_autoproxy.html).
  init(openFlags flags: Int32) {
    let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_SUBJOURNAL
    if flags & SQLITE_OPEN_MAIN_DB != 0 {
      self = .main
    } else if flags & SQLITE_OPEN_WAL != 0 {
      self = .wal
    } else if flags & journals != 0 {
      self = .journal
    } else {
      self = .temporary
    }
  }

  /// Creates a file's kind from the suffix of its path; used for calls that pass no open flags.
  init(path: String) {
    if path.hasSuffix("-wal") {
      self = .wal
    } else if path.hasSuffix("-journal") {
      self = .journal
    } else {
      self = .main
    }
  }
}

/// The bytes of one file.
///
/// The image of a store that was checkpointed and closed can serve as a template: if the image is
/// installed at another path, that path has a store with the same schema.
package struct FileImage: Sendable, Hashable {
  /// All bytes, from offset 0 to the end of the file.
  package var bytes: [UInt8]

  /// Creates an image from bytes, such as those of a real file.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates an image from `count` bytes of memory.
  init(copying start: UnsafeRawPointer?, count: Int) {
    bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// The files and shared memory of a heap file system, as differences from a shared image.
package struct SparseImage: Sendable {
  /// The image from which the files and shared memory differ; several sparse images can share it.
  let base: FileSystemImage
  var files: [String: FileDifference] = [:]
  var sharedMemory: [String: FileDifference] = [:]
  /// Whether the disk honored or ignored syncs at the time of the copy.
  ///
  /// `nil` if the disk did not track unsynced writes, which a power-off may lose.
  var watch: PowerWatch?
  /// The version number of the data that survive a power-off; see ``PowerState/durable``.
  var durable = 0
  /// The synced bytes of the files that have unsynced writes.
  var synced: [String: FileDifference] = [:]

  init(base: FileSystemImage) { self.base = base }

  /// The size of the differences in bytes, without the size of ``base``.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.byteCount }
      + sharedMemory.values.reduce(0) { $0 + $1.byteCount }
      + synced.values.reduce(0) { $0 + $1.byteCount }
  }
}

/// A copy of all files of a heap file system, with their shared memory.
package struct FileSystemImage: Sendable, Hashable {
  /// The bytes of each file, by path.
  package var files: [String: FileImage]
  /// The mapped shared memory of each database, by the database's path.
  package var sharedMemory: [String: FileImage]

  /// Creates an image from the bytes of files and of shared memory.
  package init(files: [String: FileImage], sharedMemory: [String: FileImage] = [:]) {
    self.files = files
    self.sharedMemory = sharedMemory
  }

  /// The total size of all files and all shared memory, in bytes.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.bytes.count }
      + sharedMemory.values.reduce(0) { $0 + $1.bytes.count }
  }
}

/// The bytes of one file that differ from an image, or from zero beyond the image's end.
///
/// After a few writes, a store differs from a new one mainly by a write-ahead log of mostly empty
/// pages. The difference then takes about a twentieth of the store's size.
struct FileDifference: Sendable {
  /// The number of bytes in a block; a block of the file is stored or left out as a whole.
  private static let blockSize = 64
  /// The number of bytes in a page; the blocks of a page are compared only if the page differs.
  private static let pageSize = 4096
  private static let zeros = [UInt8](repeating: 0, count: pageSize)

  private struct Run {
    let offset: Int
    var count: Int
  }

  /// The size of the file in bytes.
  private(set) var count = 0
  private var runs: [Run] = []
  private var bytes: [UInt8] = []

  /// Appends the next part of the file; only blocks that differ from the image are stored.
  ///
  /// - Complexity: linear in the bytes, most of which are compared a page at a time.
  mutating func append(_ part: UnsafeRawBufferPointer, unlike image: FileImage?) {
    let start = count
    count += part.count
    (image?.bytes ?? []).withUnsafeBytes { base in
      Self.zeros.withUnsafeBytes { zeros in
        var offset = 0
        while offset < part.count {
          let size = min(Self.pageSize, part.count - offset)
          let page = UnsafeRawBufferPointer(rebasing: part[offset..<offset + size])
          let there = start + offset
          if there + size <= base.count {
            appendPage(page, at: there, UnsafeRawBufferPointer(rebasing: base[there...]))
          } else if there >= base.count {
            appendPage(page, at: there, zeros)
          } else {
            keep(page, at: there)
          }
          offset += size
        }
      }
    }
  }

  private mutating func appendPage(
    _ page: UnsafeRawBufferPointer,
    at start: Int,
    _ base: UnsafeRawBufferPointer
  ) {
    guard !Self.isSame(page, base, 0..<page.count) else { return }
    var offset = 0
    while offset < page.count {
      let end = min(offset + Self.blockSize, page.count)
      if !Self.isSame(page, base, offset..<end) {
        keep(UnsafeRawBufferPointer(rebasing: page[offset..<end]), at: start + offset)
      }
      offset = end
    }
  }

  private static func isSame(
    _ one: UnsafeRawBufferPointer,
    _ other: UnsafeRawBufferPointer,
    _ range: Range<Int>
  ) -> Bool {
    guard let one = one.baseAddress, let other = other.baseAddress else { return true }
    return memcmp(one + range.lowerBound, other + range.lowerBound, range.count) == 0
  }

  private mutating func keep(_ block: UnsafeRawBufferPointer, at offset: Int) {
    bytes.append(contentsOf: block)
    if let last = runs.last, last.offset + last.count == offset {
      runs[runs.count - 1].count += block.count
    } else {
      runs.append(Run(offset: offset, count: block.count))
    }
  }

  /// The memory in bytes that the stored blocks and their offsets take.
  var byteCount: Int { bytes.count + runs.count * MemoryLayout<Run>.stride }

  /// Returns all bytes of the file: those of `image`, with this difference applied.
  func bytes(over image: FileImage?) -> [UInt8] {
    var whole = [UInt8](repeating: 0, count: count)
    whole.withUnsafeMutableBytes { write(0..<count, to: $0, over: image) }
    return whole
  }

  /// Copies a part of the file into a buffer of the same size; see ``bytes(over:)``.
  func write(
    _ part: Range<Int>,
    to target: UnsafeMutableRawBufferPointer,
    over image: FileImage?
  ) {
    (image?.bytes ?? []).withUnsafeBytes { base in
      let common = base[min(part.lowerBound, base.count)..<min(part.upperBound, base.count)]
      target.copyBytes(from: common)
      let rest = target[common.count...]
      UnsafeMutableRawBufferPointer(rebasing: rest)
        .initializeMemory(as: UInt8.self, repeating: 0)
    }
    bytes.withUnsafeBytes { bytes in
      var next = 0
      for run in runs {
        let shared = (run.offset..<run.offset + run.count).clamped(to: part)
        if !shared.isEmpty {
          let from = next + shared.lowerBound - run.offset
          let there = shared.lowerBound - part.lowerBound
          UnsafeMutableRawBufferPointer(rebasing: target[there...])
            .copyBytes(from: bytes[from..<from + shared.count])
        }
        next += run.count
      }
    }
  }
}

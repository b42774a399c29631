internal import Basics
internal import CSQLite

extension HeapDisk {
  /// Copies every file that has a path, with the file's shared memory if that memory is mapped.
  func snapshot() -> FileSystemImage {
    var image = FileSystemImage(files: [:])
    for (path, file) in files {
      image.files[path] = file.pointee.image()
      if file.pointee.memory.isMapped {
        image.sharedMemory[path] = file.pointee.memory.image()
      }
    }
    return image
  }

  /// Copies every file that has a path, as the difference between the file and an image.
  ///
  /// The copy includes mapped shared memory, and the synced bytes of files with unsynced writes.
  func snapshot(sharing base: FileSystemImage) -> SparseImage {
    var image = SparseImage(base: base)
    image.watch = watch
    image.durable = durable
    for (path, file) in files {
      image.files[path] = file.pointee.difference(from: base.files[path])
      if let unsynced = file.pointee.unsynced, !unsynced.isEmpty {
        image.synced[path] = unsynced.difference(from: base.files[path])
      }
      if file.pointee.memory.isMapped {
        image.sharedMemory[path] = file.pointee.memory.difference(from: base.sharedMemory[path])
      }
    }
    return image
  }

  /// Replaces the contents of all files with those of an image; open handles stay valid.
  ///
  /// A file that the image lacks is deleted; if the file has an open handle, it becomes empty instead.
  mutating func restore(_ image: FileSystemImage) {
    makeRoom(for: image.files.keys)
    for (path, file) in files {
      file.pointee.restore(image.files[path])
      if file.pointee.memory.isMapped {
        file.pointee.memory.restore(image.sharedMemory[path])
      }
    }
  }

  /// Replaces the contents of all files with those of a sparse image.
  mutating func restore(_ image: SparseImage) {
    makeRoom(for: image.files.keys)
    for (path, file) in files {
      file.pointee.restore(image.files[path], over: image.base.files[path])
      if file.pointee.memory.isMapped {
        let base = image.base.sharedMemory[path]
        file.pointee.memory.restore(image.sharedMemory[path], over: base)
      }
    }
    restorePower(of: image)
  }

  /// Resumes tracking unsynced writes if they were tracked when the image was taken.
  private mutating func restorePower(of image: SparseImage) {
    guard let watch = image.watch else { return }
    self.watch = watch
    durable = image.durable
    for (path, file) in files {
      let bytes = file.pointee.image().bytes
      let synced = image.synced[path]?.bytes(over: image.base.files[path])
      file.pointee.unsynced =
        synced.map { UnsyncedWrites(synced: $0, now: bytes) } ?? UnsyncedWrites(synced: bytes)
    }
  }

  /// Creates files at the given paths, and deletes files at other paths that have no open handle.
  ///
  /// A simulated power-off and the tracking of unsynced writes end.
  private mutating func makeRoom(for paths: some Collection<String>) {
    watch = nil
    isOff = false
    for (path, file) in files {
      guard file.pointee.isIdle else {
        fatalError("restore: a connection to \(path) is inside a transaction; end it first")
      }
      if file.pointee.openCount == 0, !paths.contains(path) { unlink(file) }
    }
    for path in paths { _ = file(at: path) }
  }

  /// Replaces the bytes of one file with those of an image.
  mutating func install(_ image: FileImage, at path: String) {
    let file = file(at: path)
    guard file.pointee.openCount == 0 else {
      fatalError("install: \(path) has \(file.pointee.openCount) open handles; close them first")
    }
    file.pointee.restore(image)
  }
}

/// The effect of syncs on a disk that tracks unsynced writes, which a power-off may lose.
package enum PowerWatch: Sendable, Hashable {
  /// Every sync makes earlier writes durable.
  case honest
  /// A sync reports success without effect, as on a disk that ignores syncs.
  case ignoringSyncs
}

extension HeapDisk {
  /// Treats all data written so far as durable, and starts tracking unsynced writes.
  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    renewDurable()
    for file in files.values {
      file.pointee.unsynced = UnsyncedWrites(synced: file.pointee.image().bytes)
    }
  }

  /// Turns the power off: files keep only their durable bytes, and open handles become invalid.
  ///
  /// No file can be opened until the power is on again.
  mutating func turnOff(_ power: PowerLoss) {
    guard !isOff else { return }
    isOff = true
    renewDurable()
    var random = power.seed.map { SplitMix64(seed: $0) }
    // The files are sorted by path, so that a seed gives the same result in every run.
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      let bytes = file.pointee.unsynced?.survivors(tornBy: &random) ?? file.pointee.image().bytes
      unlinkDead(file)
      guard !bytes.isEmpty else { continue }
      let survivor = self.file(at: path)
      survivor.pointee.restore(FileImage(bytes: bytes))
      if watch != nil { survivor.pointee.unsynced = UnsyncedWrites(synced: bytes) }
    }
    // The handles of temporary and deleted files become invalid too.
    for file in detached { file.pointee.isDead = true }
  }

  private mutating func unlinkDead(_ file: FilePointer) {
    file.pointee.isDead = true
    file.pointee.unsynced = nil
    unlink(file)
  }

  /// Makes a file's writes durable, unless the disk ignores syncs; a delayed sync is only recorded.
  mutating func sync(_ file: FilePointer, isDelayed: Bool) {
    guard watch == .honest, file.pointee.unsynced?.isEmpty == false else { return }
    renewDurable()
    if isDelayed { file.pointee.unsynced?.delaySync() } else { file.pointee.unsynced?.sync() }
  }
}

extension HeapDisk {
  /// The state that a power-off would leave now; `nil` if unsynced writes are not tracked.
  var powerState: PowerState? {
    guard watch != nil else { return nil }
    let isWhole = files.values.allSatisfy { $0.pointee.unsynced?.isEmpty ?? true }
    return PowerState(durable: durable, isWhole: isWhole)
  }
}

/// An identifier of the data that a power-off would leave, to compare these data at two times.
package struct PowerState: Sendable, Hashable {
  /// A number that changes when the durable data change; restoring files restores the number too.
  package let durable: Int
  /// Whether a power-off would lose no writes.
  package let isWhole: Bool
}

/// The effect of a power-off on unsynced writes.
package struct PowerLoss: Sendable, Hashable {
  /// The seed that decides which unsynced sectors are kept; `nil` if none is kept.
  ///
  /// The default is `nil`.
  package var seed: UInt64?

  package init(seed: UInt64? = nil) { self.seed = seed }
}

internal import CSQLite

/// The effect of a sync while unsynced writes are tracked.
package enum PowerWatch: Sendable, Hashable {
  /// Every sync makes earlier writes durable.
  case honest
  /// Syncs report success and do nothing, as on a disk that ignores them.
  case ignoringSyncs
}

extension HeapDisk {
  /// Treats everything written so far as durable, and starts tracking unsynced writes.
  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    renewDurable()
    for file in files.values {
      file.pointee.unsynced = UnsyncedWrites(synced: file.pointee.image().bytes)
    }
  }

  /// Turns the power off: files keep their surviving bytes, and open handles become invalid.
  ///
  /// Files cannot be opened until the power is on again.
  mutating func turnOff(_ power: PowerLoss) {
    guard !isOff else { return }
    isOff = true
    renewDurable()
    var random = power.seed.map { SplitMix(seed: $0) }
    // Sorted by path, so that a seed gives the same result in every run.
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      let bytes = file.pointee.unsynced?.survivors(tornBy: &random) ?? file.pointee.image().bytes
      unlinkDead(file)
      guard !bytes.isEmpty else { continue }
      let survivor = self.file(at: path)
      survivor.pointee.restore(FileImage(bytes: bytes))
      if watch != nil { survivor.pointee.unsynced = UnsyncedWrites(synced: bytes) }
    }
    // Temporary and deleted files.
    for file in detached { file.pointee.isDead = true }
  }

  private mutating func unlinkDead(_ file: FilePointer) {
    file.pointee.isDead = true
    file.pointee.unsynced = nil
    unlink(file)
  }

  /// Performs a sync according to the watch mode; a delayed sync is only recorded.
  mutating func sync(_ file: FilePointer, isDelayed: Bool) {
    guard watch == .honest, file.pointee.unsynced?.isEmpty == false else { return }
    renewDurable()
    if isDelayed { file.pointee.unsynced?.delaySync() } else { file.pointee.unsynced?.sync() }
  }
}

extension HeapDisk {
  /// The state that would survive a power-off now, or `nil` if unsynced writes are not tracked.
  var powerStanding: PowerStanding? {
    guard watch != nil else { return nil }
    let isWhole = files.values.allSatisfy { $0.pointee.unsynced?.isEmpty ?? true }
    return PowerStanding(durable: durable, isWhole: isWhole)
  }
}

/// An identifier of the data that would survive a power-off, for comparing moments.
package struct PowerStanding: Sendable, Hashable {
  /// A number that changes when the surviving data change; restoring files restores it.
  package let durable: Int
  /// Whether a power-off would lose no writes.
  package let isWhole: Bool
}

/// The effect of a power-off on unsynced writes.
package struct PowerLoss: Sendable, Hashable {
  /// The seed that decides which sectors survive, or `nil` if none does.
  ///
  /// The default is `nil`.
  package var seed: UInt64?

  package init(seed: UInt64? = nil) { self.seed = seed }
}

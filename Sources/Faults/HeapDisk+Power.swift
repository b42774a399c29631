internal import CSQLite

/// How syncs are taken while somebody wants to know what a power-off would lose.
package enum PowerWatch: Sendable, Hashable {
  /// Every sync makes durable what was written before it.
  case honest
  /// Syncs are acknowledged and do nothing: a disk that lies, to see that it is found out.
  case ignoringSyncs
}

extension HeapDisk {
  /// Counts everything written so far as durable, and keeps what is not synced from now on.
  mutating func startWatch(_ watch: PowerWatch) {
    self.watch = watch
    renewDurable()
    for file in files.values {
      file.pointee.unsynced = UnsyncedWrites(synced: file.pointee.image().bytes)
    }
  }

  /// Lets the power go: every file keeps what survives, under its path; its open handles are dead.
  ///
  /// Whoever opens a file finds no disk until the power is on again.
  mutating func turnOff(_ power: PowerLoss) {
    guard !isOff else { return }
    isOff = true
    renewDurable()
    var random = power.seed.map { SplitMix(seed: $0) }
    // In the order of their names, so that a seed means the same at every run.
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      let bytes = file.pointee.unsynced?.survivors(tornBy: &random) ?? file.pointee.image().bytes
      unlinkDead(file)
      guard !bytes.isEmpty else { continue }
      let survivor = self.file(at: path)
      survivor.pointee.restore(FileImage(bytes: bytes))
      if watch != nil { survivor.pointee.unsynced = UnsyncedWrites(synced: bytes) }
    }
    // Temporary files, and deleted ones.
    for file in detached { file.pointee.isDead = true }
  }

  private mutating func unlinkDead(_ file: FilePointer) {
    file.pointee.isDead = true
    file.pointee.unsynced = nil
    unlink(file)
  }

  /// Takes a sync of a file as the watch has it; a delayed one is only noted.
  mutating func sync(_ file: FilePointer, isDelayed: Bool) {
    guard watch == .honest, file.pointee.unsynced?.isEmpty == false else { return }
    renewDurable()
    if isDelayed { file.pointee.unsynced?.delaySync() } else { file.pointee.unsynced?.sync() }
  }
}

extension HeapDisk {
  /// What a power-off would leave now, or nothing when nobody wants to know.
  var powerStanding: PowerStanding? {
    guard watch != nil else { return nil }
    let isWhole = files.values.allSatisfy { $0.pointee.unsynced?.isEmpty ?? true }
    return PowerStanding(durable: durable, isWhole: isWhole)
  }
}

/// What a power-off would leave, as far as it can be compared with another moment.
package struct PowerStanding: Sendable, Hashable {
  /// A number that is another one once something else would be left; putting files back brings it back.
  package let durable: Int
  /// Whether all would be left that was written.
  package let isWhole: Bool
}

/// What a power-off does to what was not synced.
package struct PowerLoss: Sendable, Hashable {
  /// What decides which sectors are left; without it none is.
  package var seed: UInt64?

  package init(seed: UInt64? = nil) { self.seed = seed }
}

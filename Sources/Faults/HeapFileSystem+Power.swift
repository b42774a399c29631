extension HeapFileSystem {
  /// Counts everything written so far as durable, and keeps what is not synced from now on, which a
  /// power-off loses.
  ///
  /// It ends when the files are put back to a whole image or removed; an image that shares its bytes with
  /// another remembers it.
  /// - Complexity: O(bytes of all files), and each write is copied once more.
  package func watchPower(_ watch: PowerWatch = .honest) {
    disk.locked { $0.startWatch(watch) }
  }

  /// Lets the power go between two calls.
  ///
  /// Every file keeps what survives; each call of a handle that was open fails for ever, and nothing
  /// can be opened until the power is on again.
  package func turnOff(_ loss: PowerLoss) {
    disk.locked { $0.turnOff(loss) }
  }

  /// Turns the power on: files can be opened again.
  ///
  /// Handles from before stay dead.
  package func turnOn() {
    disk.locked { $0.isOff = false }
  }

  /// What a power-off would leave now, or nothing when nobody wants to know.
  package var powerStanding: PowerStanding? { disk.locked { $0.powerStanding } }

  /// Whether the power is off.
  package var isOff: Bool { disk.locked { $0.isOff } }
}

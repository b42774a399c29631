extension HeapFileSystem {
  /// Treats everything written so far as durable, and starts tracking unsynced writes.
  ///
  /// A power-off loses the unsynced writes. Tracking stops when all files are removed or restored
  /// from a whole image; a sparse image restores the tracking too.
  ///
  /// - Complexity: O(bytes of all files), and each write is copied once more.
  package func watchPower(_ watch: PowerWatch = .honest) {
    disk.locked { $0.startWatch(watch) }
  }

  /// Turns the power off between two calls.
  ///
  /// Every file keeps its surviving bytes. Calls of handles that were open fail from now on, and no
  /// file can be opened until the power is on again.
  package func turnOff(_ loss: PowerLoss) {
    disk.locked { $0.turnOff(loss) }
  }

  /// Turns the power on, so that files can be opened again.
  ///
  /// Handles from before the power-off stay invalid.
  package func turnOn() {
    disk.locked { $0.isOff = false }
  }

  /// The state that would survive a power-off now, or `nil` if unsynced writes are not tracked.
  package var powerStanding: PowerStanding? { disk.locked { $0.powerStanding } }

  /// Whether the power is off.
  package var isOff: Bool { disk.locked { $0.isOff } }
}

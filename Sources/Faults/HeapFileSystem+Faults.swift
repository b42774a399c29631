extension HeapFileSystem {
  /// Replaces the armed faults; their counts start at 0.
  ///
  /// Where several faults apply to one call, the first decides how it fails.
  package func arm(_ faults: [FileFault]) {
    disk.locked { $0.faults.arm(faults) }
  }

  /// Disarms all faults, and returns their tallies in the order in which they were armed.
  @discardableResult
  package func disarm() -> [FaultTally] {
    disk.locked { disk in
      let tallies = disk.faults.tallies
      disk.faults.arm([])
      return tallies
    }
  }
}

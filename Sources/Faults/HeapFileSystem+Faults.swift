extension HeapFileSystem {
  /// Makes calls fail from now on; their counts start here, and earlier faults end.
  ///
  /// Where several faults strike one call, the first decides how it fails.
  package func arm(_ faults: [FileFault]) {
    disk.locked { $0.faults.arm(faults) }
  }

  /// Ends all faults and tells what each did since it was armed, in the order they were given.
  @discardableResult
  package func disarm() -> [FaultTally] {
    disk.locked { disk in
      let tallies = disk.faults.tallies
      disk.faults.arm([])
      return tallies
    }
  }
}

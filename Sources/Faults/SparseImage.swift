/// The files and shared memory of a heap file system, as differences from a shared image.
package struct SparseImage: Sendable {
  /// The shared image.
  let base: FileSystemImage
  var files: [String: FileDifference] = [:]
  var sharedMemory: [String: FileDifference] = [:]
  /// The effect of syncs if unsynced writes were tracked, else `nil`.
  var watch: PowerWatch?
  /// The disk's number for the data that would survive a power-off.
  var durable = 0
  /// The synced bytes of the files that have unsynced writes.
  var synced: [String: FileDifference] = [:]

  init(base: FileSystemImage) { self.base = base }

  /// The size in bytes, without that of the shared image.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.byteCount }
      + sharedMemory.values.reduce(0) { $0 + $1.byteCount }
      + synced.values.reduce(0) { $0 + $1.byteCount }
  }
}

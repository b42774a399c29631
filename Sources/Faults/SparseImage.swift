/// All files of a heap file system at one moment, shared memory included, as far as they differ from an
/// image that many moments have in common.
package struct SparseImage: Sendable {
  /// What the files began as.
  let base: FileSystemImage
  var files: [String: FileDifference] = [:]
  var sharedMemory: [String: FileDifference] = [:]
  /// How syncs were taken, if somebody wanted to know what a power-off would lose.
  var watch: PowerWatch?
  /// The disk's number for what a power-off would leave.
  var durable = 0
  /// What a power-off would leave of the files of which it would lose something.
  var synced: [String: FileDifference] = [:]

  init(base: FileSystemImage) { self.base = base }

  /// The bytes that it takes beside the image that it shares.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.byteCount }
      + sharedMemory.values.reduce(0) { $0 + $1.byteCount }
      + synced.values.reduce(0) { $0 + $1.byteCount }
  }
}

/// The resources that a heap file system uses; a leak would make these counts grow.
package struct HeapUsage: Sendable, Hashable {
  /// The number of handles that SQLite has open.
  package var openHandles: Int
  /// The number of files that have a path.
  package var files: Int
  /// The number of files without a path that have an open handle: deleted or temporary ones.
  package var detachedFiles: Int
  /// The number of empty files kept for their buffers.
  package var spareFiles: Int
  /// The size of all buffers and shared memory regions in bytes, unused capacity included.
  package var allocatedBytes: Int
}

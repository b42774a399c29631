/// What a heap file system holds at one moment: the counts that a leak would make grow.
package struct HeapUsage: Sendable, Hashable {
  /// Handles that SQLite has open.
  package var openHandles: Int
  /// Files that have a path.
  package var files: Int
  /// Files without a path that a handle keeps alive: deleted or temporary ones.
  package var detachedFiles: Int
  /// Empty files kept for their buffers.
  package var spareFiles: Int
  /// Bytes of all buffers and shared memory regions, unused capacity included.
  package var allocatedBytes: Int
}

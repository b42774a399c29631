/// A copy of all files of a heap file system, with their shared memory.
package struct FileSystemImage: Sendable, Hashable {
  /// The bytes of each file, by path.
  package var files: [String: FileImage]
  /// The mapped shared memory of each database, by the database's path.
  package var sharedMemory: [String: FileImage]

  /// Creates an image from the bytes of files.
  package init(files: [String: FileImage], sharedMemory: [String: FileImage] = [:]) {
    self.files = files
    self.sharedMemory = sharedMemory
  }

  /// The total size of all files and all shared memory, in bytes.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.bytes.count }
      + sharedMemory.values.reduce(0) { $0 + $1.bytes.count }
  }
}

/// All files of a heap file system at one moment, shared memory included.
package struct FileSystemImage: Sendable, Hashable {
  /// The bytes of each file, by path.
  package var files: [String: FileImage]
  /// The mapped shared memory of each database, by the database's path.
  package var sharedMemory: [String: FileImage]

  /// Makes an image of files from elsewhere.
  package init(files: [String: FileImage], sharedMemory: [String: FileImage] = [:]) {
    self.files = files
    self.sharedMemory = sharedMemory
  }

  /// The bytes of all files and all shared memory.
  package var byteCount: Int {
    files.values.reduce(0) { $0 + $1.bytes.count }
      + sharedMemory.values.reduce(0) { $0 + $1.bytes.count }
  }
}

/// The bytes of one file.
///
/// The image of a store that was checkpointed and closed is a template: installed at any number of
/// paths, it gives fresh stores without running a schema.
package struct FileImage: Sendable, Hashable {
  /// All bytes, from offset 0 to the end of the file.
  package var bytes: [UInt8]

  /// Creates an image from bytes, such as those of a real file.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Copies `count` bytes of memory.
  init(copying start: UnsafeRawPointer?, count: Int) {
    bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

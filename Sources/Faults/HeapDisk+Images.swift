extension HeapDisk {
  /// Copies every file that has a path, and the shared memory of those that are mapped.
  func snapshot() -> FileSystemImage {
    var image = FileSystemImage(files: [:])
    for (path, file) in files {
      image.files[path] = file.pointee.image()
      if file.pointee.memory.isMapped {
        image.sharedMemory[path] = file.pointee.memory.image()
      }
    }
    return image
  }

  /// Makes the files exactly those of an image, in place where handles are open.
  ///
  /// A file that the image lacks is removed, or emptied if a handle is open on it.
  mutating func restore(_ image: FileSystemImage) {
    watch = nil
    isOff = false
    for (path, file) in files {
      guard file.pointee.isIdle else {
        fatalError("restore: a connection to \(path) is inside a transaction; end it first")
      }
      if image.files[path] == nil && file.pointee.openCount == 0 { unlink(file) }
    }
    for path in image.files.keys { _ = file(at: path) }
    for (path, file) in files {
      file.pointee.restore(image.files[path])
      if file.pointee.memory.isMapped {
        file.pointee.memory.restore(image.sharedMemory[path])
      }
    }
  }

  /// Makes one file hold exactly the bytes of an image.
  mutating func install(_ image: FileImage, at path: String) {
    let file = file(at: path)
    guard file.pointee.openCount == 0 else {
      fatalError("install: \(path) has \(file.pointee.openCount) open handles; close them first")
    }
    file.pointee.restore(image)
  }
}

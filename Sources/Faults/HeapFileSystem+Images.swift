extension HeapFileSystem {
  /// Copies the bytes of one file, or returns `nil` if there is no file at the path.
  package func image(of path: String) -> FileImage? {
    disk.locked { $0.files[path]?.pointee.image() }
  }

  /// Copies all files and the mapped shared memory.
  ///
  /// Taken while a connection is inside a transaction, the image is what a process crash at this
  /// moment leaves.
  ///
  /// - Complexity: O(bytes of all files).
  package func snapshot() -> FileSystemImage {
    disk.locked { $0.snapshot() }
  }

  /// Copies the bytes of all files and of mapped shared memory that differ from an image.
  ///
  /// If unsynced writes are tracked, the image includes the synced bytes. After it is restored,
  /// everything that was not synced counts as one write.
  ///
  /// - Complexity: O(bytes of all files), but takes memory only for the difference.
  package func snapshot(sharing base: FileSystemImage) -> SparseImage {
    disk.locked { $0.snapshot(sharing: base) }
  }

  /// The number of write, truncate and delete calls to shared files; restoring files keeps it.
  package var writeCount: Int { disk.locked { $0.writeCount } }

  /// Replaces the contents of all files by those of a sparse image, like ``restore(_:)``.
  package func restore(_ image: SparseImage) {
    disk.locked { $0.restore(image) }
  }

  /// Replaces the contents of all files by those of an image.
  ///
  /// Connections may stay open if each is in WAL mode and outside a transaction (a statement that
  /// was not reset is a transaction): their next statement sees the restored content. A connection
  /// inside a transaction ends the program. A file that the image lacks is deleted; if a connection
  /// is open on it, it becomes empty instead. In rollback mode, close all connections first: SQLite
  /// could use a stale page in its cache.
  ///
  /// - Complexity: O(bytes of the image); no allocation if the files were as large before.
  package func restore(_ image: FileSystemImage) {
    disk.locked { $0.restore(image) }
  }

  /// Writes an image to a path: a fresh store without running its schema.
  ///
  /// The image must be of a store that was checkpointed. The program ends if a connection has the
  /// file open. A log that exists next to the path is not deleted.
  package func install(_ image: FileImage, at path: String) {
    disk.locked { $0.install(image, at: path) }
  }

  /// Deletes all files; open connections keep theirs until they close.
  ///
  /// The buffers are kept for later files.
  package func removeAll() {
    disk.locked { $0.unlinkAll() }
  }
}

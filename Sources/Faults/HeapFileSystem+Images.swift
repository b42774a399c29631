extension HeapFileSystem {
  /// Copies the bytes of one file; nil if there is none at the path.
  package func image(of path: String) -> FileImage? {
    disk.locked { $0.files[path]?.pointee.image() }
  }

  /// Copies all files and the mapped shared memory.
  ///
  /// Taken while a connection is inside a transaction, it is what a crash at this moment leaves.
  /// - Complexity: O(bytes of all files).
  package func snapshot() -> FileSystemImage {
    disk.locked { $0.snapshot() }
  }

  /// Keeps what all files and the mapped shared memory do not have in common with an image.
  ///
  /// While somebody wants to know what a power-off would leave it keeps that too; what was not synced is
  /// from then on one write.
  /// - Complexity: O(bytes of all files), but takes memory only for what differs.
  package func snapshot(sharing base: FileSystemImage) -> SparseImage {
    disk.locked { $0.snapshot(sharing: base) }
  }

  /// A number that is another one once anything was written, cut or deleted; putting files back leaves
  /// it as it is.
  package var writeCount: Int { disk.locked { $0.writeCount } }

  /// Makes the files exactly those of an image that shares most of its bytes, as ``restore(_:)``.
  package func restore(_ image: SparseImage) {
    disk.locked { $0.restore(image) }
  }

  /// Makes the files exactly those of an image.
  ///
  /// Connections may stay open if each is in WAL mode and outside a transaction (a statement that
  /// was not reset is a transaction): they see the old content at their next statement. One that is
  /// inside a transaction ends the program. A file that the image lacks is removed; if a connection
  /// is open on it, it becomes empty instead. In rollback mode close all connections first: SQLite
  /// could take an old page in its cache for a current one.
  /// - Complexity: O(bytes of the image); nothing is allocated if the files were as large before.
  package func restore(_ image: FileSystemImage) {
    disk.locked { $0.restore(image) }
  }

  /// Makes one file hold the bytes of an image: a fresh store without running its schema.
  ///
  /// The image must be of a store that was checkpointed; no connection may have the file open, or
  /// the program ends. A log left at the path is not removed.
  package func install(_ image: FileImage, at path: String) {
    disk.locked { $0.install(image, at: path) }
  }

  /// Removes all files, as deleting them would: open connections keep theirs until they close.
  ///
  /// Buffers are kept for the files that come next.
  package func removeAll() {
    disk.locked { $0.unlinkAll() }
  }
}

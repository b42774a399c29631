import Foundation

/// A run's folder for temporary files, such as stores and the output of processes.
///
/// The folder is named `scratch`, and only the user can access it. The process that creates the
/// folder locks a file in it until the process ends, even by a crash. The next run removes all
/// scratch folders whose lock is free.
package final class ScratchFolder {
  /// The name of the scratch folder within the folder of a run.
  package static let name = "scratch"
  private static let lockName = "lock"
  /// The age in seconds up to which a folder without a lock file may still be in creation.
  private static let newForSeconds = 10

  package let path: String
  private let lock: Int32

  /// Creates the scratch folder in the folder of a run.
  ///
  /// - Throws: a lab error that states why the folder cannot be created or locked.
  package init(in run: String) throws(LabError) {
    path = run + "/" + Self.name
    guard mkdir(path, 0o700) == 0 else { throw Self.failure("made", path) }
    // The lock file gets its final name after it is locked, so other processes never find it unlocked.
    let (fresh, name) = (path + "/" + Self.lockName + ".new", path + "/" + Self.lockName)
    lock = open(fresh, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(fresh, name) == 0 else {
      throw Self.failure("locked", path)
    }
  }

  deinit {
    // A child that is being started has a copy of the descriptor for a moment, so closing it here
    // would not release the lock yet.
    guard lock >= 0 else { return }
    _ = flock(lock, LOCK_UN)
    close(lock)
  }

  /// Creates a subfolder that only the user can access.
  package func makeFolder(_ name: String) throws(LabError) -> String {
    let folder = path + "/" + name
    guard mkdir(folder, 0o700) == 0 else { throw Self.failure("made", folder) }
    return folder
  }

  /// Deletes the folder with its contents.
  package func remove() throws(LabError) { try Self.remove(path) }

  /// Renames the folder within the run's folder, so that later runs do not remove it as a scratch folder.
  package func keep(as name: String) throws(LabError) {
    unlink(path + "/" + Self.lockName)
    let kept = String(path.dropLast(Self.name.count)) + name
    guard rename(path, kept) == 0 else { throw Self.failure("renamed", path) }
  }

  /// Removes the scratch folders of ended processes from the runs in a folder.
  ///
  /// A scratch folder that cannot be removed is skipped; it may belong to another user.
  package static func removeDead(in runs: String) {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: runs) } catch { return }
    for name in names {
      let folder = "\(runs)/\(name)/\(Self.name)"
      guard isDead(folder) else { continue }
      do { try FileManager.default.removeItem(atPath: folder) } catch { continue }
    }
  }

  /// Returns whether the process that created a scratch folder has ended; `false` for a new folder
  /// without a lock.
  private static func isDead(_ folder: String) -> Bool {
    let file = open(folder + "/" + lockName, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      var facts = stat()
      return stat(folder, &facts) == 0 && time(nil) - facts.st_mtim.tv_sec > newForSeconds
    }
    defer { close(file) }
    return flock(file, LOCK_EX | LOCK_NB) == 0
  }

  private static func remove(_ path: String) throws(LabError) {
    do { try FileManager.default.removeItem(atPath: path) } catch {
      throw .lab("\(path) could not be removed: \(error.localizedDescription). Remove it by hand.")
    }
  }

  private static func failure(_ what: String, _ path: String) -> LabError {
    .lab(
      "\(path) could not be \(what): \(String(cString: strerror(errno))). Choose another folder with "
        + "--output."
    )
  }
}

import Foundation

/// The folder of a run for temporary files: stores, and the output of processes.
///
/// It is named `scratch`, is accessible only to the user, and contains a file that stays locked
/// while the process that created it lives, however that ends. The next run removes folders whose
/// lock is free.
package final class ScratchFolder {
  /// The name of the folder in the folder of a run.
  package static let name = "scratch"
  private static let lockName = "lock"
  /// The age in seconds up to which a folder without a lock file counts as being created.
  private static let newForSeconds = 10

  package let path: String
  private let lock: Int32

  /// Creates the folder in that of a run.
  ///
  /// - Throws: a lab error that says why it cannot be created or locked.
  package init(in run: String) throws(LabError) {
    path = run + "/" + Self.name
    guard mkdir(path, 0o700) == 0 else { throw Self.failure("made", path) }
    // The lock file gets its name only once it is locked, so that no process finds it unlocked.
    let (fresh, name) = (path + "/" + Self.lockName + ".new", path + "/" + Self.lockName)
    lock = open(fresh, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(fresh, name) == 0 else {
      throw Self.failure("locked", path)
    }
  }

  deinit { if lock >= 0 { close(lock) } }

  /// Creates a subfolder that only the user can access.
  package func makeFolder(_ name: String) throws(LabError) -> String {
    let folder = path + "/" + name
    guard mkdir(folder, 0o700) == 0 else { throw Self.failure("made", folder) }
    return folder
  }

  /// Deletes the folder with its contents.
  package func remove() throws(LabError) { try Self.remove(path) }

  /// Moves the folder to another name in the run's folder, so that no later run removes it.
  package func keep(as name: String) throws(LabError) {
    unlink(path + "/" + Self.lockName)
    let kept = String(path.dropLast(Self.name.count)) + name
    guard rename(path, kept) == 0 else { throw Self.failure("renamed", path) }
  }

  /// Removes the scratch folders that unfinished runs have left behind in a folder of runs.
  ///
  /// A folder that cannot be removed belongs to another user and is left alone.
  package static func removeDead(in runs: String) {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: runs) } catch { return }
    for name in names {
      let folder = "\(runs)/\(name)/\(Self.name)"
      guard isDead(folder) else { continue }
      do { try FileManager.default.removeItem(atPath: folder) } catch { continue }
    }
  }

  /// Returns whether a scratch folder's process has ended; a folder without a lock file may be new.
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
      throw .lab("\(path) could not be removed: \(error.localizedDescription)")
    }
  }

  private static func failure(_ what: String, _ path: String) -> LabError {
    .lab("\(path) could not be \(what): \(String(cString: strerror(errno)))")
  }
}

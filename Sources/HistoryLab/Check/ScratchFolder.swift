import Foundation

/// The folder of a run in which everything lies that is not kept: stores, and what processes write.
///
/// It is called `scratch`, belongs to the user alone, and holds a file that is locked for as long as the
/// process lives that made it, however that ends. The next run removes those that nobody has locked.
final class ScratchFolder {
  /// What such a folder is called within the folder of a run.
  static let name = "scratch"
  private static let lockName = "lock"
  /// How long a folder may be without its lock while it is being made.
  private static let newForSeconds = 10

  let path: String
  private let lock: Int32

  /// Makes the folder within that of a run.
  ///
  /// - Throws: a lab error that says why it cannot be made.
  init(in run: String) throws(LabError) {
    path = run + "/" + Self.name
    guard mkdir(path, 0o700) == 0 else { throw Self.failure("made", path) }
    // It gets its name when it is locked: nobody finds it without its owner.
    let (fresh, name) = (path + "/" + Self.lockName + ".new", path + "/" + Self.lockName)
    lock = open(fresh, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(fresh, name) == 0 else {
      throw Self.failure("locked", path)
    }
  }

  deinit { if lock >= 0 { close(lock) } }

  /// Makes a folder within it that belongs to the user alone.
  func makeFolder(_ name: String) throws(LabError) -> String {
    let folder = path + "/" + name
    guard mkdir(folder, 0o700) == 0 else { throw Self.failure("made", folder) }
    return folder
  }

  /// Removes it with everything in it.
  func remove() throws(LabError) { try Self.remove(path) }

  /// Gives it another name within the run's folder, so that no later run removes it.
  func keep(as name: String) throws(LabError) {
    unlink(path + "/" + Self.lockName)
    let kept = String(path.dropLast(Self.name.count)) + name
    guard rename(path, kept) == 0 else { throw Self.failure("renamed", path) }
  }

  /// Removes what runs have left in a folder of runs that did not come to their end.
  ///
  /// One that cannot be removed is somebody else's, and left alone.
  static func removeDead(in runs: String) {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: runs) } catch { return }
    for name in names {
      let folder = "\(runs)/\(name)/\(Self.name)"
      guard isDead(folder) else { continue }
      do { try FileManager.default.removeItem(atPath: folder) } catch { continue }
    }
  }

  /// Whether a folder is one of ours whose process is gone; one without a lock may be new.
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

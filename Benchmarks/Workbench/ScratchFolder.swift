import Foundation

/// A folder for the stores of a run, in memory if possible unless a disk is required.
final class ScratchFolder {
  /// The path of the folder.
  let path: String
  /// The medium of the folder: `tmpfs` or `disk`.
  let medium: String
  private var copyCount = 0

  /// The medium of a folder that is not in memory.
  static let disk = "disk"
  private static let memory = "/dev/shm"
  private static let prefix = "history-lab-bench-"

  /// Creates this process's folder, and deletes folders left behind by killed processes.
  init(in chosen: String? = nil, onDisk wantsDisk: Bool = false) throws {
    let manager = FileManager.default
    let usesMemory = chosen == nil && !wantsDisk && manager.isWritableFile(atPath: Self.memory)
    let parent = chosen ?? (usesMemory ? Self.memory : manager.temporaryDirectory.path)
    medium = Self.isInMemory(parent) ? "tmpfs" : Self.disk
    try Self.removeLeftOvers(in: parent)
    let name = Self.prefix + "\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
    path = parent + "/" + name
    try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  /// Uses a folder that another process creates and deletes.
  init(existing path: String, medium: String) {
    self.path = path
    self.medium = medium
  }

  /// Creates a folder within the folder.
  func makeFolder(_ name: String) throws -> String {
    let folder = path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  /// Deletes the folder with all its files.
  func remove() throws { try FileManager.default.removeItem(atPath: path) }

  /// Copies a template to a new path.
  func copy(of template: StoreTemplate) throws -> String {
    copyCount += 1
    let copy = path + "/copy-\(copyCount).sqlite"
    try FileManager.default.copyItem(atPath: template.path, toPath: copy)
    return copy
  }

  /// Deletes the copies, whose stores must be closed.
  func removeCopies() throws {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: path) where name.hasPrefix("copy-") {
      try manager.removeItem(atPath: path + "/" + name)
    }
  }

  /// Returns whether a folder is in a file system in memory.
  ///
  /// The innermost mount in Linux's list decides. Other systems have no such file system for
  /// temporary files.
  static func isInMemory(_ path: String, mounts: String = "/proc/self/mounts") -> Bool {
    let text = String(
      decoding: FileManager.default.contents(atPath: mounts) ?? Data(),
      as: UTF8.self
    )
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "/"
    var (innermost, type): (Int, Substring) = (0, "")
    for line in text.split(separator: "\n") {
      let fields: [Substring] = line.split(separator: " ")
      guard fields.count > 2 else { continue }
      let folder = fields[1] == "/" ? "/" : "\(fields[1])/"
      guard real.hasPrefix(folder), folder.count >= innermost else { continue }
      (innermost, type) = (folder.count, fields[2])
    }
    return type == "tmpfs"
  }

  private static func removeLeftOvers(in parent: String) throws {
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: parent) where name.hasPrefix(prefix) {
      let digits = name.dropFirst(prefix.count).prefix { $0.isNumber }
      guard let process = Int32(digits), kill(process, 0) != 0, errno == ESRCH else { continue }
      try manager.removeItem(atPath: parent + "/" + name)
    }
  }
}

package import Foundation

/// A process that runs on this machine, from the system's list of processes.
package struct RunningProcess: Hashable, Sendable {
  package let id: pid_t
  package let parent: pid_t
  let group: pid_t
  let session: pid_t

  /// Returns all processes that have not ended; `nil` if the system's list cannot be read.
  ///
  /// Linux lists them in `/proc` (proc_pid_stat(5)), Darwin by `proc_listallpids`.
  ///
  /// - Complexity: one file read per process on Linux, about 10 µs each.
  package static func all(in folder: String = "/proc") -> [RunningProcess]? {
    #if canImport(Darwin)
    listed()
    #else
    listed(in: folder)
    #endif
  }

  /// Returns whether the process is in the leader's group or session, or has a parent in `known`.
  private func belongs(to leader: pid_t, _ known: Set<pid_t>) -> Bool {
    group == leader || session == leader || known.contains(parent)
  }

  /// Kills a session leader with all its descendants.
  ///
  /// A descendant is found by its session, its process group, or a living parent that descends from
  /// the leader. Each found process is stopped immediately, so that it starts no more processes.
  /// When a search finds only stopped processes, all are killed. A process escapes if it has left
  /// the session and its parent has ended (a daemon).
  ///
  /// - Returns: `false` if the system's list of processes cannot be read. In this case, processes
  ///   outside of the leader's process group may remain.
  @discardableResult
  static func endAll(of leader: pid_t, in folder: String = "/proc") -> Bool {
    var known: Set<pid_t> = []
    var listing = all(in: folder)
    while case let found? = listing?.filter({
      !known.contains($0.id) && $0.belongs(to: leader, known)
    }), !found.isEmpty {
      for process in found { kill(process.id, SIGSTOP) }
      known.formUnion(found.map(\.id))
      listing = all(in: folder)
    }
    kill(-leader, SIGKILL)
    for id in known { kill(id, SIGKILL) }
    guard listing == nil else { return true }
    let sentence = noListing(folder, leader) + "\n"
    _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    return false
  }

  /// Returns the message for an unreadable list of processes.
  ///
  /// `leader` is the ID of the ended process group, or a shell variable that contains it.
  static func noListing(_ folder: String, _ leader: some CustomStringConvertible) -> String {
    "history-lab: \(folder) cannot be read, so only process group \(leader) was ended. Mount proc at "
      + "/proc, and end what the program started outside of its group."
  }
}

#if canImport(Darwin)
extension RunningProcess {
  private static func listed() -> [RunningProcess]? {
    // Processes may start between the two calls.
    var ids = [pid_t](repeating: 0, count: Int(proc_listallpids(nil, 0)) + 64)
    let count = proc_listallpids(&ids, Int32(ids.count * MemoryLayout<pid_t>.stride))
    guard count > 0 else { return nil }
    return ids.prefix(Int(count)).compactMap { id in
      var info = proc_bsdinfo()
      let size = Int32(MemoryLayout<proc_bsdinfo>.size)
      guard proc_pidinfo(id, PROC_PIDTBSDINFO, 0, &info, size) == size, info.pbi_status != SZOMB
      else { return nil }
      return RunningProcess(
        id: id,
        parent: pid_t(info.pbi_ppid),
        group: pid_t(info.pbi_pgid),
        session: getsid(id)
      )
    }
  }
}
#else
extension RunningProcess {
  private static func listed(in folder: String) -> [RunningProcess]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var found: [RunningProcess] = []
    while let entry = readdir(directory) {
      let id = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        pid_t(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
      }
      if let id, let process = RunningProcess(id, in: folder) { found.append(process) }
    }
    // A folder without any process is not a proc file system.
    return found.isEmpty ? nil : found
  }

  /// Reads `/proc/ID/stat`: "ID (NAME) STATE PARENT GROUP SESSION ..."; the name is arbitrary text.
  private init?(_ id: pid_t, in folder: String) {
    let file = open("\(folder)/\(id)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    guard fields.count > 3, !"ZX".utf8.contains(fields[0][fields[0].startIndex]) else { return nil }
    let numbers = fields[1...3].compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 3 else { return nil }
    self.init(id: id, parent: numbers[0], group: numbers[1], session: numbers[2])
  }
}
#endif

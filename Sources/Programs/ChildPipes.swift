import Foundation

/// The pipes of a child that is being started; no other child inherits them.
struct ChildPipes {
  private var made: [(read: Int32, write: Int32)] = []

  subscript(_ index: Int) -> (read: Int32, write: Int32) { made[index] }

  /// Creates another pipe.
  ///
  /// - Throws: ``WireTrouble`` when the system provides none.
  mutating func add() throws(WireTrouble) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw WireTrouble(
        "it could not be started, for lack of a pipe: \(ChildProcess.reason(errno))"
      )
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    made.append((ends[0], ends[1]))
  }

  func closeAll() {
    for ends in made {
      close(ends.read)
      close(ends.write)
    }
  }
}

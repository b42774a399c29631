import Foundation

/// A small process that ends a program when the lab is gone, however that ended.
///
/// It waits at a pipe of which nobody but the lab holds the other end. A program may not look at its own
/// input, or ignore its end; what it has started in its group ends with it.
struct ChildKeeper {
  private let id: pid_t
  private let pipe: Int32

  /// Reads a line, which says that nothing is left to be done, or the end, which says that the lab is
  /// gone: then it ends the group, and what those in it have started in groups of their own.
  private static func script(_ group: pid_t) -> String {
    """
    read line && exit
    all= new=\(group)
    while [ -n "$new" ]; do
      new=$(ps -A -o pid= -o ppid= | awk -v "of= $new " 'index(of, " " $2 " ") { printf "%s ", $1 }')
      all="$all $new"
    done
    kill -s KILL -- -\(group)
    [ -z "$all" ] || kill -s KILL $all
    """
  }

  /// Starts a keeper of the processes of a group.
  ///
  /// - Throws: ``WireTrouble`` when the system gives no pipe or no process.
  init(of group: pid_t) throws(WireTrouble) {
    var pipes = ChildPipes()
    let silence = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if silence >= 0 { close(silence) } }
    do throws(WireTrouble) {
      try pipes.add()
      id = try ChildProcess.spawn(
        Self.script(group),
        input: pipes[0].read,
        output: silence,
        errors: silence
      )
    } catch {
      pipes.closeAll()
      throw error
    }
    pipe = pipes[0].write
    close(pipes[0].read)
  }

  /// Lets it end what it keeps.
  func endAll() {
    close(pipe)
    waitForEnd()
  }

  /// Lets it go: what it keeps has ended.
  func dismiss() {
    var line = UInt8(ascii: "\n")
    _ = write(pipe, &line, 1)
    close(pipe)
    waitForEnd()
  }

  private func waitForEnd() {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }
}

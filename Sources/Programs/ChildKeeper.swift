package import Foundation
import Synchronization

/// A helper process that kills the children of this process when this process ends for any reason.
///
/// The helper process (the keeper) reads a pipe whose other end only this process holds, so the
/// pipe closes when this process ends. The keeper then kills the children with all their
/// descendants, as ``RunningProcess/endAll(of:in:)`` does while this process runs. It would not
/// suffice to close the input of the children, because a program may ignore that. One keeper serves
/// all children. The keeper is a `/bin/sh` script. On Linux the script needs no other program; on
/// Darwin it needs `ps`, which is part of the system.
package enum ChildKeeper {
  /// The pipe to the helper process, and the processes that are registered with it.
  private struct Keeper {
    /// The pipe through which this process writes to the helper process.
    ///
    /// `nil` until the first program is started.
    var pipe: Int32?
    /// The registered processes, which a new helper process must learn if the first one was killed.
    var leaders: Set<pid_t> = []
  }

  private static let keeper = Mutex(Keeper())

  /// Registers a process, which leads a session or a process group, with the helper process.
  ///
  /// The helper process kills registered processes when this process ends.
  ///
  /// - Throws: ``ProgramError`` when the system provides no pipe or no process.
  package static func keep(_ leader: pid_t) throws(ProgramError) {
    try keeper.withLock { keeper throws(ProgramError) in
      if let pipe = keeper.pipe {
        if send("keep \(leader)", to: pipe) {
          keeper.leaders.insert(leader)
          return
        }
        // The previous keeper was killed.
        close(pipe)
        keeper.pipe = nil
      }
      let started = try start()
      keeper.pipe = started
      keeper.leaders.insert(leader)
      for leader in keeper.leaders.sorted() { _ = send("keep \(leader)", to: started) }
    }
  }

  /// Unregisters a process that has ended.
  ///
  /// The helper process then no longer kills the descendants of the process. Has no effect for a
  /// process that is not registered.
  package static func forget(_ leader: pid_t) {
    keeper.withLock { keeper in
      keeper.leaders.remove(leader)
      if let pipe = keeper.pipe { _ = send("forget \(leader)", to: pipe) }
    }
  }

  private static func send(_ line: String, to pipe: Int32) -> Bool {
    let bytes = Array("\(line)\n".utf8)
    return write(pipe, bytes, bytes.count) == bytes.count
  }

  private static func start() throws(ProgramError) -> Int32 {
    // Writing to a keeper that has ended must fail with an error instead of raising a signal.
    signal(SIGPIPE, SIG_IGN)
    var pipes = ChildPipes()
    let silence = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { if silence >= 0 { close(silence) } }
    do throws(ProgramError) {
      try pipes.add()
      _ = try ChildProcess.spawn(
        script(),
        input: pipes[0].read,
        output: silence,
        errors: STDERR_FILENO,
        .group
      )
    } catch {
      pipes.closeAll()
      throw error
    }
    close(pipes[0].read)
    return pipes[0].write
  }

  // MARK: In the keeper

  /// Returns the shell script of the helper process.
  ///
  /// The script reads `keep` and `forget` lines. At the end of its input it kills the processes of
  /// the `keep` lines, unless a `forget` line has removed them.
  static func script(_ folder: String = "/proc") -> String {
    """
    kept=' ' known=' ' folder='\(folder)'
    while read -r verb leader; do
      case $verb in
        keep) kept="$kept$leader " ;;
        forget)
          # Without a match, both parts would be the whole text, which would double.
          case $kept in
            *" $leader "*) kept="${kept%% $leader *} ${kept#* $leader }" ;;
          esac ;;
      esac
    done
    [ "$kept" != ' ' ] || exit 0
    \(list)
    while
      new=$(list | {
        while read -r id parent group session; do
          case $known in *" $id "*) continue ;; esac
          case $kept in
            *" $group "* | *" ${session:-none} "*) ;;
            *) case $known in *" $parent "*) ;; *) continue ;; esac ;;
          esac
          printf '%s ' "$id"
        done
      })
      [ -n "$new" ]
    do
      kill -s STOP $new
      known="$known$new"
    done 2>/dev/null
    listed=$(list)
    for leader in $kept; do
      kill -s KILL -- "-$leader" 2>/dev/null
      [ -n "$listed" ] || echo "\(RunningProcess.noListing(folder, "$leader"))" >&2
    done
    kill -s KILL $known 2>/dev/null
    """
  }

  #if canImport(Darwin)
  private static let list = "list() { /bin/ps -A -o pid= -o ppid= -o pgid=; }"
  #else
  /// Shell code that prints the ID, parent, group and session of each process, from the `stat` files.
  ///
  /// A process name may contain spaces, parentheses and newlines, so the fields are read after the
  /// last parenthesis.
  private static let list = #"""
    list() {
      for file in "$folder"/[0-9]*/stat; do
        text=
        while read -r line || [ -n "$line" ]; do text="$text $line"; done <"$file" || continue
        set -- ${text##*)}
        id=${file%/stat}
        case $1 in [ZX]) ;; *) echo "${id##*/} $2 $3 $4" ;; esac
      done 2>/dev/null
    }
    """#
  #endif
}

/// A shell command that ``ChildKeeper`` kills if this process ends before the command.
package enum KeptCommand {
  /// The interval at which `run` polls whether the command has ended, in microseconds.
  private static let lookUs: UInt32 = 10_000

  /// Runs a command through `/bin/sh -c` in its own session, without input, and waits for its end.
  ///
  /// The command's output goes to a file descriptor, its errors to standard error. The call blocks
  /// its thread.
  ///
  /// - Returns: the command's exit code, or 128 plus the signal that ended it; `nil` if `isWanted`
  ///   returned `false` and the command was killed with all its descendants.
  /// - Throws: ``ProgramError`` when the system provides no process.
  package static func run(
    _ command: String,
    output: Int32,
    whileWanted isWanted: () -> Bool
  ) throws(ProgramError) -> Int32? {
    let silence = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { if silence >= 0 { close(silence) } }
    let id = try ChildProcess.starting.withLock { _ throws(ProgramError) in
      try ChildProcess.spawnKept(
        command,
        input: silence,
        output: output,
        errors: STDERR_FILENO
      )
    }
    while true {
      if let code = ending(of: id) {
        ChildKeeper.forget(id)
        return code
      }
      guard isWanted() else {
        ChildProcess.end(id)
        ChildKeeper.forget(id)
        return nil
      }
      usleep(lookUs)
    }
  }

  /// Returns the exit code of a process: `nil` while it runs, 127 if its status is unavailable.
  private static func ending(of id: pid_t) -> Int32? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(id, &status, WNOHANG) } while result < 0 && errno == EINTR
    guard result != 0 else { return nil }
    guard result == id else { return 127 }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

import Foundation
import Synchronization

/// A child process in its own session, with pipes for its input, output and errors.
///
/// The parent's ends of the pipes are non-blocking, and no other child inherits them. When the
/// parent ends for any reason, the child's input ends, and ``ChildKeeper`` kills the child.
struct ChildProcess {
  let id: pid_t
  let input: Int32
  let output: Int32
  let errors: Int32

  /// Starts a command through `/bin/sh -c`.
  ///
  /// - Throws: ``ProgramError`` when the system provides no pipes or no process.
  init(_ command: String) throws(ProgramError) {
    // Writing to a program that has ended must fail with an error instead of raising a signal.
    signal(SIGPIPE, SIG_IGN)
    let (pipes, id) = try Self.starting.withLock { _ throws(ProgramError) in
      try Self.start(command)
    }
    self.id = id
    (input, output, errors) = (pipes[0].write, pipes[1].read, pipes[2].read)
    for descriptor in [pipes[0].read, pipes[1].write, pipes[2].write] {
      Foundation.close(descriptor)
    }
    for descriptor in [input, output, errors] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }

  /// Serializes starts, so that no child inherits a pipe that is not yet marked as close-on-exec.
  static let starting = Mutex(())

  private static func start(
    _ command: String
  ) throws(ProgramError) -> (ChildPipes, pid_t) {
    var pipes = ChildPipes()
    do throws(ProgramError) {
      for _ in 0..<3 { try pipes.add() }
      let id = try spawnKept(
        command,
        input: pipes[0].read,
        output: pipes[1].write,
        errors: pipes[2].write
      )
      return (pipes, id)
    } catch {
      pipes.closeAll()
      throw error
    }
  }

  /// Kills a process with all its descendants, and waits for its end.
  static func end(_ id: pid_t) {
    RunningProcess.endAll(of: id)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }

  /// Starts a shell that waits until ``ChildKeeper`` watches it, and then runs the command.
  ///
  /// If the calling process ends while the shell waits, the command never runs. If it ends later,
  /// the keeper, a helper process, kills the command.
  ///
  /// - Throws: ``ProgramError`` when the system provides no pipe or no process.
  static func spawnKept(
    _ command: String,
    input: Int32,
    output: Int32,
    errors: Int32
  ) throws(ProgramError) -> pid_t {
    var gate = ChildPipes()
    try gate.add()
    defer { gate.closeAll() }
    let id = try spawn(command, input: input, output: output, errors: errors, gate: gate[0].read)
    do throws(ProgramError) { try ChildKeeper.keep(id) } catch {
      end(id)
      throw error
    }
    var newline = UInt8(ascii: "\n")
    _ = write(gate[0].write, &newline, 1)
    return id
  }

  /// The file descriptor from which a child reads its gate.
  ///
  /// The gate is a pipe. The child waits for a line from it before it runs its command.
  private static let gateFile: Int32 = 9
  /// Shell code that waits for a line from a pipe (the gate), and exits if the pipe closes first.
  private static let waiting = "read -r gate <&9 || exit 125; exec 9<&-; unset gate; "

  /// Whether a child leads a session or only a process group.
  enum Leadership {
    /// A session, in which descendants are found even after their parents have ended.
    case session
    /// A process group, in which a child starts faster than in a session.
    case group
  }

  /// Starts a command through `/bin/sh -c`, with the given standard files.
  ///
  /// With a gate (the reading end of a pipe), the command starts when a line arrives in the pipe.
  ///
  /// - Throws: ``ProgramError`` when the system provides no process.
  static func spawn(
    _ command: String,
    input: Int32,
    output: Int32,
    errors: Int32,
    gate: Int32? = nil,
    _ leadership: Leadership = .session
  ) throws(ProgramError) -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    let flags =
      POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (from, to) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      posix_spawn_file_actions_adddup2(&actions, from, to)
    }
    if let gate { posix_spawn_file_actions_adddup2(&actions, gate, gateFile) }
    #if !canImport(Darwin)
    // Replaces Darwin's POSIX_SPAWN_CLOEXEC_DEFAULT: Foundation's pipes may be inherited, and a
    // child that holds one keeps its reader from seeing the end.
    for file in 3..<max(3, openFileLimit) where gate == nil || file != gateFile {
      posix_spawn_file_actions_addclose(&actions, file)
    }
    #endif
    // The lab ignores SIGPIPE, its children do not. They get their own session or group, because
    // ctrl-C is for the lab, which then ends its children in order.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // Threads of a pool have signals blocked, and a child would inherit that.
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    let leads = leadership == .session ? setSession : Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setflags(&attributes, Int16(Int32(flags) | leads))
    var id = pid_t()
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let words = ["sh", "-c", (gate == nil ? "" : waiting) + command]
    let code = withStrings(words) { arguments in
      withStrings(environment) { environment in
        posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw ProgramError("it could not be started: \(reason(code))") }
    return id
  }

  #if !canImport(Darwin)
  /// A number above all open file descriptors, with room for those that other threads open meanwhile.
  private static var openFileLimit: Int32 {
    let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let last = files?.compactMap { Int32($0) }.max() ?? 255
    return min(last + 64, Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))))
  }
  #endif

  #if canImport(Darwin)
  private static let setSession = Int32(POSIX_SPAWN_SETSID)
  #else
  /// POSIX_SPAWN_SETSID of posix_spawnattr_setflags(3), which Swift's Glibc does not declare.
  private static let setSession: Int32 = 0x80
  #endif

  private static func withStrings(
    _ texts: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    let strings = texts.map { strdup($0) }
    defer { for string in strings { free(string) } }
    return body(strings + [nil])
  }

  /// Returns the message of a system error code.
  static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// Returns how the process ended, as a clause such as "it ended with code 1"; `nil` while it runs.
  func ending(waiting: Bool = false) -> String? {
    var status: Int32 = 0
    var result: pid_t
    repeat {
      result = waitpid(id, &status, waiting ? 0 : WNOHANG)
    } while result < 0 && errno == EINTR
    guard result != 0 else { return nil }
    guard result == id else { return "it ended" }
    let number = status & 0x7f
    return number == 0
      ? "it ended with code \((status >> 8) & 0xff)" : "it was ended by signal \(number)"
  }

  /// Kills the process with all its descendants.
  func kill() {
    RunningProcess.endAll(of: id)
    ChildKeeper.forget(id)
  }
}

/// Returns the message of a system error code.
private func reason(_ code: Int32) -> String { ChildProcess.reason(code) }

/// The pipes of a child that is being started; no other child inherits them.
struct ChildPipes {
  private var made: [(read: Int32, write: Int32)] = []

  subscript(_ index: Int) -> (read: Int32, write: Int32) { made[index] }

  /// Creates a pipe, and appends it to the pipes of the child.
  ///
  /// - Throws: ``ProgramError`` when the system provides no pipe.
  mutating func add() throws(ProgramError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw ProgramError(
        "it could not be started, because no pipe could be created: \(ChildProcess.reason(errno))"
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

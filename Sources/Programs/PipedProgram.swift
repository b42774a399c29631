import Foundation

/// A third-party program that runs as a child process, and communicates through pipes.
///
/// The program cannot block the lab or use up its memory: one loop sends, receives and reads
/// standard error until a deadline, and the kept output has a limit.
package final class PipedProgram: WireChannel {
  private let program: ExternalProgram
  private let child: ChildProcess
  private let errorText: StandardErrorText
  /// The bytes of output that were received and not yet returned as lines.
  private var received: [UInt8] = []
  /// The number of bytes at the start of `received` that are known to contain no newline.
  private var searched = 0
  private var ending: String?
  private var isClosed = false
  private var outputIsOpen = true
  private var errorsAreOpen = true

  /// Starts a program.
  ///
  /// - Throws: ``ProgramError`` when no process can be started.
  package init(
    _ program: ExternalProgram,
    errors: StandardErrorText = StandardErrorText()
  ) throws(ProgramError) {
    self.program = program
    errorText = errors
    errors.beginLaunch()
    child = try ChildProcess(program.command)
  }

  deinit { close() }

  package var lastErrors: String { errorText.tail }

  package func exchange(_ line: String) throws(ProgramError) -> String {
    guard !isClosed else { throw ProgramError(ending ?? "it has ended") }
    var outgoing = Array(line.utf8)[...]
    outgoing.append(UInt8(ascii: "\n"))
    guard let line = try takeLine(sending: &outgoing, within: program.timeout) else {
      throw silence(outgoing.isEmpty)
    }
    return line
  }

  package func receive(within time: Duration) throws(ProgramError) -> String? {
    guard !isClosed else { throw ProgramError(ending ?? "it has ended") }
    var outgoing: ArraySlice<UInt8> = []
    return try takeLine(sending: &outgoing, within: min(time, program.timeout))
  }

  /// Sends bytes and waits for the next line; returns `nil` after the time limit.
  private func takeLine(
    sending outgoing: inout ArraySlice<UInt8>,
    within time: Duration
  ) throws(ProgramError) -> String? {
    let deadline = ContinuousClock.now + time
    while true {
      if outgoing.isEmpty, let line = try takeLine() { return line }
      let left = deadline - ContinuousClock.now
      guard left > .zero else { return nil }
      let ready = wait(left, toWrite: !outgoing.isEmpty)
      if ready.canWrite { send(&outgoing) }
      if ready.hasErrors { receiveErrors() }
      if ready.hasOutput, try !receive() { throw end() }
    }
  }

  private func silence(_ isSent: Bool) -> ProgramError {
    let seconds = program.timeout / .seconds(1)
    let time = seconds == 1 ? "a second" : "\(seconds.formatted()) seconds"
    guard isSent else { return ProgramError("it did not read its standard input for \(time)") }
    let count = received.count == 1 ? "1 byte" : "\(received.count) bytes"
    let part = received.isEmpty ? "" : " after \(count) without an end of line"
    return ProgramError("it was silent for \(time)\(part)")
  }

  // MARK: Ending

  /// Closes the program's input, waits until the program ends or its grace time is over, then kills it.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    Foundation.close(child.input)
    let deadline = ContinuousClock.now + program.grace
    while ending == nil, case let left = deadline - ContinuousClock.now, left > .zero {
      // Output is still read, so that a full pipe does not block the program's exit. The exit
      // itself is polled, more often once the outputs are closed, because it follows soon after.
      let isOpen = outputIsOpen || errorsAreOpen
      let ready = wait(min(left, .milliseconds(isOpen ? 5 : 1)), toWrite: false)
      if ready.hasErrors { receiveErrors() }
      if ready.hasOutput { outputIsOpen = Self.read(child.output)?.isEmpty != true }
      ending = child.ending()
    }
    // Even if the program has ended, its descendants may still run.
    child.kill()
    if ending == nil { ending = child.ending(waiting: true) }
    for _ in 0..<Self.lastChunkCount { receiveErrors() }
    Foundation.close(child.output)
    Foundation.close(child.errors)
  }

  /// Closes the program after its output has ended, and returns how the program ended.
  private func end() -> ProgramError {
    close()
    let part = received.isEmpty ? "" : ", in the middle of a line"
    return ProgramError((ending ?? "it ended") + part)
  }
}

extension PipedProgram {
  // MARK: Pipes

  private struct Readiness {
    var canWrite = false
    var hasOutput = false
    var hasErrors = false
  }

  /// Waits until a pipe of the program can be read or written, or the time is over.
  private func wait(_ time: Duration, toWrite: Bool) -> Readiness {
    var files = [
      pollfd(fd: outputIsOpen ? child.output : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorsAreOpen ? child.errors : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toWrite ? child.input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let milliseconds = (time / .milliseconds(1)).rounded(.up)
    guard poll(&files, nfds_t(files.count), Int32(min(milliseconds, 60_000))) > 0 else {
      return Readiness()
    }
    return Readiness(
      canWrite: files[2].revents != 0,
      hasOutput: files[0].revents != 0,
      hasErrors: files[1].revents != 0
    )
  }

  /// Writes as many bytes as the pipe accepts; if the program has closed it, discards them.
  private func send(_ bytes: inout ArraySlice<UInt8>) {
    let count = bytes.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
    if count > 0 {
      bytes.removeFirst(count)
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      bytes = []
    }
  }

  /// Reads the available output; returns `false` if the output has ended.
  private func receive() throws(ProgramError) -> Bool {
    guard let bytes = Self.read(child.output) else { return true }
    received += bytes
    let rest = received[searched...]
    if !rest.contains(Self.newline) {
      searched = received.count
      guard received.count <= program.lineByteCountMax else {
        let limit = program.lineByteCountMax
        received = []
        searched = 0
        throw ProgramError("it wrote a line of more than \(limit) bytes")
      }
    }
    return !bytes.isEmpty
  }

  private func receiveErrors() {
    guard errorsAreOpen, let bytes = Self.read(child.errors) else { return }
    errorText.append(bytes)
    errorsAreOpen = !bytes.isEmpty
  }

  private static let newline = UInt8(ascii: "\n")
  private static let chunkByteCount = 1 << 16
  /// The number of final reads of standard error; together they can read more than a full pipe.
  private static let lastChunkCount = 4

  /// Reads the available bytes; `nil` if there are none yet, empty at the end of the file.
  private static func read(_ file: Int32) -> [UInt8]? {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: chunkByteCount) { buffer, initialized in
      count = Foundation.read(file, buffer.baseAddress, buffer.count)
      initialized = max(count, 0)
    }
    if count >= 0 { return bytes }
    return errno == EAGAIN || errno == EINTR ? nil : []
  }

  /// Removes and returns the first complete line, without its newline.
  private func takeLine() throws(ProgramError) -> String? {
    guard let stop = received[searched...].firstIndex(of: Self.newline) else { return nil }
    let line = received[..<stop]
    defer {
      received.removeSubrange(...stop)
      searched = 0
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      let start = String(decoding: line.prefix(80), as: UTF8.self)
      throw ProgramError("it wrote a line that is not UTF-8: \(start)")
    }
    return text
  }
}

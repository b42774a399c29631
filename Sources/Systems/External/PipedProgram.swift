import Foundation

/// A program of somebody else, started as a process, that is spoken to through pipes.
///
/// Whatever it does, the lab goes on: one loop sends, receives and takes standard error, with a
/// deadline, and there is a limit to what is kept.
package final class PipedProgram: WireChannel {
  private let program: ExternalProgram
  private let child: ChildProcess
  private let errorText: StandardErrorText
  /// What came and was not taken yet.
  private var received: [UInt8] = []
  /// How many of those bytes are known to hold no end of a line.
  private var searched = 0
  private var ending: String?
  private var isClosed = false
  private var outputIsOpen = true
  private var errorsAreOpen = true

  /// Starts a program.
  ///
  /// - Throws: ``WireTrouble`` when no process can be started.
  package init(
    _ program: ExternalProgram,
    errors: StandardErrorText = StandardErrorText()
  ) throws(WireTrouble) {
    self.program = program
    errorText = errors
    errors.beginLaunch()
    child = try ChildProcess(program.command)
  }

  deinit { close() }

  package var lastErrors: String { errorText.tail }

  package func exchange(_ line: String) throws(WireTrouble) -> String {
    guard !isClosed else { throw WireTrouble(ending ?? "it has ended") }
    var outgoing = Array(line.utf8)[...]
    outgoing.append(UInt8(ascii: "\n"))
    guard let line = try takeLine(sending: &outgoing, within: program.timeout) else {
      throw silence(outgoing.isEmpty)
    }
    return line
  }

  package func receive(within time: Duration) throws(WireTrouble) -> String? {
    guard !isClosed else { throw WireTrouble(ending ?? "it has ended") }
    var outgoing: ArraySlice<UInt8> = []
    return try takeLine(sending: &outgoing, within: min(time, program.timeout))
  }

  /// Sends some bytes, and waits for the next line; `nil` if it does not come in time.
  private func takeLine(
    sending outgoing: inout ArraySlice<UInt8>,
    within time: Duration
  ) throws(WireTrouble) -> String? {
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

  private func silence(_ isSent: Bool) -> WireTrouble {
    let seconds = program.timeout / .seconds(1)
    let time = seconds == 1 ? "a second" : "\(seconds.formatted()) seconds"
    guard isSent else { return WireTrouble("it did not read its standard input for \(time)") }
    let part = received.isEmpty ? "" : " after \(received.count) bytes without an end of line"
    return WireTrouble("it was silent for \(time)\(part)")
  }

  // MARK: Ending

  /// Closes its standard input, and waits for its end as long as it may take; then it is killed.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    Foundation.close(child.input)
    let deadline = ContinuousClock.now + program.grace
    while ending == nil, case let left = deadline - ContinuousClock.now, left > .zero {
      // What it still says is read, so that it is not kept from ending. Its end itself is polled, often
      // once it has closed its outputs: it ends a moment later.
      let isOpen = outputIsOpen || errorsAreOpen
      let ready = wait(min(left, .milliseconds(isOpen ? 5 : 1)), toWrite: false)
      if ready.hasErrors { receiveErrors() }
      if ready.hasOutput { outputIsOpen = Self.read(child.output)?.isEmpty != true }
      ending = child.ending()
    }
    // Also when it has ended: what it started may still be there.
    child.kill()
    if ending == nil { ending = child.ending(waiting: true) }
    for _ in 0..<Self.lastChunkCount { receiveErrors() }
    Foundation.close(child.output)
    Foundation.close(child.errors)
  }

  /// It said its last: how it ended.
  private func end() -> WireTrouble {
    close()
    let part = received.isEmpty ? "" : ", in the middle of a line"
    return WireTrouble((ending ?? "it ended") + part)
  }
}

extension PipedProgram {
  // MARK: Pipes

  private struct Readiness {
    var canWrite = false
    var hasOutput = false
    var hasErrors = false
  }

  /// Waits until something can be read or written.
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

  /// Writes what the pipe takes; a program that reads no more is found out when it does not answer.
  private func send(_ bytes: inout ArraySlice<UInt8>) {
    let count = bytes.withUnsafeBytes { write(child.input, $0.baseAddress, $0.count) }
    if count > 0 {
      bytes.removeFirst(count)
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      bytes = []
    }
  }

  /// Reads what there is, and answers whether more may come.
  private func receive() throws(WireTrouble) -> Bool {
    guard let bytes = Self.read(child.output) else { return true }
    received += bytes
    let rest = received[searched...]
    if !rest.contains(Self.newline) {
      searched = received.count
      guard received.count <= program.lineByteCountMax else {
        let limit = program.lineByteCountMax
        received = []
        searched = 0
        throw WireTrouble("it said a line of more than \(limit) bytes")
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
  /// More than a pipe holds.
  private static let lastChunkCount = 4

  /// What can be read now: nothing when there is none, no bytes at the end.
  private static func read(_ file: Int32) -> [UInt8]? {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: chunkByteCount) { buffer, initialized in
      count = Foundation.read(file, buffer.baseAddress, buffer.count)
      initialized = max(count, 0)
    }
    if count >= 0 { return bytes }
    return errno == EAGAIN || errno == EINTR ? nil : []
  }

  /// The first whole line that came, without its end.
  private func takeLine() throws(WireTrouble) -> String? {
    guard let stop = received[searched...].firstIndex(of: Self.newline) else { return nil }
    let line = received[..<stop]
    defer {
      received.removeSubrange(...stop)
      searched = 0
    }
    guard let text = String(validating: line, as: UTF8.self) else {
      let start = String(decoding: line.prefix(80), as: UTF8.self)
      throw WireTrouble("it said a line that is not UTF-8: \(start)")
    }
    return text
  }
}

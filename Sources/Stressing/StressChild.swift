import Foundation
import Programs
import Synchronization
import Systems

/// The handle with which a stress run controls one of its processes.
final class StressChild {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = ""
  private(set) var isStopped = false

  /// Starts the process with its standard error redirected to a file.
  init(_ command: String, _ role: StressRole, errors: FileHandle) throws {
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [StressParticipant.verb, try role.argument()]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    process.terminationHandler = { ChildKeeper.forget($0.processIdentifier) }
    try process.run()
    // The child leads its own process group. If this process ends, the keeper process kills the
    // child, which would not notice the end while it is stopped.
    try ChildKeeper.keep(process.processIdentifier)
    // It may have ended before it was registered.
    if !process.isRunning { ChildKeeper.forget(process.processIdentifier) }
    let descriptor = output.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { kill() }

  var isRunning: Bool { process.isRunning }

  /// The cause of the process's end: the signal that killed it, or its exit code.
  var ending: (isSignal: Bool, code: Int32) {
    (process.terminationReason == .uncaughtSignal, process.terminationStatus)
  }

  /// Sends an order; if the process has ended, the failed write is ignored.
  func send(_ order: StressOrder) {
    let line = Array("\(order.line)\n".utf8)
    _ = write(input.fileHandleForWriting.fileDescriptor, line, line.count)
  }

  /// Returns the messages received from the process since the last call, without waiting.
  func words() -> [StressWord] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let descriptor = output.fileHandleForReading.fileDescriptor
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      unread += String(decoding: bytes[..<count], as: UTF8.self)
    }
    var lines = unread.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    unread = lines.removeLast()
    return lines.compactMap(StressWord.init)
  }

  /// Closes the process's standard input, and waits until the process has ended.
  func leave() {
    input.fileHandleForWriting.closeFile()
    waitForEnd()
  }

  func waitForEnd() { process.waitUntilExit() }

  // MARK: Signals

  /// Kills the process with SIGKILL.
  func kill() { send(SIGKILL) }

  /// Stops the process with SIGSTOP.
  func stop() {
    isStopped = true
    send(SIGSTOP)
  }

  /// The names of the files that the process has locked; `nil` if the system does not list them.
  ///
  /// See https://man7.org/linux/man-pages/man5/proc_pid_fdinfo.5.html.
  var lockedFiles: [String]? {
    let folder = "/proc/\(process.processIdentifier)"
    let files = FileManager.default
    guard let descriptors = try? files.contentsOfDirectory(atPath: "\(folder)/fd") else {
      return nil
    }
    var names: Set<String> = []
    for descriptor in descriptors {
      let facts = try? String(contentsOfFile: "\(folder)/fdinfo/\(descriptor)", encoding: .utf8)
      guard facts?.contains("lock:") == true else { continue }
      let file = try? files.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(descriptor)")
      names.insert(file.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "a file")
    }
    return names.sorted()
  }

  /// Resumes the process with SIGCONT.
  func resume() {
    isStopped = false
    send(SIGCONT)
  }

  private func send(_ signal: Int32) {
    if process.isRunning { _ = Foundation.kill(process.processIdentifier, signal) }
  }
}

/// An order that a stress run sends to one of its processes, as one line of text.
struct StressOrder: Hashable, Sendable {
  let word: StressWord
  /// The place in the code at which the process must kill itself; `nil` in orders other than `die`.
  var place: StressPlace?
  /// The number of the visit to ``place``, from 1, at which the process kills itself.
  var visit = 1

  init(_ word: StressWord) { self.word = word }

  /// Creates the order to die when the process's code reaches `place` for the `visit`-th time.
  init(dyingAt place: StressPlace, visit: Int) {
    word = .die
    self.place = place
    self.visit = visit
  }

  init?(_ line: String) {
    let words = line.split(separator: " ")
    guard let word = words.first.flatMap({ StressWord(rawValue: String($0)) }) else { return nil }
    self.word = word
    guard words.count == 3 else { return }
    place = StressPlace(rawValue: String(words[1]))
    visit = Int(words[2]) ?? 1
  }

  var line: String { place.map { "\(word.rawValue) \($0.rawValue) \(visit)" } ?? word.rawValue }
}

/// A message between a stress run and its processes, one per line.
enum StressWord: String, Sendable {
  /// Orders a process to write until paused.
  case write
  /// Orders a process to stop writing until the next `write`.
  case pause
  /// Orders a process to write one transaction that all other processes must merge.
  case once
  /// Orders a process to merge all new transactions.
  case reconcile
  /// Orders a process to write the registered objects of its context to the trace.
  case view
  /// Orders a process to retire the member, and exit.
  case retire
  /// Orders a process to kill itself when its code reaches a ``StressPlace`` for the n-th time.
  ///
  /// The line has the place and n after the word `die`.
  case die
  /// Orders a process to suspend the store until `resume`.
  case suspend
  /// Orders a process to end the suspension of the store.
  case resume
  /// Orders a process to exit.
  case end
  /// Reports that the process's tracker is launched, and follows the store's commits.
  case ready
  /// Reports that the process's store is suspended.
  case suspended
  /// Reports that the process's store is resumed.
  case resumed
  /// Reports that the process has executed the newest order that it received.
  case done
}

/// The places in its own code where a process of a stress run can be ordered to die.
package enum StressPlace: String, Codable, Hashable, Sendable, CaseIterable {
  /// The process dies after a commit, before other processes are notified of the commit.
  case signal
  /// The process dies after a merge, before it records its cursor.
  case record
  /// The process dies in a purge, before the purge deletes a chunk of transactions.
  case purge
  /// The process dies while a checkpoint copies the write-ahead log into the database file.
  case checkpoint

  /// A phrase for this place in the code, such as `between merge and record`.
  package var sentence: String {
    switch self {
    case .signal: "between commit and signal"
    case .record: "between merge and record"
    case .purge: "inside a purge"
    case .checkpoint: "inside a checkpoint"
    }
  }
}

/// Kills its own process when the process reaches a chosen place in its code for the n-th time.
final class ScheduledKill: Sendable {
  /// The place and how often the process must still reach it, packed in one integer; 0 for no kill.
  private let armed = Atomic<Int>(0)
  private static let places = StressPlace.allCases.count + 1

  /// Schedules a kill: the process dies when it has reached a place `visit` times after this call.
  func arm(_ place: StressPlace, visit: Int) {
    let position = (StressPlace.allCases.firstIndex(of: place) ?? 0) + 1
    armed.store(max(visit, 1) * Self.places + position, ordering: .relaxed)
  }

  /// Notes that the process has reached a place in its code; kills the process if the kill is due.
  ///
  /// Costs one load of an atomic if no kill is scheduled.
  func meet(_ place: StressPlace) {
    let word = armed.load(ordering: .relaxed)
    guard word > 0, StressPlace.allCases[word % Self.places - 1] == place else { return }
    let left = armed.subtract(Self.places, ordering: .relaxed).newValue
    guard left < Self.places else { return }
    kill(getpid(), SIGKILL)
    // Another thread may receive the signal, so this thread waits until the process has ended.
    while true { pause() }
  }
}

/// A control for a process's writer: any thread can pause, resume or end it, or let it write once.
final class WriterControl: Sendable {
  private struct State {
    var isRunning = false
    var hasEnded = false
    var asked: [(isOnce: Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  /// The maximum time that the writer sleeps between two checks for requests.
  private static let lookEvery = Duration.milliseconds(5)

  /// Lets the writer write until it is paused.
  func resume() { state.withLock { $0.isRunning = true } }

  func end() { state.withLock { $0.hasEnded = true } }

  /// Pauses the writer, and waits until it no longer writes.
  func pause() async {
    state.withLock { $0.isRunning = false }
    await withCheckedContinuation { answer in
      state.withLock { $0.asked.append((false, answer)) }
    }
  }

  /// Lets the writer insert once, and waits until it has done so.
  func once() async {
    await withCheckedContinuation { answer in
      state.withLock { $0.asked.append((true, answer)) }
    }
  }

  /// Runs the writer until another task ends it.
  @concurrent
  func run(_ writer: consuming StressWriter) async {
    var due = ContinuousClock.now
    while true {
      let (asked, isRunning, hasEnded) = take()
      for (isOnce, answer) in asked {
        if isOnce { writer.insert() }
        answer.resume()
      }
      if hasEnded { return }
      if isRunning, due <= .now {
        writer.write()
        due = .now + .seconds(writer.pause())
      }
      let pause = isRunning ? min(due - .now, Self.lookEvery) : Self.lookEvery
      guard pause > .zero else {
        await Task.yield()
        continue
      }
      do { try await Task.sleep(for: pause) } catch { return }
    }
  }

  private func take() -> ([(isOnce: Bool, CheckedContinuation<Void, Never>)], Bool, Bool) {
    state.withLock { state in
      defer { state.asked = [] }
      return (state.asked, state.isRunning, state.hasEnded)
    }
  }
}

import Foundation
import HistoryStore
import HistoryTypes
import Measuring

/// A helper process of a benchmark: this command, started with a verb that is hidden from the help.
package enum HelperProcess {
  /// The tasks of helper processes.
  enum Verb: String, CaseIterable {
    /// Commits to a store and reports the times.
    case commit = "_commit"
    /// Streams a history and reports its memory use.
    case stream = "_stream"
    /// Builds a store and reports its progress.
    case build = "_build"
    case inspect = "_inspect"
    /// Counts the work of a benchmark, such as page reads and allocations.
    case count = "_count"
    /// Measures some benchmarks briefly, for a comparison of builds.
    case launch = "_launch"
    /// Performs the work of a benchmark under Callgrind, which counts its instructions.
    case instructions = "_instructions"
  }

  /// The path of this command, or `nil` in a different program, such as a test runner.
  package static var command: String? {
    guard let path = Bundle.main.executablePath else { return nil }
    let name = URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent
    return ["history-lab", "HistoryLab"].contains(name) ? path : nil
  }

  /// An error for a helper process that failed; its own messages went to standard error.
  struct Failure: Error, CustomStringConvertible {
    let verb: Verb
    let code: Int32
    /// Whether a signal ended the process; `code` is then the signal's number.
    let wasKilled: Bool

    /// Whether the process exited with a code that no helper process of this command uses.
    var isForeign: Bool { !wasKilled && code != HelperProcess.failureCode }

    var description: String {
      "a process that a benchmark started (\(verb.rawValue)) ended with exit code \(code); its "
        + "error output is above. Check the free disk space and memory, and run the benchmark again."
    }
  }

  // MARK: In the measuring process

  /// Starts a helper process with additional environment variables.
  ///
  /// If `program` is not empty, it is the name and the options of a program that runs the helper
  /// process, such as `valgrind` and `--tool=callgrind`.
  ///
  /// ``Running/finish(_:)`` reads the lines of numbers that the process writes.
  static func start(
    _ command: String,
    _ verb: Verb,
    _ arguments: [String],
    environment: [String: String] = [:],
    under program: [String] = []
  ) throws -> Running {
    let process = Process()
    let words = program + [command, verb.rawValue] + arguments
    process.executableURL = URL(fileURLWithPath: program.isEmpty ? command : searcher)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.arguments = program.isEmpty ? Array(words.dropFirst()) : words
    let (life, output) = (Pipe(), Pipe())
    process.standardInput = life
    process.standardOutput = output
    try process.run()
    return Running(process: process, life: life, output: output, verb: verb)
  }

  /// The program that finds another program in `PATH` and runs it.
  private static let searcher = "/usr/bin/env"

  /// Runs a program of the system, and waits for its end.
  ///
  /// - Throws: ``ToolFailure`` unless the program ends with exit code 0.
  static func run(tool words: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: searcher)
    process.arguments = words
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ToolFailure(words: words, code: process.terminationStatus)
    }
  }

  /// An error for a program of the system that failed; its own messages went to standard error.
  struct ToolFailure: Error, CustomStringConvertible {
    let words: [String]
    let code: Int32

    var description: String {
      "\(words.joined(separator: " ")) ended with exit code \(code); its error output is above"
    }
  }

  struct Running {
    fileprivate let process: Process
    /// The pipe that closes when this process ends; the helper process ends when the pipe closes.
    fileprivate let life: Pipe
    fileprivate let output: Pipe
    fileprivate let verb: Verb

    /// Passes each line of numbers to a closure, and waits for the end of the process.
    ///
    /// An error that the closure throws also ends the process.
    ///
    /// - Throws: ``Failure``, or what the closure throws.
    func finish(_ line: ([Int64]) throws -> Void) throws {
      try withExtendedLifetime(life) { try readToEnd(line) }
    }

    private func readToEnd(_ line: ([Int64]) throws -> Void) throws {
      do { try read(line) } catch {
        process.terminate()
        process.waitUntilExit()
        throw error
      }
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw Failure(
          verb: verb,
          code: process.terminationStatus,
          wasKilled: process.terminationReason == .uncaughtSignal
        )
      }
    }

    private func read(_ line: ([Int64]) throws -> Void) throws {
      var rest = Data()
      while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let text = String(decoding: rest[..<end], as: UTF8.self)
          rest = Data(rest[(end + 1)...])
          try line(text.split(separator: " ").compactMap { Int64($0) })
        }
      }
    }
  }

  // MARK: In the helper process

  /// Performs the task that the arguments specify, if they are those of a helper process.
  ///
  /// - Returns: the exit code, or `nil` if the arguments are not those of a helper process.
  package static func run(_ arguments: [String]) -> Int32? {
    guard let verb = arguments.first.flatMap(Verb.init) else { return nil }
    endWithStarter()
    do {
      try perform(verb, Array(arguments.dropFirst()))
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return failureCode
    }
  }

  /// The exit code of a helper process that failed.
  private static let failureCode: Int32 = 70

  /// Ends this process when its standard input ends.
  ///
  /// The parent process keeps the write end of standard input open until the parent process exits.
  private static func endWithStarter() {
    Thread.detachNewThread {
      while readLine() != nil {}
      _exit(HelperProcess.failureCode)
    }
  }

  private static func perform(_ verb: Verb, _ arguments: [String]) throws {
    switch verb {
    case .commit: try CommitPeer.run(arguments, print)
    case .stream: try StreamProbe.run(arguments, print)
    case .build: try BuildProbe.run(arguments, print)
    case .inspect: try InspectProbe.run(arguments, print)
    case .count: try CountingProcess.run(arguments)
    case .launch: try LaunchProbe.run(arguments)
    case .instructions: try InstructionProcess.run(arguments, print)
    }
  }

  /// Writes a line of numbers without buffering.
  private static func print(_ numbers: [Int64]) {
    let line = numbers.map(String.init).joined(separator: " ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  /// An error for arguments that do not describe a task that the helper process can perform.
  struct WrongArguments: Error {}
}

/// A probe that streams a whole history page by page, and measures its memory.
enum StreamProbe {
  /// The numbers of streamed transactions and changes, and the time and memory of streaming.
  struct Outcome {
    var transactions: Int64 = 0
    var changes: Int64 = 0
    /// The duration of streaming the history, in nanoseconds.
    var ns: Int64 = 0
    /// The greatest growth of the process's memory in bytes, or `nil` if it was not measured.
    var growthBytes: Int64?
  }

  /// Streams a history in a separate process, so that memory of other benchmarks is not counted.
  static func measure(_ command: String, path: String) throws -> Outcome {
    var outcome = Outcome()
    try HelperProcess.start(command, .stream, [path]).finish { numbers in
      guard numbers.count == 4 else { return }
      outcome = Outcome(
        transactions: numbers[0],
        changes: numbers[1],
        ns: numbers[2],
        growthBytes: numbers[3] < 0 ? nil : numbers[3]
      )
    }
    return outcome
  }

  /// Streams the history of the store that the arguments name, and prints the outcome.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let outcome = try stream(path: arguments[0])
    print([outcome.transactions, outcome.changes, outcome.ns, outcome.growthBytes ?? -1])
  }

  /// Reads the whole history of a store, and measures the time and the memory of this process.
  static func stream(path: String) throws -> Outcome {
    let store = try Store(path: path, configuration: StoreTemplate.quietConfiguration)
    let memory = ResidentMemory()
    var outcome = Outcome()
    let start = NanosecondClock.wall.now()
    var reader = try store.reader(HistoryRequest(after: nil))
    while let page = try reader.next() {
      // A transaction that continues on the next page is counted there.
      outcome.transactions += Int64(page.records.count) - (page.rest == nil ? 0 : 1)
      outcome.changes += Int64(page.changes.count)
    }
    outcome.ns = Int64(NanosecondClock.wall.now() - start)
    outcome.growthBytes = memory?.growthBytes
    return outcome
  }
}

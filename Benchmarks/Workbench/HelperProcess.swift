import Foundation

/// A process that a benchmark needs beside its own: this command itself, started again under a verb
/// that stands in no help.
package enum HelperProcess {
  /// What such a process does.
  enum Verb: String, CaseIterable {
    /// Commits to a store and tells when.
    case commit = "_commit"
    /// Streams a history and tells how much memory that took.
    case stream = "_stream"
    /// Builds a store and tells how far it is.
    case build = "_build"
    /// Inspects a store.
    case inspect = "_inspect"
    /// Counts what a benchmark does.
    case count = "_count"
    /// Measures some benchmarks shortly, for a comparison of builds.
    case launch = "_launch"
  }

  /// The path of this command, or nothing in a process that is another one, such as tests.
  package static var command: String? {
    guard let path = Bundle.main.executablePath else { return nil }
    let name = URL(fileURLWithPath: path).resolvingSymlinksInPath().lastPathComponent
    return ["history-lab", "HistoryLab"].contains(name) ? path : nil
  }

  /// The process failed; its own words went to standard error.
  struct Failure: Error, CustomStringConvertible {
    let verb: Verb
    let code: Int32
    /// Whether a signal ended it, whose number the code is then.
    let wasKilled: Bool

    /// Whether no such process of this command ends so.
    var isForeign: Bool { !wasKilled && code != HelperProcess.failureCode }

    var description: String {
      "a process that a benchmark started (\(verb.rawValue)) ended with exit code \(code); its own "
        + "words stand above. Look at the space and the memory that are left, and run it again."
    }
  }

  // MARK: In the process that measures

  /// Starts the process with some variables more in its environment; its lines of numbers are read by
  /// ``Running/finish(_:)``.
  static func start(
    _ command: String,
    _ verb: Verb,
    _ arguments: [String],
    environment: [String: String] = [:]
  ) throws -> Running {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.arguments = [verb.rawValue] + arguments
    let (life, output) = (Pipe(), Pipe())
    process.standardInput = life
    process.standardOutput = output
    try process.run()
    return Running(process: process, life: life, output: output, verb: verb)
  }

  /// A process at work.
  struct Running {
    fileprivate let process: Process
    /// What ends with this process, so that the other one ends with it too.
    fileprivate let life: Pipe
    fileprivate let output: Pipe
    fileprivate let verb: Verb

    /// Waits for its end and hands each line of numbers on as it comes.
    ///
    /// What the closure throws ends the process too.
    ///
    /// - Throws: ``Failure``, and what the closure throws.
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

  // MARK: In the process that helps

  /// Does what the arguments say, if they are those of such a process.
  ///
  /// - Returns: the exit code, or nothing when the command has something else to do.
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

  /// With what such a process ends that has failed.
  private static let failureCode: Int32 = 70

  /// Ends this process once its standard input does: whoever started it holds the other end, and is gone
  /// then, however that ended.
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
    }
  }

  /// Writes a line of numbers at once.
  private static func print(_ numbers: [Int64]) {
    let line = numbers.map(String.init).joined(separator: " ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  /// The arguments of such a process are wrong; only the command itself makes them.
  struct WrongArguments: Error {}
}

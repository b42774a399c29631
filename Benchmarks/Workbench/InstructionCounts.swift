import BenchmarkFloor
import Foundation
import HistoryStore
package import Measuring

/// Counts the instructions that our store executes for an operation.
///
/// Each count takes a process of its own under Callgrind
/// (https://valgrind.org/docs/manual/cl-manual.html), which counts every instruction of the process and of
/// SQLite. Two counts of one program are equal, whatever else the machine does. Instructions of the
/// kernel are not counted.
package struct InstructionCounts: Sendable {
  /// The benchmarks whose work is counted.
  package var subjects: [BenchmarkSubject]
  /// The size of history, in transactions.
  package var historySize: Int
  /// The seed of the stores' data.
  package var seed: UInt64
  /// The path of the command that is started under Callgrind.
  package var command: String
  /// The folder in which a folder for the stores is created.
  ///
  /// `nil`, the default, selects `/dev/shm` if it is writable, else the folder for temporary files.
  package var scratchParent: String?

  /// The operations that apps perform most often, by the names of their benchmarks.
  package static let hottest = [
    "write insert 1", "write insert 10", "write insert 100", "write insert 1000",
    "write update 1", "write update 10", "write update 100", "write update 1000",
    "write delete 1", "write delete 10", "write delete 100", "write delete 1000",
    "write save 1", "write save 10", "write save 100",
    "fetch newest 10", "merge 1000", "pass 1000", "member record", "purge 1000",
  ]

  /// The names of the C programs with which our store is compared, in order of preference.
  ///
  /// The first one writes the same history as our store, the second one writes none. Our store is
  /// compared with the first one that the benchmark measures.
  package static let floors = [MeasuredWork.trackedFloor, MeasuredWork.floor]

  /// The greatest difference between a count and its threshold that is not reported.
  ///
  /// The difference is a share of the threshold: 0.5 %.
  package static let tolerance = 0.005

  /// A program that is required for counting, and the Debian package that contains it.
  package typealias Tool = (name: String, package: String)

  /// Returns the first required program that is not installed, or `nil` if all of them are installed.
  package static func missingTool(
    in path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) -> Tool? {
    let tools: [Tool] = [("valgrind", "valgrind"), ("strip", "binutils")]
    return tools.first { tool in
      !path.split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(tool.name)")
      }
    }
  }

  package init(
    subjects: [BenchmarkSubject],
    historySize: Int,
    seed: UInt64,
    command: String
  ) {
    self.subjects = subjects
    self.historySize = historySize
    self.seed = seed
    self.command = command
  }

  /// The machine and the build, for which the counts are valid.
  package var environment: RunEnvironment {
    .current(sqlite: Store.sqliteVersion, commit: nil, time: .now(), seed: seed)
  }

  /// Builds the stores, passes a counter to a closure, and removes the stores, also after an error.
  ///
  /// - Throws: An error of the store or of the closure, or one about a process that failed.
  package func withCounter(_ body: (Counter) throws -> Void) throws {
    BenchmarkRandom.restart()
    var run = BenchmarkRun(
      subjects: subjects,
      historySizes: [historySize],
      seed: seed,
      budget: .rounds(1)
    )
    run.scratchParent = scratchParent
    let stores = try BenchmarkStores(run)
    let result = Result {
      try stores.build { _ in }
      try body(try Counter(stores: stores, counts: self))
    }
    try stores.remove()
    try result.get()
  }

  /// A counter of the instructions that operations execute on the stores of ``withCounter(_:)``.
  package struct Counter {
    fileprivate let stores: BenchmarkStores
    fileprivate let counts: InstructionCounts
    /// A copy of the command without debugging information, which Callgrind cannot read completely.
    private let program: String

    fileprivate init(stores: BenchmarkStores, counts: InstructionCounts) throws {
      (self.stores, self.counts) = (stores, counts)
      program = stores.memory.path + "/history-lab"
      try HelperProcess.run(tool: ["strip", "-g", "-o", program, counts.command])
    }

    /// Counts the instructions of one operation of a benchmark.
    ///
    /// The process executes `extra` added instructions for each operation, to test whether the
    /// counts include them.
    ///
    /// - Returns: a row with one sample; `nil` if the benchmark does not measure `contender`.
    /// - Throws: An error about a process that failed.
    /// - Complexity: some seconds; Callgrind runs a program about fifty times slower.
    package func row(
      of subject: BenchmarkSubject,
      by contender: String = BenchmarkSubject.ours,
      extra: Int = 0
    ) throws -> BenchmarkRow? {
      let folder = try stores.memory.makeFolder("instructions")
      defer { try? FileManager.default.removeItem(atPath: folder) }
      guard let setting = stores.settings(for: subject).first else {
        throw HelperProcess.WrongArguments()
      }
      let request = InstructionProcess.Request(
        subject: subject.name,
        folder: stores.memory.path,
        medium: stores.memory.medium,
        store: setting.template,
        contender: contender,
        extra: extra
      )
      let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
      let profiles = folder + "/profile"
      var (operations, marks): (Int64, Int64) = (0, 0)
      try HelperProcess.start(
        program,
        .instructions,
        [text],
        environment: ["SWIFT_DETERMINISTIC_HASHING": "1"],
        under: [
          "valgrind", "--tool=callgrind", "--callgrind-out-file=\(profiles)",
          "--dump-before=counts_mark", "--log-file=\(folder)/log",
        ]
      ).finish { numbers in
        guard numbers.count == 2 else { return }
        (operations, marks) = (numbers[0], numbers[1])
      }
      try stores.memory.removeCopies()
      guard operations > 0 else { return nil }
      let sum = try CallgrindProfile.sum(profiles, marks: Int(marks))
      return BenchmarkRow(
        subject: subject.part,
        operation: subject.operation,
        condition: subject.fullCondition(subject.sharedCondition(on: stores.memory.medium)),
        contender: contender,
        historySize: counts.historySize,
        metric: .instructions,
        samples: [(Double(sum) / Double(operations)).rounded()],
        seed: counts.seed
      )
    }
  }
}

/// The profiles that Callgrind writes, one for each call of `counts_mark`.
///
/// The process calls `counts_mark` before and after each measured part.
package enum CallgrindProfile {
  /// An error for a Callgrind profile that is missing or has no sum of instructions.
  package struct Unreadable: Error, CustomStringConvertible {
    let path: String
    package var description: String {
      "Callgrind wrote no sum of instructions to \(path): the process may have been stopped. Run "
        + "the command again."
    }
  }

  /// Returns the instructions of the measured parts: the sum over every second profile.
  ///
  /// The other profiles contain the work before and between the measured parts.
  static func sum(_ path: String, marks: Int) throws -> Int64 {
    var sum: Int64 = 0
    for mark in stride(from: 2, through: marks, by: 2) {
      let file = "\(path).\(mark)"
      guard let data = FileManager.default.contents(atPath: file),
        let count = instructions(in: String(decoding: data, as: UTF8.self))
      else { throw Unreadable(path: file) }
      sum += count
    }
    return sum
  }

  /// Returns the sum of instructions in a profile's line `summary:`, or `nil` if it has none.
  package static func instructions(in profile: String) -> Int64? {
    let start = "summary: "
    return profile.split(separator: "\n").first { $0.hasPrefix(start) }
      .flatMap { Int64($0.dropFirst(start.count)) }
  }
}

/// The process that Callgrind runs.
enum InstructionProcess {
  struct Request: Codable {
    var subject: String
    var folder: String
    var medium: String
    var store: StoreTemplate
    var contender: String
    var extra: Int
  }

  /// The number of uncounted first measurements, which fill caches and prepare statements.
  private static let warmUp = 2

  /// Performs the work of one compared program of a benchmark, and prints two numbers.
  ///
  /// The argument names the benchmark and the program. The first number is how many operations were
  /// measured, the second how often `counts_mark` was called to delimit the measured parts. Prints
  /// nothing if the benchmark does not measure that program.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let request = try JSONDecoder().decode(Request.self, from: Data(arguments[0].utf8))
    guard let subject = Subjects.named(request.subject),
      case .rounds(_, let prepare) = subject.method
    else { throw HelperProcess.WrongArguments() }
    BenchmarkRandom.restart()
    let setting = BenchmarkSetting(
      historySize: request.store.historySize,
      template: request.store,
      scratch: ScratchFolder(existing: request.folder, medium: request.medium),
      repetitionDivisor: 1
    )
    guard let work = try prepare(setting).first(where: { $0.contender == request.contender })
    else { return }
    for _ in 0..<warmUp {
      var watch = Stopwatch()
      _ = try work.measure(&watch)
    }
    var marks: Int64 = 0
    let rounds = Int64(request.extra * work.operations / Int(COUNTS_SPIN_INSTRUCTIONS))
    let source = WorkMeter.Source([.instructions]) { numbers in
      marks += 1
      let isBegin = marks % 2 == 1
      counts_mark()
      if isBegin { counts_spin(rounds) }
      numbers[0] = 0
    }
    var watch = Stopwatch(counting: WorkMeter([source]))
    _ = try work.measure(&watch)
    print([Int64(work.operations), marks])
  }
}

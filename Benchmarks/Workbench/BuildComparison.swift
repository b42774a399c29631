import Basics
import Foundation
package import Measuring

/// A comparison of two builds, launched in turn so that disturbances affect both alike.
package struct BuildComparison: Sendable {
  /// The build whose cost counts as 1.
  package var base: LaunchProbe
  /// The build that is compared with the base.
  package var head: LaunchProbe
  /// The names of the benchmarks.
  package var subjects: [String]
  /// The size of history, in transactions.
  ///
  /// The default is 10,000.
  package var historySize = 10_000
  /// The number of pairs of launches in the first stage, which times all benchmarks.
  ///
  /// A pair is one launch of each build. The default is 20. If the cost of a benchmark may have
  /// changed or is too uncertain, the second stage times it again, with four times as many pairs.
  package var launches = 20
  /// The number of rounds of each benchmark per launch.
  ///
  /// The default is 3.
  package var rounds = 3
  /// The fraction by which a count may differ between the builds.
  ///
  /// The default is 0.
  package var tolerance = 0.0
  /// The seed of the random order of the measurements, and of the resampling.
  package var seed: UInt64
  /// The folder in which a folder for the stores is created.
  ///
  /// `nil`, the default, selects `/dev/shm` if it is writable, else the folder for temporary files.
  package var scratchParent: String?

  /// Creates a comparison of two builds, given as the paths of their executables.
  package init(base: String, head: String, subjects: [String], seed: UInt64) {
    self.base = LaunchProbe(command: base)
    self.head = LaunchProbe(command: head)
    self.subjects = subjects
    self.seed = seed
  }

  package struct Outcome: Sendable {
    /// The verdicts on times, one per row.
    package var judged: [LaunchComparison.Judged] = []
    package var counts = ExactComparison(base: [], head: [])
  }

  /// Compares the builds: counts their work once, then times them in two stages.
  ///
  /// The counts are exact values, such as page reads. The first stage times all benchmarks, the
  /// second stage times those with a suspect row again. A row is a suspect if its cost may have
  /// changed, or if its confidence interval is too wide to decide that.
  ///
  /// Before each pair of timed launches, `progress` receives the number of the stage (1 or 2, as
  /// `look`) and the number of all pairs in that stage. An error that `progress` throws ends the
  /// comparison.
  ///
  /// - Throws: The error of a launch or of `progress`.
  package func run(progress: (_ look: Int, _ pairs: Int) throws -> Void) throws -> Outcome {
    let scratch = try ScratchFolder(in: scratchParent)
    let result = Result { try compare(scratch, progress) }
    try scratch.remove()
    return try result.get()
  }

  private func compare(
    _ scratch: ScratchFolder,
    _ progress: (Int, Int) throws -> Void
  ) throws -> Outcome {
    let folders = try ["base", "head"].map { try scratch.makeFolder($0) }
    var outcome = Outcome()
    // The launches that count also build the stores, so that no timed launch has to build them.
    let counts = try pair(folders, subjects, rounds: 0, baseFirst: true, seed: seed)
    outcome.counts = ExactComparison(
      base: counts.base,
      head: counts.head,
      tolerance: tolerance
    )
    var comparison = LaunchComparison(gate: RegressionGate(seed: seed))
    var random = SplitMix64(seed: seed)
    for _ in 0..<launches {
      try progress(1, launches)
      let pair = try pair(folders, subjects, rounds: rounds, &random)
      comparison.add(base: pair.base, head: pair.head)
    }
    let suspects = Set(comparison.suspects)
    let again = subjects.filter { name in suspects.contains { $0.isOf(name) } }
    let launchesAgain = suspects.isEmpty ? 0 : launches * RegressionGate.secondLookFactor
    for _ in 0..<launchesAgain {
      try progress(2, launchesAgain)
      let pair = try pair(folders, again, rounds: rounds, &random)
      comparison.addAgain(base: pair.base, head: pair.head, for: suspects)
    }
    outcome.judged = comparison.judged
    return outcome
  }

  private func pair(
    _ folders: [String],
    _ subjects: [String],
    rounds: Int,
    _ random: inout SplitMix64
  ) throws -> (base: [BenchmarkRow], head: [BenchmarkRow]) {
    let seed = random.next()
    return try pair(
      folders,
      subjects,
      rounds: rounds,
      baseFirst: random.index(below: 2) == 0,
      seed: seed
    )
  }

  private func pair(
    _ folders: [String],
    _ subjects: [String],
    rounds: Int,
    baseFirst: Bool,
    seed: UInt64
  ) throws -> (base: [BenchmarkRow], head: [BenchmarkRow]) {
    func launch(_ probe: LaunchProbe, _ folder: String) throws -> [BenchmarkRow] {
      try probe.launch(
        LaunchProbe.Request(
          folder: folder,
          subjects: subjects,
          historySize: historySize,
          rounds: rounds,
          seed: seed
        )
      )
    }
    if baseFirst {
      let rows = try launch(base, folders[0])
      return (rows, try launch(head, folders[1]))
    }
    let rows = try launch(head, folders[1])
    return (try launch(base, folders[0]), rows)
  }
}

extension LaunchComparison.Key {
  /// Returns whether the row belongs to the benchmark with a name.
  fileprivate func isOf(_ name: String) -> Bool {
    Subjects.all.contains { $0.name == name && $0.isTitled(title) }
  }
}

/// One launch of a build: a process that briefly measures the build's store in some benchmarks.
package struct LaunchProbe: Sendable {
  /// The arguments of the launched process.
  package struct Request: Codable, Sendable {
    /// The version of the request; a build rejects other versions.
    package private(set) var launch = Self.version
    /// The folder for the build's own stores, which the first launch builds.
    package var folder: String
    /// The names of the benchmarks.
    package var subjects: [String]
    /// The size of history, in transactions.
    package var historySize: Int
    /// The number of rounds of each benchmark, or 0 to count its work instead of timing it.
    package var rounds: Int
    /// The seed of the random order of the measurements, and of the resampling.
    @HexCoded package var seed: UInt64

    static let version = 1

    package init(
      folder: String,
      subjects: [String],
      historySize: Int,
      rounds: Int,
      seed: UInt64
    ) {
      self.folder = folder
      self.subjects = subjects
      self.historySize = historySize
      self.rounds = rounds
      self.seed = seed
    }
  }

  /// An error for a program that is not a build of history-lab, or too old for a comparison.
  package struct NoLaunch: Error, CustomStringConvertible {
    /// The path of the program that was given as a build.
    package let command: String
    /// The failure of this program as a clause, such as `it wrote no results`.
    package let reason: String

    /// A message with the problem and a suggestion.
    package var description: String {
      "\(command) is not a build of history-lab that can be compared: \(reason). Pass a build of "
        + "history-lab that has the command bench compare."
    }
  }

  /// The path of the build's executable.
  package let command: String

  package init(command: String) { self.command = command }

  /// Launches the build once, and returns the rows that the request asks for: times or counts.
  ///
  /// A request with 0 rounds asks for counts. The process then uses jemalloc, if that was found, to
  /// count allocations too.
  ///
  /// - Throws: ``NoLaunch`` if the program is not a compatible build, or an error that describes
  ///   how the process failed.
  package func launch(_ request: Request) throws -> [BenchmarkRow] {
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let isCounting = request.rounds == 0
    let environment = isCounting ? CountingProcess.environment : [:]
    try start(text, environment)
    let path = request.folder + Self.file
    guard let data = FileManager.default.contents(atPath: path) else {
      throw NoLaunch(command: command, reason: "it wrote no results")
    }
    try FileManager.default.removeItem(atPath: path)
    do { return try JSONDecoder().decode([BenchmarkRow].self, from: data) } catch {
      throw NoLaunch(command: command, reason: "its results cannot be read")
    }
  }

  private func start(_ request: String, _ environment: [String: String]) throws {
    let running: HelperProcess.Running
    do {
      running = try HelperProcess.start(command, .launch, [request], environment: environment)
    } catch {
      throw NoLaunch(command: command, reason: "it cannot be started")
    }
    do { try running.finish { _ in } } catch let failure as HelperProcess.Failure
      where failure.isForeign
    {
      throw NoLaunch(command: command, reason: "it ended with exit code \(failure.code)")
    }
  }

  /// Returns whether a benchmark can be used to compare builds.
  ///
  /// The benchmark must compare programs in rounds, with one of them as the floor. It must not itself
  /// compare two layouts of the history (our packed one and that of Core Data).
  package static func canCompare(_ subject: BenchmarkSubject) -> Bool {
    subject.floor != nil && !subject.comparesLayouts
  }

  // MARK: In the launched process

  private static let file = "/launch.json"

  /// Measures the benchmarks that the argument requests, and writes the rows to the folder.
  static func run(_ arguments: [String]) throws {
    guard arguments.count == 1 else { throw HelperProcess.WrongArguments() }
    let request = try JSONDecoder().decode(Request.self, from: Data(arguments[0].utf8))
    guard request.launch == Request.version else { throw HelperProcess.WrongArguments() }
    BenchmarkRandom.restart()
    let scratch = ScratchFolder(existing: request.folder, medium: "own folder")
    let setting = BenchmarkSetting(
      historySize: request.historySize,
      template: try template(request),
      scratch: scratch,
      repetitionDivisor: request.rounds == 0 ? 1 : repetitionDivisor
    )
    var rows: [BenchmarkRow] = []
    for subject in Subjects.all where request.subjects.contains(subject.name) {
      rows += try measure(subject, setting, request)
      try scratch.removeCopies()
    }
    let data = try JSONEncoder().encode(rows)
    try data.write(to: URL(fileURLWithPath: request.folder + file))
  }

  /// The number by which a launch divides repetitions.
  ///
  /// Many short launches give more precise results than a few long launches.
  private static let repetitionDivisor = 4

  private static func template(_ request: Request) throws -> StoreTemplate {
    let path = TemplateBuilder.path(of: request.historySize, in: request.folder)
    if FileManager.default.fileExists(atPath: path) {
      return StoreTemplate(historySize: request.historySize, path: path)
    }
    let builder = TemplateBuilder(folder: request.folder, seed: BenchmarkRandom.seed)
    return try builder.build(sizes: [request.historySize]) { _ in }[0]
  }

  private static func measure(
    _ subject: BenchmarkSubject,
    _ setting: BenchmarkSetting,
    _ request: Request
  ) throws -> [BenchmarkRow] {
    guard case .rounds(_, let prepare) = subject.method else { return [] }
    let condition = "warm"
    if request.rounds == 0 {
      let pass = CountingPass(
        subject: subject,
        settings: [setting],
        seed: request.seed,
        condition: condition,
        withoutAllocations: JemallocLibrary.absence
      )
      return try pass.rows()
    }
    let contenders = try prepare(setting).filter { $0.contender == BenchmarkSubject.ours }.map {
      work in
      Contender(work.contender, operations: work.operations) { _ = try work.measure(&$0) }
    }
    guard !contenders.isEmpty else { return [] }
    let measurement = InterleavedMeasurement(seed: request.seed, budget: .rounds(request.rounds))
    let topic = RowTopic(
      subject: subject.part,
      operation: subject.operation,
      condition: subject.fullCondition(condition),
      historySize: request.historySize
    )
    return try measurement.measure(contenders).rows(about: topic, floor: nil)
  }
}

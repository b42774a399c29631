import Foundation
package import Measuring

/// One launch of a build: a process of its own that measures some benchmarks shortly, ours alone.
package struct LaunchProbe: Sendable {
  /// What a launch is told.
  package struct Request: Codable, Sendable {
    /// The version of what is told; a build refuses another one.
    package private(set) var launch = Self.version
    /// The folder of the build's own stores, which the first launch builds.
    package var folder: String
    /// The names of the benchmarks.
    package var subjects: [String]
    /// The size of history, in transactions.
    package var historySize: Int
    /// How often each benchmark is measured; none to count instead.
    package var rounds: Int
    /// From what the order of measuring follows.
    @HexCoded package var seed: UInt64

    static let version = 1

    /// Makes a request.
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

  /// Why a program that was launched is no build that can be compared.
  package struct NoLaunch: Error, CustomStringConvertible {
    /// The program.
    package let command: String
    /// What it did instead.
    package let reason: String

    /// Says what happened, and what to try.
    package var description: String {
      "\(command) did not answer as a launch of history-lab: \(reason). Name a build of history-lab "
        + "that knows bench compare."
    }
  }

  /// The build's executable.
  package let command: String

  /// Makes a probe of a build.
  package init(command: String) { self.command = command }

  /// Launches the build once and reads what it measured, or counted under jemalloc.
  ///
  /// - Throws: ``NoLaunch`` when the program is something else, and an error that says how the process
  ///   failed.
  package func launch(_ request: Request) throws -> [BenchmarkRow] {
    let text = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    let isCounting = request.rounds == 0
    let environment = isCounting ? CountingProcess.environment : [:]
    try start(text, environment)
    let path = request.folder + Self.file
    guard let data = FileManager.default.contents(atPath: path) else {
      throw NoLaunch(command: command, reason: "it left nothing that was measured")
    }
    try FileManager.default.removeItem(atPath: path)
    do { return try JSONDecoder().decode([BenchmarkRow].self, from: data) } catch {
      throw NoLaunch(command: command, reason: "what it left cannot be read")
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

  /// The benchmarks that can be compared: those that are measured in rounds.
  package static func canCompare(_ subject: BenchmarkSubject) -> Bool {
    subject.floor != nil && !subject.comparesLayouts
  }

  // MARK: In the process that is launched

  private static let file = "/launch.json"

  /// Measures as the argument says, and leaves the rows in the folder.
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
      haste: request.rounds == 0 ? 1 : haste
    )
    var rows: [BenchmarkRow] = []
    for subject in Subjects.all where request.subjects.contains(subject.name) {
      rows += try measure(subject, setting, request)
      try scratch.removeCopies()
    }
    let data = try JSONEncoder().encode(rows)
    try data.write(to: URL(fileURLWithPath: request.folder + file))
  }

  /// A launch is short: many launches tell more than long ones.
  private static let haste = 4

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

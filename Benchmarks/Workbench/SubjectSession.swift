import HistoryStore
import HistoryTypes
import Measuring

/// The measurement of one benchmark, with all compared programs at all sizes in the same rounds.
///
/// Ratios to the floor (raw SQLite in C) and between sizes thus both come from neighbouring measurements.
struct SubjectSession {
  let subject: BenchmarkSubject
  /// The settings, one per history size of the benchmark.
  let settings: [BenchmarkSetting]
  let own: OwnSetting
  let seed: UInt64
  /// The conditions that results list after the benchmark's own, as text such as `warm, tmpfs`.
  let condition: String
  /// Called before each measurement; an error that it throws ends the session.
  let measures: () throws -> Void

  /// Measures the benchmark; in rounds, also verifies that all compared programs did the same work.
  func rows(_ budget: RoundBudget) throws -> [BenchmarkRow] {
    var rows = try measuredRows(budget)
    for index in rows.indices {
      rows[index].axis = subject.axis?.name
      rows[index].sizeUnit = subject.sizeUnit
    }
    return rows
  }

  private func measuredRows(_ budget: RoundBudget) throws -> [BenchmarkRow] {
    if let reason = subject.axis?.absence(on: own.scratch.medium) { return missingRows(reason) }
    switch subject.method {
    case .rounds(let floor, let prepare): return try measuredRows(budget, floor, prepare)
    case .samples(let sample):
      guard let setting = settings.last else { return [] }
      try measures()
      return try sample(setting).map {
        $0.row(about: topic($0.historySize ?? setting.historySize), seed: seed)
      }
    case .own(let sample):
      try measures()
      return try sample(own).map { $0.row(about: topic($0.historySize ?? 0), seed: seed) }
    }
  }

  private func measuredRows(
    _ budget: RoundBudget,
    _ floor: String,
    _ prepare: (BenchmarkSetting) throws -> [MeasuredWork]
  ) throws -> [BenchmarkRow] {
    let works = try settings.map(prepare)
    let log = TallyLog()
    let contenders = zip(settings, works).flatMap { setting, works in
      works.map { contender($0, at: setting.historySize, log) }
    }
    let measurement = InterleavedMeasurement(seed: seed, budget: budget)
    let result = try measurement.measure(contenders)
    var rows: [BenchmarkRow] = []
    var first = 0
    for (setting, works) in zip(settings, works) {
      let names = works.map(\.contender)
      try log.check(names, beside: floor, at: setting.historySize, in: subject)
      let part = result.part(first..<first + names.count, names: names)
      rows += try part.rows(about: topic(setting.historySize), floor: floor)
      first += names.count
    }
    return rows
  }

  /// Returns result rows without samples, with the reason why there are none.
  private func missingRows(_ reason: String) -> [BenchmarkRow] {
    settings.map { setting in
      SampledRow(contender: MeasuredWork.store, metric: .wall, outcome: .notMeasured(reason))
        .row(about: topic(setting.historySize), seed: seed)
    }
  }

  private func contender(
    _ work: MeasuredWork,
    at size: Int,
    _ log: TallyLog
  ) -> Contender {
    Contender("\(work.contender) at \(size)", operations: work.operations) { watch in
      try measures()
      log.note(try work.measure(&watch), by: work.contender, at: size)
    }
  }

  private func topic(_ size: Int) -> RowTopic {
    RowTopic(
      subject: subject.part,
      operation: subject.operation,
      condition: subject.fullCondition(condition),
      historySize: size
    )
  }
}

extension InterleavedResult {
  /// Returns the samples of a range of contenders, such as all contenders at one history size.
  ///
  /// Here, a contender is one compared program at one history size, and its name has the size.
  /// `range` has the indices of the contenders, and `names` their new names.
  fileprivate func part(_ range: Range<Int>, names: [String]) -> InterleavedResult {
    let rounds = rounds.map { round in
      Round(
        order: round.order.filter(range.contains).map { $0 - range.lowerBound },
        readings: Array(round.readings[range])
      )
    }
    return InterleavedResult(names: names, seed: seed, rounds: rounds)
  }
}

/// The tallies of work (``WorkTally``) that each compared program returned from its measurements.
private final class TallyLog {
  private struct Key: Hashable {
    let contender: String
    let historySize: Int
  }

  private var tallies: [Key: [WorkTally]] = [:]

  func note(_ tally: WorkTally, by contender: String, at size: Int) {
    tallies[Key(contender: contender, historySize: size), default: []].append(tally)
  }

  /// Verifies that the compared programs did the same work as the floor, at one history size.
  ///
  /// For each measurement, it compares the tallies (``WorkTally``) that the programs returned.
  ///
  /// - Throws: ``BenchmarkDisagreement`` for the first tally that differs from the floor's.
  func check(
    _ names: [String],
    beside floorName: String,
    at size: Int,
    in subject: BenchmarkSubject
  ) throws {
    let floor = tallies[Key(contender: floorName, historySize: size)] ?? []
    for name in names {
      let others = tallies[Key(contender: name, historySize: size)] ?? []
      for (tally, other) in zip(floor, others) where tally != other {
        throw BenchmarkDisagreement(
          subject: subject.name,
          contender: name,
          historySize: size,
          did: other,
          floorDid: tally
        )
      }
    }
  }
}

/// An error for a compared program that did different work than the floor, usually SQLite in C.
///
/// The times of a program are given relative to those of the floor, but not if the work differs.
package struct BenchmarkDisagreement: Error, Hashable, CustomStringConvertible {
  let subject: String
  let contender: String
  let historySize: Int
  let did: WorkTally
  let floorDid: WorkTally

  /// A message with the benchmark, the history size, and the work of both programs.
  package var description: String {
    "\(subject) at \(historySize) transactions: \(contender) and the floor (raw C) did different "
      + "work, so their times are not compared. \(contender): \(Self.words(did)); the floor: "
      + "\(Self.words(floorDid)). The benchmark or the store has a bug."
  }

  private static func words(_ work: WorkTally) -> String {
    "\(Int(work.count).counted("item")) with the sum \(work.sum)"
  }
}

/// The prebuilt stores of a run, and the folders for their copies in memory and on disk.
final class BenchmarkStores {
  private let run: BenchmarkRun
  /// The folder in which the stores are built.
  let memory: ScratchFolder
  /// The folder for copies of stores on a disk; `nil` if no benchmark of the run needs a disk.
  private let disk: ScratchFolder?

  /// Creates the folders; the caller has to remove them with ``remove()``.
  init(_ run: BenchmarkRun) throws {
    self.run = run
    memory = try ScratchFolder(in: run.scratchParent)
    let wantsDisk = run.subjects.contains { $0.axis?.needsDisk == true }
    disk = wantsDisk ? try ScratchFolder(in: run.scratchParent, onDisk: true) : nil
  }

  /// Removes the folders of the run, with the prebuilt stores and all copies.
  func remove() throws {
    let results = [memory, disk].compactMap(\.self).map { folder in Result { try folder.remove() } }
    for result in results { try result.get() }
  }

  /// Builds all stores that the run needs at the start.
  ///
  /// The `progress` closure receives the number of transactions written since its last call.
  func build(progress: (Int) throws -> Void) throws {
    for (shape, sizes) in run.neededStores.sorted(by: { $0.key.suffix < $1.key.suffix }) {
      let builder = TemplateBuilder(folder: memory.path, seed: BenchmarkRandom.seed, shape: shape)
      _ = try builder.build(sizes: sizes.sorted(), progress: progress)
    }
  }

  /// Returns the folder for the copies of stores that a benchmark makes.
  func scratch(for subject: BenchmarkSubject) -> ScratchFolder {
    subject.axis?.needsDisk == true ? disk ?? memory : memory
  }

  /// Returns the settings of a benchmark, one per history size.
  func settings(for subject: BenchmarkSubject) -> [BenchmarkSetting] {
    let scratch = scratch(for: subject)
    return run.sizes(of: subject).map { size in
      var setting = subject.setting(
        size,
        memory.path,
        scratch,
        repetitionDivisor: run.repetitionDivisor
      )
      setting.plannedRate = run.plannedRate
      return setting
    }
  }
}

extension BenchmarkSubject {
  /// Returns the environment in which the benchmark is measured at one history size.
  ///
  /// The prebuilt stores are in `folder`; copies of them are made in `scratch`.
  func setting(
    _ size: Int,
    _ folder: String,
    _ scratch: ScratchFolder,
    repetitionDivisor: Int
  ) -> BenchmarkSetting {
    func template(_ shape: StoreShape) -> StoreTemplate {
      StoreTemplate(historySize: size, path: TemplateBuilder.path(of: size, in: folder, shape))
    }
    var setting = BenchmarkSetting(
      historySize: size,
      template: template(shape),
      scratch: scratch,
      repetitionDivisor: repetitionDivisor
    )
    setting.axis = axis
    setting.waitsForDisk = axis == .full
    setting.baseTemplate = template(.base)
    if comparesLayouts { setting.otherLayout = template(StoreShape(layout: .coreData)) }
    return setting
  }

  /// The shape (number of authors, layout of history) of the stores that the benchmark starts with.
  private var shape: StoreShape { axis?.shape ?? .base }

  /// The shapes (number of authors, layout of history) of all stores that the benchmark uses.
  var shapes: Set<StoreShape> {
    var shapes: Set = [.base, shape]
    if comparesLayouts { shapes.insert(StoreShape(layout: .coreData)) }
    return shapes
  }

  /// Returns the part of a row's condition that most benchmarks share, such as `warm, tmpfs`.
  ///
  /// For a cold cache, the part has only the medium.
  func sharedCondition(on medium: String) -> String {
    axis == .cold ? medium : "warm, \(medium)"
  }
}

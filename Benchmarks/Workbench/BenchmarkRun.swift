package import Measuring

/// A run of benchmarks over stores of several sizes.
package struct BenchmarkRun: Sendable {
  /// What is measured.
  package var subjects: [BenchmarkSubject]
  /// The sizes of history, in transactions of ten changes.
  package var historySizes: [Int]
  /// From what everything random follows.
  package var seed: UInt64
  /// How many rounds each benchmark gets.
  package var budget: RoundBudget
  /// By how much operations repeat less within one measurement than good figures need; 1 for those.
  package var haste = 1
  /// Whether time is measured; without it only what is exact is counted, which takes a fraction as long.
  package var measuresTime = true
  /// Whether what the benchmarks do is counted besides, in a pass of its own.
  package var countsWork = true
  /// The command that is started again to count in a process of its own; nothing in a process that is
  /// another one, which then counts itself, with what else it does.
  package var command = HelperProcess.command
  /// Whether equal work is measured first, to tell how far the times can be trusted.
  package var checksNoise = true
  /// Whether a minute must be enough: stores in the layout of Core Data take ten times as long to build,
  /// and are small then.
  package var isQuick = false
  /// How many writes a second an open loop plans, or nothing for shares of what the machine can do.
  package var plannedRate: Double?
  /// The folder that the stores' own folder is made in, or nothing for one in memory if there is one.
  package var scratchParent: String?

  /// The sizes of a quick run.
  package static let quickSizes = [1_000, 10_000, 100_000]
  /// The sizes of a whole run.
  package static let allSizes = [
    1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 350_000, 600_000, 1_000_000,
  ]

  /// Plans a run.
  package init(
    subjects: [BenchmarkSubject] = Subjects.usual,
    historySizes: [Int],
    seed: UInt64,
    budget: RoundBudget
  ) {
    self.subjects = subjects
    self.historySizes = historySizes
    self.seed = seed
    self.budget = budget
  }

  /// What a run tells while it goes on.
  package enum Event: Sendable {
    /// So many more transactions of the stores are built.
    case built(transactions: Int)
    /// Equal work was measured.
    case checkedNoise([BenchmarkRow])
    /// A benchmark begins.
    case began(BenchmarkSubject)
    /// One more measurement of the benchmark that is going on begins.
    case measures
    /// The benchmark that is going on has done so much more of something that takes long.
    case advanced(LongWork, by: Int)
    /// A benchmark was measured at all sizes.
    case measured(BenchmarkSubject, [BenchmarkRow])
  }

  /// Builds the stores and measures; the stores are removed at the end, come what may.
  ///
  /// `observe` is told of every event; what it throws ends the run.
  ///
  /// - Throws: what the store, the floor or `observe` throws, and a ``BenchmarkDisagreement`` when
  ///   two contenders did not do the same.
  package func run(_ observe: @escaping (Event) throws -> Void) throws {
    BenchmarkRandom.restart()
    let shelf = try BenchmarkShelf(self)
    let result = Result { try measureAll(shelf, observe) }
    try shelf.remove()
    try result.get()
  }

  private func measureAll(
    _ shelf: BenchmarkShelf,
    _ observe: @escaping (Event) throws -> Void
  ) throws {
    try shelf.build { try observe(.built(transactions: $0)) }
    if checksNoise && measuresTime {
      let check = try NoiseCheck(shelf.memory)
      let condition = "warm, \(shelf.memory.medium)"
      try observe(.checkedNoise(try check.rows(seed: seed, condition: condition)))
    }
    for subject in subjects {
      try observe(.began(subject))
      let scratch = shelf.scratch(for: subject)
      let session = SubjectSession(
        subject: subject,
        settings: shelf.settings(for: subject),
        own: OwnSetting(scratch: scratch, seed: seed, haste: haste) {
          try observe(.advanced($0, by: $1))
        },
        seed: seed ^ subject.name.fingerprint,
        condition: subject.sharedCondition(on: scratch.medium),
        measures: { try observe(.measures) }
      )
      let rows = try measured(session)
      try scratch.removeCopies()
      try observe(.measured(subject, rows + (countsWork ? try counted(session, shelf) : [])))
    }
  }

  /// Measures in the benchmark's own rounds; without time only what is exact in itself.
  private func measured(_ session: SubjectSession) throws -> [BenchmarkRow] {
    let budget = budget.adapted(to: session.subject)
    if measuresTime { return try session.rows(budget) }
    guard session.subject.isCount else { return [] }
    return try session.rows(budget).filter(\.isExact)
  }

  /// Counts in a process of its own, where this one is the command that can be started again; nothing
  /// where a disk is what differs, which counts do not show.
  private func counted(_ session: SubjectSession, _ shelf: BenchmarkShelf) throws -> [BenchmarkRow]
  {
    let subject = session.subject
    guard subject.floor != nil, subject.axis?.needsDisk != true else { return [] }
    let pass = CountingPass(
      subject: subject,
      settings: session.settings,
      seed: session.seed,
      condition: session.condition
    )
    guard let command else { return try pass.rows() }
    let rows = try CountingProcess.rows(pass, shelf.memory, command)
    try shelf.memory.removeCopies()
    return rows
  }

  /// The sizes of history that a benchmark is measured at, smallest first.
  package func sizes(of subject: BenchmarkSubject) -> [Int] {
    let sizes = Set(historySizes).sorted()
    switch subject.sizes {
    case .all: return sizes
    case .moderate:
      let most = isQuick && subject.comparesLayouts ? Self.smallSize : Self.moderateSize
      return Self.some(of: sizes) { $0 <= most }
    case .three:
      let places: Set = [0, sizes.count / 2, sizes.count - 1]
      return sizes.indices.filter(places.contains).map { sizes[$0] }
    case .largest: return sizes.suffix(1)
    case .axis: return Self.some(of: sizes, where: Self.quickSizes.contains)
    case .own: return []
    }
  }

  /// What a moderate history has at most.
  private static let moderateSize = 100_000
  /// The same where it must be built in a second.
  private static let smallSize = 10_000

  /// The sizes that pass, or the smallest where none does.
  private static func some(of sizes: [Int], where passes: (Int) -> Bool) -> [Int] {
    let some = sizes.filter(passes)
    return some.isEmpty ? Array(sizes.prefix(1)) : some
  }

  /// The sizes of the stores of each shape that the benchmarks of the run begin with.
  var neededStores: [StoreShape: Set<Int>] {
    subjects.reduce(into: [:]) { needed, subject in
      let sizes = sizes(of: subject)
      guard !sizes.isEmpty else { return }
      for shape in subject.shapes { needed[shape, default: []].formUnion(sizes) }
    }
  }

  /// How many transactions are written before the first benchmark begins.
  package var transactionCount: Int {
    neededStores.values.reduce(0) { $0 + ($1.max() ?? 0) }
  }
}

extension RoundBudget {
  /// The rounds that a benchmark gets: fewer where each takes as long as history is, and less time
  /// where few sizes are measured.
  fileprivate func adapted(to subject: BenchmarkSubject) -> RoundBudget {
    var budget = self
    if subject.isLong { budget.minimum = min(minimum, Self.longMinimum) }
    if subject.axis != nil { budget.nanoseconds = nanoseconds.map { $0 / 3 } }
    return budget
  }

  private static let longMinimum = 4
}

extension String {
  /// A number that follows from the text alone (FNV-1a), so that each benchmark has its own order of
  /// measuring, whichever others are run.
  fileprivate var fingerprint: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}

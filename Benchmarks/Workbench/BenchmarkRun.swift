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
  /// Whether what the benchmarks do is counted besides, in a pass of its own.
  package var countsWork = true
  /// Whether equal work is measured first, to tell how far the times can be trusted.
  package var checksNoise = true
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
    let scratch = try ScratchFolder(in: scratchParent)
    let result = Result { try measureAll(scratch, observe) }
    try scratch.remove()
    try result.get()
  }

  private func measureAll(
    _ scratch: ScratchFolder,
    _ observe: @escaping (Event) throws -> Void
  ) throws {
    let builder = TemplateBuilder(folder: scratch.path, seed: BenchmarkRandom.seed)
    let templates = try builder.build(sizes: neededSizes) {
      try observe(.built(transactions: $0))
    }
    let settings = templates.map {
      BenchmarkSetting(historySize: $0.historySize, template: $0, scratch: scratch, haste: haste)
    }
    let own = OwnSetting(scratch: scratch, seed: seed, haste: haste) {
      try observe(.advanced($0, by: $1))
    }
    let condition = "warm, \(scratch.medium)"
    if checksNoise {
      let check = try NoiseCheck(scratch)
      try observe(.checkedNoise(try check.rows(seed: seed, condition: condition)))
    }
    for subject in subjects {
      try observe(.began(subject))
      let session = SubjectSession(
        subject: subject,
        settings: subject.sizes == .all ? settings : settings.suffix(1),
        own: own,
        seed: seed ^ subject.name.fingerprint,
        condition: condition,
        measures: { try observe(.measures) }
      )
      let rows = try session.rows(budget)
      try scratch.removeCopies()
      try observe(.measured(subject, rows + (countsWork ? try counted(session, scratch) : [])))
    }
  }

  /// Counts in a process of its own, where this one is the command that can be started again.
  private func counted(
    _ session: SubjectSession,
    _ scratch: ScratchFolder
  ) throws -> [BenchmarkRow] {
    let pass = CountingPass(
      subject: session.subject,
      settings: session.settings,
      seed: session.seed,
      condition: session.condition
    )
    guard session.subject.floor != nil else { return [] }
    guard let command = HelperProcess.command else { return try pass.rows() }
    let rows = try CountingProcess.rows(pass, scratch, command)
    try scratch.removeCopies()
    return rows
  }

  /// The sizes of the stores that the benchmarks of the run begin with.
  package var neededSizes: [Int] {
    if subjects.contains(where: { $0.sizes == .all }) { return historySizes }
    return subjects.allSatisfy { $0.sizes == .own } ? [] : [historySizes.max() ?? 0]
  }
}

extension String {
  /// A number that follows from the text alone (FNV-1a), so that each benchmark has its own order of
  /// measuring, whichever others are run.
  fileprivate var fingerprint: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}

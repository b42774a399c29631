import HistoryBenchmarks

/// The options of `bench compare`.
struct BenchCompareOptions: Hashable, Sendable {
  /// A build of the command: an existing executable, or a commit to build.
  enum Build: Hashable, Sendable {
    case executable(String)
    case commit(String)
    /// The running command.
    case this
  }
  var base: Build
  var head: Build
  /// The names of the benchmarks to compare.
  var subjects: [String]
  /// The names of selected benchmarks that need a longer history than `historySize`.
  var leftOut: [String] = []
  var historySize: Int
  /// The number of launches of each build in the first round.
  var launches: Int
  var seed: UInt64
  /// The share by which a count may differ; 0.01 is one percent.
  var tolerance: Double
  var json: Bool

  static let baseOption = Option(
    "base",
    .text("COMMIT", "a commit, a branch or a tag"),
    "The commit that is built and compared with, instead of BASE."
  )
  static let headOption = Option(
    "head",
    .text("COMMIT", "a commit, a branch or a tag"),
    defaultText: "this command",
    "The commit that is built and judged, instead of HEAD."
  )
  static let sizeOption = Option(
    "size",
    "N",
    in: 100...1_000_000,
    default: 10_000,
    "The size of history, in transactions of ten changes."
  )
  private static let defaultLaunches = 20
  static let launchesOption = Option(
    "launches",
    "N",
    in: 6...1_000,
    default: defaultLaunches,
    "How often each build is launched; suspects four times as often again."
  )

  /// - Throws: A usage error if the base is missing, a build is named twice, an executable is
  ///   missing, or no benchmark can be compared.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    let executables = arguments.positionals
    for path in executables { try FilePath.checkReadable(path) }
    switch (executables.first, arguments.value(Self.baseOption)) {
    case (let path?, nil): base = .executable(path)
    case (nil, let commit?): base = .commit(commit)
    case (nil, nil): throw .usage("bench compare needs BASE, an executable, or --base COMMIT.")
    case (.some, .some): throw .usage("BASE and --base name two builds: leave out one.")
    }
    switch (executables.dropFirst().first, arguments.value(Self.headOption)) {
    case (let path?, nil): head = .executable(path)
    case (nil, let commit?): head = .commit(commit)
    case (nil, nil): head = .this
    case (.some, .some): throw .usage("HEAD and --head name two builds: leave out one.")
    }
    let size = try arguments.required(Self.sizeOption)
    historySize = size
    let chosen = try Self.subjects(arguments.all(BenchRunOptions.onlyOption), in: composition)
    subjects = chosen.filter { $0.leastHistory <= size }.map(\.name)
    leftOut = chosen.filter { $0.leastHistory > size }.map(\.name)
    if subjects.isEmpty {
      let least = chosen.map(\.leastHistory).min() ?? size
      throw .usage(
        "--size \(size): \(leftOut.joinedWithAnd) cannot be measured on so few transactions. Give "
          + "\(least.grouped) or more."
      )
    }
    launches = try arguments.required(Self.launchesOption)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    tolerance = try arguments.required(BenchBaselineOptions.toleranceOption) / 100
    json = arguments.isSet(CommonOption.json)
  }

  /// Creates options that compare a commit with the running command, with the default launches.
  init(
    base commit: String,
    subjects: [String],
    historySize: Int,
    seed: UInt64,
    tolerance: Double
  ) {
    base = .commit(commit)
    head = .this
    self.subjects = subjects
    self.historySize = historySize
    self.seed = seed
    self.tolerance = tolerance
    launches = Self.defaultLaunches
    json = false
  }

  private static func subjects(
    _ only: [String],
    in composition: Composition
  ) throws(LabError) -> [BenchmarkSubject] {
    for name in only { try composition.checkBenchmark(name) }
    let subjects = Subjects.all.filter(LaunchProbe.canCompare).filter { subject in
      only.isEmpty || only.contains { subject.name.begins(with: $0) }
    }
    guard !subjects.isEmpty else {
      throw .usage(
        "\(only.joinedWithAnd) is not measured in rounds, so that builds cannot be compared by it.",
        try: "bench list"
      )
    }
    return subjects
  }

  static let spec = VerbSpec(
    name: "bench compare",
    sentence: "Compares two builds by launching them in turn.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("BASE", "a build of history-lab").rule,
        isRequired: false,
        sentence: "The executable that is compared with."
      ),
      PositionalSpec(
        value: ValueReader.text("HEAD", "a build of history-lab").rule,
        isRequired: false,
        sentence: "The executable that is judged; without it this command."
      ),
    ],
    options: [
      baseOption.spec, headOption.spec, BenchRunOptions.onlyOption.spec, sizeOption.spec,
      launchesOption.spec, BenchBaselineOptions.toleranceOption.spec, CommonOption.seed.spec,
      CommonOption.json.spec,
    ],
    examples: [
      Example("bench compare --base main", "This command beside a build of `main`."),
      Example("bench compare old/history-lab new/history-lab", "Two builds that are there."),
      Example("bench compare --base HEAD~1 --only fetch", "The benchmarks of fetch alone."),
    ]
  )
}

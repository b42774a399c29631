/// What `stress` is asked to do.
struct StressOptions: Hashable, Sendable {
  /// How many processes write to the store.
  var processes: Int
  /// How long they write.
  var duration: Duration
  var seed: UInt64
  /// The folder in which the run gets its own folder.
  var output: String
  /// Whether the results are printed as JSON.
  var json: Bool

  static let processesOption = Option(
    "processes",
    "N",
    in: 1...64,
    default: 3,
    "How many processes share the store; each writes, and follows what the others write."
  )
  static let minutes = Option(
    "minutes",
    CheckOptions.minutes.reader,
    defaultText: "1",
    "Writes for M minutes; fractions are allowed."
  )
  static let seconds = Option(
    "seconds",
    .decimal("S", 0.1...604_800),
    "Writes for S seconds instead."
  )

  /// - Throws: a usage error if a folder cannot be used.
  init(_ arguments: ParsedArguments, in composition: Composition) throws(LabError) {
    processes = try arguments.required(Self.processesOption)
    let minutes = arguments.value(Self.minutes) ?? 1
    duration = .seconds(arguments.value(Self.seconds) ?? minutes * 60)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
    json = arguments.isSet(CommonOption.json)
  }
}

extension StressOptions {
  static let spec = VerbSpec(
    name: "stress",
    sentence: "Lets real processes write to one store file, each with a tracker of ours.",
    options: [
      processesOption.spec, minutes.spec, seconds.spec, CommonOption.seed.spec,
      CommonOption.output.spec, CommonOption.json.spec,
    ],
    exclusive: [["minutes", "seconds"]],
    examples: [
      Example("stress", "Three processes on one store file for a minute."),
      Example("stress --processes 8 --minutes 30", "More of them, and longer."),
      Example("stress --seconds 5 --seed 1 --json", "A short run, for machines."),
    ]
  )
}

/// The options of `bench selftest`.
struct BenchSelftestOptions: Hashable, Sendable {
  /// Whether to try only a tenth of the rows.
  var quick: Bool
  var seed: UInt64
  /// Whether to print the outcomes as JSON.
  var json: Bool

  static let quickFlag = Flag("quick", "Tries a tenth, in seconds.")

  init(_ arguments: ParsedArguments, in composition: Composition) {
    quick = arguments.isSet(Self.quickFlag)
    seed = arguments.value(CommonOption.seed) ?? composition.drawSeed()
    json = arguments.isSet(CommonOption.json)
  }

  static let spec = VerbSpec(
    name: "bench selftest",
    sentence: "Tests the measuring itself on costs and regressions that are known.",
    options: [quickFlag.spec, CommonOption.seed.spec, CommonOption.json.spec],
    examples: [
      Example("bench selftest", "All of it, in about a minute."),
      Example("bench selftest --quick --seed 1", "A tenth of it, the same each time."),
    ]
  )
}

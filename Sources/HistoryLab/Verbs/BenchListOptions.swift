/// The options of `bench list`.
struct BenchListOptions: Hashable, Sendable {
  var format: CatalogueFormat

  init(_ arguments: ParsedArguments) { format = CatalogueFormat(arguments) }

  static let spec = VerbSpec(
    name: "bench list",
    sentence: "Lists the benchmarks, and the conditions that --axis names.",
    options: [CommonOption.markdown.spec, CommonOption.json.spec],
    exclusive: [[CommonOption.markdown.name, CommonOption.json.name]],
    examples: [
      Example("bench list", "Their names, each with a sentence."),
      Example("bench list --json", "The same for another program to read."),
    ]
  )
}

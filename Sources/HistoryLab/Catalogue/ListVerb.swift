/// The options of `list`.
struct ListOptions: Hashable, Sendable {
  /// The kinds to list, without duplicates, in the catalogue's order.
  var kinds: [Catalogue.Kind]
  var format: CatalogueFormat

  /// The word that selects every kind.
  private static let everything = "all"

  init(_ arguments: ParsedArguments) {
    let words = arguments.positionals.flatMap { $0.split(separator: ",").map(String.init) }
    let isEverything = words.isEmpty || words.contains(Self.everything)
    kinds = Catalogue.Kind.allCases.filter { isEverything || words.contains($0.rawValue) }
    format = CatalogueFormat(arguments)
  }

  static let spec = VerbSpec(
    name: "list",
    sentence: "Lists systems, checkers, conditions, faults, metrics, benchmarks and their axes.",
    positionals: [
      PositionalSpec(
        value: ValueReader.words(
          "WHAT",
          of: Catalogue.Kind.allCases.map(\.rawValue) + [everything]
        ).rule,
        isRequired: false,
        repeats: true,
        sentence: "What to list, several with commas or blanks between (default: all): "
          + Catalogue.Kind.allCases.map(\.rawValue).joinedWithAnd + "."
      )
    ],
    options: [CommonOption.markdown.spec, CommonOption.json.spec],
    exclusive: [[CommonOption.markdown.name, CommonOption.json.name]],
    examples: [
      Example("list", "Everything."),
      Example("list systems,checkers", "What can be put under test, and what is checked."),
      Example("list conditions --markdown", "The kinds of trouble, as a table for a document."),
    ]
  )
}

/// Lists the systems, checkers, conditions and other parts of this build.
struct ListVerb: Verb {
  let options: ListOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let text = try composition.catalogue.rendered(
      options.kinds,
      as: options.format,
      width: terminal.traits.width
    )
    terminal.print(text)
    return .good
  }
}

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

/// Lists the benchmarks.
struct BenchListVerb: Verb {
  let options: BenchListOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    let text = try composition.catalogue.rendered(
      [.benchmarks, .axes],
      as: options.format,
      width: terminal.traits.width
    )
    terminal.print(text)
    return .good
  }
}

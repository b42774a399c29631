import Basics

/// Lists the systems, checkers, conditions and other parts of this build.
struct ListVerb: Verb {
  struct Options: VerbOptions {
    @Argument(
      lists: .words("WHAT", of: Catalogue.Kind.allCases.map(\.rawValue) + [everything]),
      "What to list, several with commas or blanks between (default: all): "
        + Catalogue.Kind.allCases.map(\.rawValue).joinedWithAnd + "."
    )
    private var words: [String]
    var list = FormatOptions()

    /// The argument that selects all kinds.
    private static let everything = "all"

    /// The kinds to list, in the catalogue's order, without duplicates.
    var kinds: [Catalogue.Kind] {
      let isEverything = words.isEmpty || words.contains(Self.everything)
      return Catalogue.Kind.allCases.filter { isEverything || words.contains($0.rawValue) }
    }
  }

  let options: Options
  let composition: Composition
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "list",
    sentence: "Lists systems, checkers, conditions, faults, metrics, benchmarks and their axes.",
    examples: [
      Example("list", "Everything."),
      Example("list systems,checkers", "What can be put under test, and what is checked."),
      Example("list conditions --markdown", "The kinds of faults, as a table for a document."),
    ]
  ) { ListVerb(options: $0, composition: $1, terminal: $2) }

  func run() throws(LabError) -> ExitCode {
    try composition.catalogue.show(options.kinds, as: options.list.format, on: terminal)
  }
}

/// Lists the benchmarks.
struct BenchListVerb: Verb {
  let options: FormatOptions
  let composition: Composition
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench list",
    sentence: "Lists the benchmarks, and the conditions that --axis names.",
    examples: [
      Example("bench list", "Their names, each with a sentence."),
      Example("bench list --json", "The same for another program to read."),
    ]
  ) { BenchListVerb(options: $0, composition: $1, terminal: $2) }

  func run() throws(LabError) -> ExitCode {
    try composition.catalogue.show([.benchmarks, .axes], as: options.format, on: terminal)
  }
}

extension Catalogue {
  /// Prints the entries of some kinds.
  fileprivate func show(
    _ kinds: [Kind],
    as format: CatalogueFormat,
    on terminal: Terminal
  ) throws(LabError) -> ExitCode {
    terminal.print(try rendered(kinds, as: format, width: terminal.traits.width))
    return .good
  }
}

/// The verbs of this module, for the table of all verbs of the command.
extension VerbSpec {
  /// `list`: the systems, checkers and conditions of this build.
  package static var list: VerbSpec { ListVerb.spec }
  /// `bench list`: the benchmarks of this build.
  package static var benchList: VerbSpec { BenchListVerb.spec }
}

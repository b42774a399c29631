import Basics
import Reporting

/// The systems, checkers, conditions, faults, metrics and benchmarks that the verb `list` shows.
package struct Catalogue: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case systems
    case checkers
    case conditions
    case faults
    case metrics
    case benchmarks
    /// The variations under which benchmarks are measured.
    case axes
  }

  /// One entry: a name and a sentence that describes it.
  package struct Entry: Hashable, Sendable {
    package let name: String
    package let sentence: String
    /// The evidence on whether a condition occurs in apps; `nil` unless the entry is a condition.
    package var evidence: Evidence?

    package init(_ name: String, _ sentence: String, _ evidence: Evidence? = nil) {
      self.name = name
      self.sentence = sentence
      self.evidence = evidence
    }
  }

  private var entries: [Kind: [Entry]] = [:]

  /// The entries of one kind, in the order in which they were added.
  package subscript(kind: Kind) -> [Entry] {
    get { entries[kind, default: []] }
    set { entries[kind] = newValue }
  }

  package func names(_ kind: Kind) -> [String] { self[kind].map(\.name) }
}

/// The output format of a list.
package enum CatalogueFormat: Hashable, Sendable {
  case text
  case markdown
  case json
}

/// The evidence on whether a condition that plans test, such as equal timestamps, occurs in apps.
package enum Evidence: Hashable, Sendable {
  /// The tested condition was observed in real stores; the text states where.
  case observed(String)
  /// A public source describes the tested condition; the text names or quotes the source.
  case documented(String)
  /// The tested condition was never observed; the text states which stores were examined.
  case hypothetical(String)

  /// Whether the condition is `observed`, `documented` or `hypothetical`, in one word.
  package var word: String {
    switch self {
    case .observed: "observed"
    case .documented: "documented"
    case .hypothetical: "hypothetical"
    }
  }

  /// The reason for ``word``, such as the stores in which the test condition was observed.
  package var because: String {
    switch self {
    case .observed(let text), .documented(let text), .hypothetical(let text): text
    }
  }
}

extension Catalogue {
  /// Renders the entries of some kinds in a format.
  ///
  /// - Throws: a lab error if the values cannot be written as JSON.
  package func rendered(
    _ kinds: [Kind],
    as format: CatalogueFormat,
    width: Int
  ) throws(LabError) -> String {
    switch format {
    case .text: text(kinds, width: width)
    case .markdown: markdown(kinds)
    case .json: try json(kinds)
    }
  }

  private func text(_ kinds: [Kind], width: Int) -> String {
    kinds.map { kind in
      let rows = self[kind].map { entry in
        let evidence = entry.evidence.map { " \($0.word.capitalised): \($0.because)." } ?? ""
        return (name: entry.name, sentence: entry.sentence + evidence)
      }
      let lines = rows.isEmpty ? ["none in this build"] : Columns.rows(rows, width: width)
      return ([kind.title + ":"] + lines.map { "  " + $0 }).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  private func markdown(_ kinds: [Kind]) -> String {
    kinds.map { kind in
      let entries = self[kind]
      guard !entries.isEmpty else { return "## \(kind.title)\n\nNone in this build." }
      let hasEvidence = entries.contains { $0.evidence != nil }
      let head = ["name", "description"] + (hasEvidence ? ["evidence", "source"] : [])
      let rows = entries.map { entry in
        let evidence = [entry.evidence?.word ?? "", entry.evidence?.because ?? ""]
        return ["`\(entry.name)`", entry.sentence] + (hasEvidence ? evidence : [])
      }
      let lines = ([head, head.map { _ in "---" }] + rows).map(Self.markdownRow)
      return "## \(kind.title)\n\n" + lines.joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  private static func markdownRow(_ cells: [String]) -> String {
    let escaped = cells.map { cell in
      cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
    return "| \(escaped.joined(separator: " | ")) |"
  }

  private func json(_ kinds: [Kind]) throws(LabError) -> String {
    let lists = kinds.map { kind in
      (kind.rawValue, self[kind].map(EncodedEntry.init))
    }
    return try JSONText.document(Dictionary(uniqueKeysWithValues: lists), named: "the list")
  }
}

extension Catalogue.Kind {
  /// The heading of the kind in lists.
  package var title: String { rawValue.capitalised }
}

/// An entry of the catalogue as the command `list` writes it in JSON.
private struct EncodedEntry: Encodable {
  let name: String
  let what: String
  let evidence: String?
  let because: String?

  init(_ entry: Catalogue.Entry) {
    name = entry.name
    what = entry.sentence
    evidence = entry.evidence?.word
    because = entry.evidence?.because
  }
}

/// Lists the systems, checkers, conditions and other parts of this build.
struct ListVerb: Verb {
  struct Options: VerbOptions {
    @Argument(
      lists: .words("WHAT", of: Catalogue.Kind.allCases.map(\.rawValue) + [everything]),
      "The kinds to list, separated by commas or blanks (default: all): "
        + Catalogue.Kind.allCases.map(\.rawValue).joinedWithAnd + "."
    )
    private var words: [String]
    var list = FormatOptions()

    /// The word that selects all kinds.
    private static let everything = "all"

    /// The kinds of entries to list, such as systems, in the order of ``Catalogue/Kind``.
    ///
    /// Each kind occurs only once.
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
      Example("list", "Lists everything."),
      Example("list systems,checkers", "Lists the systems that can be tested, and the checkers."),
      Example("list conditions --markdown", "Prints the conditions of plans as a Markdown table."),
    ]
  ) { ListVerb(options: $0, composition: $1, terminal: $2) }

  func run() throws(LabError) -> ExitCode {
    try composition.catalogue.show(options.kinds, as: options.list.format, on: terminal)
  }
}

struct BenchListVerb: Verb {
  let options: FormatOptions
  let composition: Composition
  let terminal: Terminal

  static let spec = VerbSpec(
    name: "bench list",
    sentence: "Lists the benchmarks, and the conditions that --axis names.",
    examples: [
      Example("bench list", "Prints the name of each benchmark and a sentence."),
      Example("bench list --json", "Prints the list as JSON."),
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

/// What `inspect` is asked to do.
struct InspectOptions: Hashable, Sendable {
  /// How the answer is written.
  enum Format: Hashable, Sendable {
    case text
    case json
    case csv
  }
  /// The store file.
  var file: String
  var format: Format
  /// Whether the history is validated instead of counted.
  var verifies: Bool

  static let verify = Flag(
    "verify",
    "Validates the history instead; the exit code is 1 if something is wrong."
  )
  static let csv = Flag("csv", "Prints the results as comma-separated values.")

  /// - Throws: a usage error if the file is not there or cannot be read.
  init(_ arguments: ParsedArguments) throws(LabError) {
    guard let file = arguments.positionals.first else {
      throw .usage("inspect needs FILE, a store file.")
    }
    try FilePath.checkReadable(file)
    self.file = file
    verifies = arguments.isSet(Self.verify)
    if arguments.isSet(CommonOption.json) {
      format = .json
    } else {
      format = arguments.isSet(Self.csv) ? .csv : .text
    }
  }

  static let spec = VerbSpec(
    name: "inspect",
    sentence: "Shows what a store's history holds: transactions, changes, authors, sizes.",
    positionals: [
      PositionalSpec(
        value: ValueReader.text("FILE", "a store file").rule,
        isRequired: true,
        sentence: "A store of ours or a real Core Data file; it is only read."
      )
    ],
    options: [verify.spec, CommonOption.json.spec, csv.spec],
    exclusive: [[CommonOption.json.name, csv.name]],
    examples: [
      Example("inspect Photos.sqlite", "Counts, authors, bytes and time span as text."),
      Example("inspect Photos.sqlite --verify", "Orphans, duplicates, gaps, order of time."),
      Example("inspect Photos.sqlite --csv", "The same for a spreadsheet."),
    ]
  )
}

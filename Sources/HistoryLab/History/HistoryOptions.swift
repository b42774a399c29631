/// The options of `history add`.
struct HistoryAddOptions: Hashable, Sendable {
  /// The folders of runs, or folders that contain them.
  var folders: [String]
  /// The path of the results database.
  var history: String

  /// Reads the options from the arguments.
  ///
  /// - Throws: a usage error if a folder does not exist, or the database cannot be written.
  init(_ arguments: ParsedArguments) throws(LabError) {
    folders = arguments.positionals
    for folder in folders where FilePath.state(of: folder) != .folder {
      throw .usage("there is no folder \(folder.quoted). Give the folder of a run.")
    }
    history = try arguments.required(CommonOption.history)
    try FilePath.checkWritableFile(history, for: "--history")
  }

  static let spec = VerbSpec(
    name: "history add",
    sentence: "Keeps the results of runs in the results' database; what is kept already stays one.",
    positionals: [
      PositionalSpec(
        value: ValueReader<String>.path("FOLDER").rule,
        isRequired: true,
        repeats: true,
        sentence: "The folder of a run, or a folder that holds such folders."
      )
    ],
    options: [CommonOption.history.spec],
    examples: [
      Example("history add Reports/latest", "The newest run."),
      Example("history add Reports/runs", "Every run that is still there."),
    ]
  )
}

/// The options of `history list`.
struct HistoryListOptions: Hashable, Sendable {
  var history: String
  /// The output format.
  var format: CatalogueFormat

  init(_ arguments: ParsedArguments) throws(LabError) {
    history = try arguments.required(CommonOption.history)
    try FilePath.checkReadable(history, for: "--history")
    format = CatalogueFormat(arguments)
  }

  static let spec = VerbSpec(
    name: "history list",
    sentence: "Lists the runs that the results' database holds.",
    options: [CommonOption.history.spec, CommonOption.markdown.spec, CommonOption.json.spec],
    exclusive: [[CommonOption.markdown.name, CommonOption.json.name]],
    examples: [
      Example("history list", "The runs, oldest first."),
      Example("history list --json", "The same for another program to read."),
    ]
  )

  /// The parent verb of both.
  static let group = VerbSpec(
    name: "history",
    sentence: "Keeps the results of runs in a database, from which trends are read.",
    examples: HistoryAddOptions.spec.examples + [spec.examples[0]],
    subverbs: [HistoryAddOptions.spec, spec]
  )
}

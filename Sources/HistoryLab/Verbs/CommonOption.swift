/// The options that several verbs share, so that they mean the same everywhere.
enum CommonOption {
  /// The default folder that contains the folders of runs.
  static let runsFolder = "Reports/runs"

  /// The default path of the results database.
  static let historyFile = "Reports/history.sqlite"

  static let seed = Option(
    "seed",
    .seed,
    defaultText: "random, and printed",
    "The number that everything random comes from; decimal, or hexadecimal after 0x."
  )
  static let output = Option(
    "output",
    .path("DIR"),
    default: runsFolder,
    defaultText: runsFolder,
    "The folder in which this run gets its own folder."
  )
  static let onDisk = Option(
    "on-disk",
    .path("FOLDER"),
    defaultText: "in memory",
    "Keeps the stores under test as real files below FOLDER."
  )
  static let history = Option(
    "history",
    .path("FILE"),
    default: historyFile,
    defaultText: "history.sqlite in Reports",
    "The results' database, in which runs are kept."
  )
  static let shard = Option(
    "shard",
    .shard,
    defaultText: "everything",
    "Does the I-th of N equal parts, which report merge joins; auto asks the machine's scheduler."
  )
  static let json = Flag("json", "Prints the results as JSON.")
  static let markdown = Flag("markdown", "Prints the results as Markdown tables.")
}

/// What `report trend` is asked to do.
struct ReportTrendOptions: Hashable, Sendable {
  /// The results' database.
  var history: String
  /// In how many of the last runs a step is news.
  var fresh: Int
  /// How the steps are shown.
  var format: CatalogueFormat

  static let freshOption = Option(
    "fresh",
    "N",
    in: 1...10_000,
    default: 5,
    "A step in the last N runs of its row is news, and the exit code tells it."
  )

  /// - Throws: a usage error if there is no database.
  init(_ arguments: ParsedArguments) throws(LabError) {
    history = try arguments.required(CommonOption.history)
    try FilePath.checkReadable(history, for: "--history")
    fresh = try arguments.required(Self.freshOption)
    format = CatalogueFormat(arguments)
  }

  static let spec = VerbSpec(
    name: "report trend",
    sentence: "Tells at which nights the costs stepped to another level.",
    options: [
      freshOption.spec, CommonOption.history.spec, CommonOption.markdown.spec,
      CommonOption.json.spec,
    ],
    exclusive: [[CommonOption.markdown.name, CommonOption.json.name]],
    examples: [
      Example("report trend", "The steps in the costs of our code, newest first."),
      Example("report trend --fresh 1", "Ends with 1 only when the last run brought a step up."),
    ]
  )
}

/// The options of `report trend`.
struct ReportTrendOptions: Hashable, Sendable {
  /// The path of the results database.
  var history: String
  /// The number of last runs in which a step counts as news.
  var fresh: Int
  /// The output format.
  var format: CatalogueFormat

  static let freshOption = Option(
    "fresh",
    "N",
    in: 1...10_000,
    default: 5,
    "A step in the last N runs of its row is news, and the exit code tells it."
  )

  /// - Throws: A usage error if the database cannot be read.
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

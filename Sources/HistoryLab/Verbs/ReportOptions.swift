/// The options of `report`.
struct ReportOptions: Hashable, Sendable {
  /// The folder that contains the folders of runs.
  var runs: String
  /// The path of the page; `nil` selects `index.html` in the newest run's folder.
  var html: String?
  /// The results database, the source of the trend; `nil` if it does not exist.
  var history: String?

  static let runsOption = Option(
    "output",
    .path("DIR"),
    default: CommonOption.runsFolder,
    defaultText: CommonOption.runsFolder,
    "The folder that holds the folders of runs."
  )
  static let htmlOption = Option(
    "html",
    .path("FILE"),
    defaultText: "index.html in the newest run's folder",
    "Where the page is written."
  )

  /// - Throws: A usage error if the folder of runs does not exist, the given database cannot be
  ///   read, or the page cannot be written.
  init(_ arguments: ParsedArguments) throws(LabError) {
    runs = try arguments.required(Self.runsOption)
    html = arguments.value(Self.htmlOption)
    switch FilePath.state(of: runs) {
    case .folder: break
    case .absent:
      throw .usage("there is no folder of runs \(runs.quoted).", try: "check")
    case .file: throw .usage("--output: \(runs.quoted) is a file, not a folder.")
    case .unreachable(let reason):
      throw .usage("--output: \(runs.quoted) cannot be reached: \(reason).")
    }
    let file = try arguments.required(CommonOption.history)
    if arguments.isGiven(CommonOption.history.name) {
      try FilePath.checkReadable(file, for: "--history")
    }
    history = FilePath.state(of: file) == .file ? file : nil
    if let html { try FilePath.checkWritableFile(html, for: "--html") }
  }

  static let spec = VerbSpec(
    name: "report",
    sentence: "Turns runs into a page that can be opened offline.",
    options: [runsOption.spec, htmlOption.spec, CommonOption.history.spec],
    examples: [
      Example("report", "The page of the newest run, in that run's folder."),
      Example("report --html lab.html", "The page in a file of your own."),
      Example("report trend", "At which nights the costs stepped to another level."),
    ],
    subverbs: [
      ReportTrendOptions.spec, ReportNightsOptions.spec, ReportExportOptions.spec,
      ReportMergeOptions.spec,
    ],
    isWhole: true
  )
}

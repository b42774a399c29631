/// The options of `report nights`.
struct ReportNightsOptions: Hashable, Sendable {
  /// The folder that contains the nights.
  var folder: String

  /// - Throws: A usage error if the folder does not exist.
  init(_ arguments: ParsedArguments) throws(LabError) {
    folder = arguments.positionals.first ?? Self.usualFolder
    guard FilePath.state(of: folder) == .folder else {
      throw .usage("there is no folder of nights \(folder.quoted). Try: scripts/nightly")
    }
  }

  private static let usualFolder = "Reports/nightly"

  static let spec = VerbSpec(
    name: "report nights",
    sentence: "Writes the index of all nights, from which each night's page is reached.",
    positionals: [
      PositionalSpec(
        value: ValueReader<String>.path("FOLDER").rule,
        isRequired: false,
        sentence: "The folder that holds the nights; default: \(usualFolder)."
      )
    ],
    examples: [
      Example("report nights", "The index of the nights that scripts/nightly ran."),
      Example("report nights /srv/nights", "The same for nights that lie elsewhere."),
    ]
  )
}

/// The options of `report merge`.
struct ReportMergeOptions: Hashable, Sendable {
  /// The folders of the parts, or folders that contain them.
  var folders: [String]
  /// The folder in which the joined run gets its own folder.
  var output: String

  /// - Throws: A usage error if a folder does not exist, or the joined run cannot be written.
  init(_ arguments: ParsedArguments) throws(LabError) {
    folders = arguments.positionals
    for folder in folders where FilePath.state(of: folder) != .folder {
      throw .usage("there is no folder \(folder.quoted). Give the folder of a part of a run.")
    }
    output = try arguments.required(CommonOption.output)
    try FilePath.checkWritableFolder(output, for: "--output")
  }

  static let spec = VerbSpec(
    name: "report merge",
    sentence: "Joins the parts of a run that was split with --shard.",
    positionals: [
      PositionalSpec(
        value: ValueReader<String>.path("FOLDER").rule,
        isRequired: true,
        repeats: true,
        sentence: "The folder of a part, or a folder that holds such folders."
      )
    ],
    options: [CommonOption.output.spec],
    examples: [
      Example("report merge parts", "Every part below the folder parts."),
      Example("report merge one two --output whole", "Two parts, into a folder of your own."),
    ]
  )
}

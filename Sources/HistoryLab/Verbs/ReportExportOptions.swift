import Measuring

/// The options of `report export`.
struct ReportExportOptions: Hashable, Sendable {
  /// The folder that contains the folders of runs.
  var runs: String
  /// The folder to write the files to; `nil` selects the newest run's folder.
  var target: String?
  var formats: [ExportFormat]

  static let formatOption = Option(
    "format",
    .text("NAME", ExportFormat.allCases.map(\.rawValue).joinedAsAlternatives),
    defaultText: "all",
    repeats: true,
    "A format to write, one of: \(ExportFormat.allCases.map(\.rawValue).joined(separator: " "))."
  )
  static let targetOption = Option(
    "to",
    .path("DIR"),
    defaultText: "the newest run's folder",
    "The folder in which the files are written."
  )

  /// - Throws: A usage error if the folder of runs does not exist, the target cannot be written, or
  ///   a format is unknown.
  init(_ arguments: ParsedArguments) throws(LabError) {
    runs = try arguments.required(ReportOptions.runsOption)
    guard FilePath.state(of: runs) == .folder else {
      throw .usage("there is no folder of runs \(runs.quoted).", try: "check")
    }
    target = arguments.value(Self.targetOption)
    if let target { try FilePath.checkWritableFolder(target, for: "--to") }
    formats = []
    for name in arguments.all(Self.formatOption).uniqued {
      guard let format = ExportFormat(rawValue: name) else {
        let known = ExportFormat.allCases.map(\.rawValue)
        throw .usage("unknown format \(name.quoted).\(NearestWord.hint(for: name, among: known))")
      }
      formats.append(format)
    }
    if formats.isEmpty { formats = ExportFormat.allCases }
  }

  static let spec = VerbSpec(
    name: "report export",
    sentence: "Writes runs in the formats that other programs read.",
    options: [formatOption.spec, targetOption.spec, ReportOptions.runsOption.spec],
    examples: [
      Example("report export", "Every format, in the newest run's folder."),
      Example("report export --format junit --to out", "Verdicts for a CI system."),
    ]
  )
}

/// A format that other programs read.
enum ExportFormat: String, CaseIterable, Sendable {
  case junit
  case bencher
  case githubAction = "github-action-benchmark"
  case csv
  case markdown
}

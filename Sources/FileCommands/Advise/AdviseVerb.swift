import Basics
package import Commands
import Foundation
import HistoryInspection
import HistoryStore
import HistoryTypes
import Reporting

struct AdviseOptions: VerbOptions {
  @Argument(.storeFile) var file: String
  @Option(
    "cursors",
    .path("FILE"),
    "Reads the positions of consumers from a property list of PersistentHistoryTrackingKit, an "
      + "archived token, or a JSON list of objects with name and one of date, token, archive or "
      + "unknown."
  )
  var cursors: String?
  @Option(
    "prefix",
    .text("TEXT", "the beginning of a key"),
    "The prefix of PersistentHistoryTrackingKit's keys in the property list."
  )
  var prefix = KitCursors.standardPrefix
  @Option(
    "design",
    .text("NAME|FILE", "a design's name, or a file ending in .json that describes one"),
    "Judges how the app tracks history: simulates a published design, or the one that a file describes, "
      + "under the conditions that the history shows."
  )
  var design: String?
  @Option(
    "writes-only",
    each: .text("AUTHOR", "an author's name"),
    "Declares that an author writes and never reads, so that it needs no position."
  )
  var writesOnly: [String]
  @Option(
    "older-than",
    .days,
    shown: "judges the history as it is",
    "Judges a regular purge of transactions more than DAYS days older than the newest one."
  )
  var olderThan: Double?
  @Option(
    "keep",
    .integer("N", 1...1_000_000_000),
    "Forecasts a purge of all but the newest N transactions."
  )
  var kept = 1000
  @Flag("measure", "Measures each purge on a new private copy of the file.")
  var measures
  @Flag(.json) var json
  @Option("html", .path("FILE"), "Writes the advice with charts as a page that needs no network.")
  var page: String?
  @Option(.jobs) var jobs: Int

  /// - Throws: A usage error if a file cannot be read or the page cannot be written.
  func validate(in composition: Composition) throws(LabError) {
    try FilePath.checkReadable(file)
    if let cursors { try FilePath.checkReadable(cursors, for: "--cursors") }
    if let design {
      if FilePath.isDesign(design) {
        try FilePath.checkReadable(design, for: "--design")
      } else {
        try composition.checkSystem(design)
      }
    }
    if let page {
      try FilePath.checkWritableFile(page, for: "--html")
      guard !Self.isSame(page, file), cursors.map({ Self.isSame(page, $0) }) != true else {
        throw .usage(
          "--html: \(page.quoted) would overwrite an input file. Choose another file for the page."
        )
      }
    }
  }

  /// Returns whether a page would overwrite a file or one of its logs.
  private static func isSame(_ page: String, _ file: String) -> Bool {
    func resolved(_ path: String) -> String {
      URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
    return ["", "-wal", "-shm", "-journal"].contains { resolved(page) == resolved(file) + $0 }
  }

  var settings: Advice.Settings {
    Advice.Settings(olderThanDays: olderThan, keptCount: kept, writesOnly: Set(writesOnly))
  }
}

extension AdviseVerb {
  static let spec = VerbSpec(
    name: "advise",
    sentence:
      "Reports what a store's history costs, which members block its purge, and what each purge would "
      + "lose.",
    examples: [
      Example("advise Photos.sqlite", "Prints what is unknown, what history costs, and a verdict."),
      Example(
        "advise App.sqlite --cursors cursors.json --older-than 7",
        "Decides whether to purge after a week; the exit code is 0 (yes), 1 (no) or 2 (unknown)."
      ),
      Example(
        "advise App.sqlite --cursors Library/Preferences/group.com.example.plist --measure",
        "Reads the dates of PersistentHistoryTrackingKit, and measures purges on a private copy."
      ),
      Example(
        "advise App.sqlite --design kit-2-readme",
        "Tests whether a design loses history under the conditions that the file shows."
      ),
    ]
  ) { AdviseVerb(options: $0, composition: $1, terminal: $2) }
}

/// Reports whether a store's history may be purged, and which changes each consumer would lose.
struct AdviseVerb: Verb {
  let options: AdviseOptions
  let composition: Composition
  let terminal: Terminal
  /// Returns the current time in seconds since 2001-01-01 UTC, to reject dates in the future.
  var now: @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate }

  func run() async throws(LabError) -> ExitCode {
    let inspector = StoreInspector(stopCheck: Interruption.stopCheck)
    let outline: HistoryOutline
    do { outline = try inspector.outline(of: options.file) } catch { throw .inspection(error) }
    guard outline.count > 0 else {
      throw .usage(
        "\(options.file.quoted) has no transaction in its history: there is nothing to purge. Pass a "
          + "store that was written with persistent history tracking on."
      )
    }
    let given = try options.cursors.map { path throws(LabError) in
      try ConsumerFile(path, prefix: options.prefix).consumers(of: outline, now: now())
    }
    var settings = options.settings
    let design = try await design(for: outline)
    settings.olderThanDays = settings.olderThanDays ?? design?.ageDays
    var advice = Advice(outline, given: given ?? [], settings)
    advice.design = design
    if options.measures { try measure(&advice, inspector) }
    let verdict = AdviceVerdict(advice)
    try report(advice, verdict)
    return verdict.exitCode
  }

  /// Runs the given design under the conditions that a history shows; `nil` without a design.
  private func design(for outline: HistoryOutline) async throws(LabError) -> DesignAdvice? {
    guard let name = options.design else { return nil }
    let conditions = SeenConditions.names(in: PastHistory(outline))
    return try await composition[DesignReader.self].read(name, conditions, options.jobs)
  }

  private func report(_ advice: Advice, _ verdict: AdviceVerdict) throws(LabError) {
    if let page = options.page {
      let html = AdvicePage(path: options.file, advice: advice, verdict: verdict).html()
      try PageFile.write(html, to: page)
    }
    if options.json {
      let document = AdviceDocument(options.file, advice, verdict)
      terminal.print(try JSONText.document(document, named: "the advice"))
    } else {
      var text = AdviceText(path: options.file, advice: advice, verdict: verdict)
      text.width = terminal.traits.columns
      terminal.print(text.text())
    }
  }

  /// Measures each purge that deletes transactions; equal purges are measured once.
  private func measure(_ advice: inout Advice, _ inspector: StoreInspector) throws(LabError) {
    let rules = advice.forecasts.map { forecast in
      PurgeRule(forecast.plan, advice.history, advice.consumers.map(\.consumer))
    }
    let bar = ProgressBar(
      WorkState("measuring", unit: "purges", total: advice.forecasts.count),
      on: terminal
    )
    defer { bar.finish() }
    var trials: [[Int64]: PurgeTrial] = [:]
    for (place, rule) in rules.enumerated() {
      bar.advance()
      guard let rule, advice.forecasts[place].transactions > 0 else { continue }
      let numbers = advice.outline.numbers.indices.filter { rule.decision(at: $0) == .deletes }
        .map { advice.outline.numbers[$0] }
      if trials[numbers] == nil {
        do throws(InspectionError) {
          trials[numbers] = try inspector.trial(of: options.file, deleting: numbers) {
            terminal.now() / .seconds(1)
          }
        } catch {
          throw .inspection(error)
        }
      }
      advice.forecasts[place].trial = trials[numbers]
    }
  }
}

extension VerbSpec {
  /// `advise`: the cost of a store file's history, and the effects of a purge on its consumers.
  package static var advise: VerbSpec { AdviseVerb.spec }
}

package import Commands
import HistoryInspection
import HistoryStore

struct InspectOptions: VerbOptions {
  enum Format: Hashable, Sendable {
    case text
    case json
    case csv
  }
  /// The question to answer about the history.
  enum Question: Hashable, Sendable {
    /// The contents of the history and, if `purging` is given, the effect of a purge up to that bound.
    case census(purging: PurgeBound?)
    /// Whether the history is valid.
    case verification
    /// The result of an SQL query.
    case query(String)
  }

  @Argument(.storeFile) var file: String
  @Option(
    "before",
    PurgeBound.reader,
    "Reports what a purge of the transactions before DATE or NUMBER would delete and free."
  )
  private var before: PurgeBound?
  @Option(
    "older-than",
    .days,
    "Like --before, for transactions more than DAYS days older than the newest one."
  )
  private var olderThan: Double?
  @Flag("verify", "Only validates the history; the exit code is 1 if something is wrong.")
  private var verify
  @Option(
    "sql",
    .text("QUERY", "an SQL query, as one argument"),
    "Only prints the result of a query, for example over history_changes: a row for each change, with "
      + "number, place, timestamp, author, context, bundle, process, entity, key, type, properties "
      + "and tombstone."
  )
  private var sql: String?
  @Flag("values", "Shows the preserved values of deleted objects, which are hidden otherwise.")
  var showsValues
  @Flag("json", "Prints the results as JSON; with --sql as JSON Lines, one object per row.")
  private var json
  @Flag("csv", "Prints the results as comma-separated values.") private var csv

  var exclusive: [[String]] {
    [
      ["json", "csv"], ["before", "older-than"], ["verify", "sql"], ["verify", "before"],
      ["verify", "older-than"], ["verify", "values"], ["sql", "before"], ["sql", "older-than"],
    ]
  }

  var format: Format { json ? .json : csv ? .csv : .text }

  var question: Question {
    if verify { return .verification }
    return sql.map { .query($0) }
      ?? .census(purging: before ?? olderThan.map { PurgeBound.days($0) })
  }

  /// - Throws: A usage error if the file cannot be read.
  func validate(in composition: Composition) throws(LabError) {
    try FilePath.checkReadable(file)
  }
}

extension InspectVerb {
  static let spec = VerbSpec(
    name: "inspect",
    sentence: "Shows what a store's history holds: transactions, changes, authors, sizes.",
    examples: [
      Example("inspect Photos.sqlite", "Prints the counts, authors, bytes and time span as text."),
      Example(
        "inspect Photos.sqlite --older-than 7",
        "Estimates the effect of a purge of history "
          + "older than a week."
      ),
      Example("inspect Photos.sqlite --verify", "Checks for orphans, duplicates and gaps."),
      Example(
        #"inspect Photos.sqlite --sql "SELECT author, count(*), "#
          + #"datetime(max(timestamp), 'unixepoch', '31 years') FROM history_changes GROUP BY 1""#,
        "Counts each author's changes, with the time of the last one; times are seconds since 2001."
      ),
    ]
  ) { (options, _, terminal) in InspectVerb(options: options, terminal: terminal) }
}

/// Shows the content of a store's history.
struct InspectVerb: Verb {
  let options: InspectOptions
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    switch options.question {
    case .census(let bound): try showCensus(purging: bound)
    case .verification: try verify()
    case .query(let sql): try answer(sql)
    }
  }

  private func showCensus(purging bound: PurgeBound?) throws(LabError) -> ExitCode {
    let census: HistoryCensus
    do throws(InspectionError) {
      let inspector = StoreInspector(stopCheck: Interruption.stopCheck)
      census = try inspector.census(of: options.file, purging: bound)
    } catch {
      throw .inspection(error)
    }
    var rendering = InspectRendering(path: options.file, census: census)
    rendering.width = terminal.traits.columns
    if options.showsValues {
      do throws(HistoryError) {
        rendering.tombstones = try TombstoneSample.newest(in: options.file)
      } catch {
        throw .store(error, naming: options.file)
      }
    }
    let text =
      switch options.format {
      case .text: rendering.text()
      case .json: try rendering.json()
      case .csv: rendering.csv()
      }
    terminal.print(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    return .good
  }

  private func verify() throws(LabError) -> ExitCode {
    let findings: [HistoryFinding]
    do throws(HistoryError) {
      findings = try Store(reading: options.file, stopCheck: Interruption.stopCheck).verify()
    } catch {
      throw .store(error, naming: options.file)
    }
    let rendering = VerificationRendering(path: options.file, findings: findings)
    switch options.format {
    case .text:
      let lines = rendering.text().split(separator: "\n").map(String.init)
      for line in lines.flatMap({ Columns.fit($0, width: terminal.traits.columns) }) {
        terminal.print(line)
      }
    case .json: terminal.print(rendering.json())
    case .csv: terminal.print(rendering.csv())
    }
    return rendering.isWrong ? .violation : .good
  }

  private func answer(_ sql: String) throws(LabError) -> ExitCode {
    var rendering = QueryRendering(options.format, print: terminal.print)
    let hides: Bool
    do throws(HistoryError) {
      hides = try Store(reading: options.file, stopCheck: Interruption.stopCheck).query(
        sql,
        showsTombstones: options.showsValues,
        columns: { rendering.begin($0) },
        row: { row in
          if Interruption.isRequested { throw Interrupted() }
          try rendering.add(row)
        }
      )
    } catch {
      throw .store(error, naming: options.file)
    }
    rendering.end()
    if hides { terminal.log("Values of deleted objects are shown as null; --values shows them.") }
    return .good
  }
}

extension VerbSpec {
  /// `inspect`: the counts and the outline of a store file's history.
  package static var inspect: VerbSpec { InspectVerb.spec }
}

import Basics
import Commands
import Foundation
import HistoryTypes
import PropertyTesting
import Reporting
import Stressing
import Systems
import Traces

struct StressOptions: VerbOptions {
  @Option(
    "processes",
    .integer("N", 2...48),
    "Starts N processes on one store; each writes, and merges the writes of the others."
  )
  var processes = 3
  @Option("minutes", .minutes, "Writes for M minutes; fractions are allowed.")
  private var minutes = 1.0
  @Option(
    "seconds",
    .decimal("S", secondsMin...604_800),
    "Writes for S seconds, instead of --minutes."
  )
  private var seconds: Double?
  @Option(
    "kills-per-second",
    .decimal("R", 0...20),
    "Kills R processes per second, and stops and replaces others in proportion; 0 disables all."
  )
  var killsPerSecond = 1.0
  @Option(
    "rate",
    .decimal("R", 0...100_000),
    "Writes R transactions per second in each process; 0 means as many as possible."
  )
  var rate = 25.0
  /// The seeded bug to run with, without the prefix `mutant/`; `nil` for none.
  @Option(
    "mutant",
    .text("NAME", "the name of a seeded bug"),
    "Runs the processes with a seeded bug, which the checks must find."
  )
  var mutant: String?
  @Option(
    "disk",
    .choice("KIND"),
    shown: "sound",
    "Repeatedly fills the store's disk (full), or makes its file calls fail (failing)."
  )
  var disk: StressDisk?
  @Flag(
    "plain-sql",
    "Also lets a Python script write to the file with plain SQL, without the library; needs python3."
  )
  var hasPlainSQL
  @Option(.seed) var seed: UInt64
  @Option(.shard) private var shardChoice: ShardChoice?
  @Option(.output) var output: String
  @Flag(.json) var json
  /// The part of the run that this process performs; `nil` for the whole run.
  ///
  /// A run of N parts divides its time equally. Each part has a seed of its own.
  private(set) var shard: Shard?

  /// The minimum writing time of a whole run or of one part, in seconds.
  private static let secondsMin = 0.1

  /// The writing time of the whole run or, with `--shard`, of its part, in seconds.
  private var secondsOfPart: Double { (seconds ?? minutes * 60) / Double(shard?.count ?? 1) }

  /// The settings of the whole run or, with `--shard`, of the part that this process performs.
  var settings: StressSettings {
    var settings = StressSettings()
    settings.processes = processes
    settings.duration = .seconds(secondsOfPart)
    settings.killsPerSecond = killsPerSecond
    settings.rate = rate
    settings.mutant = mutant
    settings.disk = disk
    settings.hasPlainSQL = hasPlainSQL
    settings.seed = shard.map { SeededGenerator.seed(seed, part: UInt64($0.index)) } ?? seed
    return settings
  }

  var exclusive: [[String]] { [["minutes", "seconds"], ["disk", "plain-sql"]] }

  /// - Throws: A usage error if a folder cannot be used, or the mutant is unknown.
  mutating func validate(in composition: Composition) throws(LabError) {
    if let name = mutant.map(Mutant.bareName) {
      let known = try composition.requiredMutants().map(\.name)
      guard known.contains(name) else {
        throw composition.unknown("mutant", name, known, try: "list systems")
      }
      mutant = name
    }
    if hasPlainSQL, !PlainSQLWriter.isAvailable {
      throw .usage(
        "--plain-sql needs python3, which is in no folder of PATH. Install it, or leave the option out."
      )
    }
    try FilePath.checkWritableFolder(output, for: "--output")
    shard = try shardChoice.shard()
    guard secondsOfPart >= Self.secondsMin else {
      throw .usage(
        "--shard: each of \(shard?.count ?? 1) parts would write for less than \(Self.secondsMin) s. Use "
          + "fewer parts, or a longer time."
      )
    }
  }
}

extension StressVerb {
  static let spec = VerbSpec(
    name: "stress",
    sentence: "Kills real processes that share one store file, and checks the events of all.",
    examples: [
      Example(
        "stress",
        "Runs three processes on one store file for a minute, and kills one each "
          + "second."
      ),
      Example(
        "stress --processes 6 --minutes 10 --plain-sql",
        "Runs more processes, and a Python script that writes to the file without the library."
      ),
      Example(
        "stress --seconds 20 --mutant record-before-merge",
        "Runs the processes with a seeded bug, which the checks must find."
      ),
      Example(
        "stress --minutes 60 --seed 1 --shard 2/20",
        "Runs the second of 20 parts for three minutes; report merge joins all parts."
      ),
    ]
  ) { StressVerb(options: $0, composition: $1, terminal: $2) }
}

/// Runs real processes on one store, kills some of them, and checks the tracker's invariants.
struct StressVerb: Verb {
  let options: StressOptions
  let composition: Composition
  let terminal: Terminal

  func run() async throws(LabError) -> ExitCode {
    guard let command = composition.command else {
      throw .lab(
        "this process is not history-lab: stress launches the executable history-lab for each "
          + "participant. Run that executable."
      )
    }
    let folder = try RunOutput(
      "stress",
      seed: options.seed,
      output: options.output,
      shard: options.shard
    )
    let scratch = try folder.makeScratch()
    let result = try stress(command, scratch, folder)
    try folder.write("stress.json", try result.json() + "\n")
    if result.verdict == "valid" || result.isInterrupted {
      try scratch.remove()
    } else {
      try scratch.keep(as: "left")
    }
    try folder.writePage()
    try folder.finish(
      verdict: result.verdict,
      because: result.because,
      isEndedEarly: result.isInterrupted
    )
    if options.json {
      terminal.print(try result.json())
    } else {
      StressText(terminal: terminal).print(result)
      folder.printPlace(on: terminal)
    }
    if result.verdict == "invalid" {
      let file = "\(folder.shownPath)/left/store/shared.store".shellQuoted
      terminal.log(
        "The files of the processes are kept; inspect them with: "
          + terminal.command.line("inspect \(file)")
      )
    }
    return switch result.verdict {
    case "valid": .good
    case "invalid": .violation
    default: .undecided
    }
  }

  private func stress(
    _ command: String,
    _ scratch: ScratchFolder,
    _ folder: RunOutput
  ) throws(LabError) -> StressResult {
    do {
      let settings = options.settings
      let stores = try scratch.makeFolder("store")
      let disk = options.disk == .full ? FullDisk(over: stores, seed: settings.seed) : nil
      let session = try StressSession(
        settings,
        command: command,
        path: stores + "/shared.store",
        traces: try scratch.makeFolder("traces"),
        disk: disk,
        isInterrupted: { Interruption.isRequested }
      )
      let work = WorkState("stress", unit: "transactions", limit: settings.duration)
      let bar = ProgressBar(work, on: terminal)
      let ran = Result { try session.run { bar.advance(by: $0, note: $1) } }
      bar.finish()
      try disk?.dissolve()
      do { try ran.get() } catch is StressSession.Interrupted { return session.interruptedResult }
      var result = session.result
      result.failures += session.failureSentences
      var checks = StressChecks(
        session.header,
        system: options.mutant.map { "mutant/\($0)" } ?? "tracker",
        versions: folder.versions
      )
      let excerpt = try checks.run(
        session.sources(session.header),
        origin: session.origin,
        into: &result
      )
      if let excerpt { try folder.write("trace-excerpt.jsonl", excerpt) }
      return result
    } catch let error as LabError {
      throw error
    } catch let error as StressError {
      throw .lab(error.description)
    } catch {
      throw .lab("the processes could not be run on a store in \(scratch.path): \(error)")
    }
  }
}

extension StressResult {
  /// Returns the result as one JSON object with sorted keys.
  func json() throws(LabError) -> String {
    try StressDocument(verdict: verdict, because: because, result: self).json()
  }
}

/// Prints the result of a stress run on a terminal.
private struct StressText {
  let terminal: Terminal

  func print(_ result: StressResult) {
    let rate = result.seconds > 0 ? Int(Double(result.committed) / result.seconds) : 0
    let mutant = result.mutant.map { " of the mutant \($0)" } ?? ""
    terminal.print(
      terminal.styled("stress", .bold)
        + ": \(result.processes.counted("process", "processes"))\(mutant), \(Int(result.committed).counted("transaction")) "
        + "in \(Int(result.seconds.rounded())) s (\(rate.grouped)/s), seed \(result.seed)"
    )
    if !result.participants.isEmpty { terminal.print(table(result)) }
    for line in lines(result) { terminal.print("  " + line) }
    let style: Style = result.verdict == "valid" ? .green : .red
    terminal.print(terminal.styled("  " + result.because.capitalised, style))
  }

  private func table(_ result: StressResult) -> ReportTable {
    var table = ReportTable(columns: [
      .text("process"), .number("launches"), .number("written"), .number("merged"),
      .number("records"), .number("purged"), .number("errors"),
    ])
    for one in result.participants {
      let errors = one.errors.values.reduce(0, +)
      let counts = [one.lives, one.written, one.merged, one.records, one.purged, errors]
      table.append([one.name] + counts.map(\.grouped))
    }
    return table
  }

  private func lines(_ result: StressResult) -> [String] {
    let counts = result.counts
    var lines: [String] = []
    if counts.kills > 0 {
      let places = StressPlace.allCases.compactMap { place in
        counts.killedAt[place.rawValue].map { "\($0.grouped) \(place.sentence)" }
      }
      let anywhere = "\(counts.killedAnywhere.grouped) anywhere"
      lines.append(
        "killed \(counts.kills.grouped): " + (places + [anywhere]).joined(separator: ", ")
      )
      lines.append(
        "stopped \(counts.stops.grouped), suspended \(counts.suspensions.grouped), restarted \(counts.restarts.grouped), joined "
          + "\(counts.joins.grouped), retired \(counts.retires.grouped)"
      )
    }
    if counts.suspensions > 0 {
      let read =
        counts.lockReadings > 0
        ? "locks were looked for in "
          + "\(counts.lockReadings.counted("suspended process", "suspended processes")), and "
          + (result.locksWhileSuspended.isEmpty
            ? "none was held" : "\(result.locksWhileSuspended.count.grouped) held locks")
        : "locks were not checked: this operating system does not list those of suspended processes"
      lines.append(read)
    }
    if let sentence = result.plainSQL?.sentence { lines.append(sentence) }
    if let disk = result.disk { lines.append(sentence(of: disk, result.filledCount)) }
    if counts.wakeUps > 0 {
      lines.append(
        "after each of \(counts.wakeUps.grouped) single commits every process made a pass, at most "
          + "\(counts.wakeUpMsMax.grouped) ms later"
      )
    }
    let atEnd = result.isInterrupted ? "" : " and \(result.heldAtEnd.grouped) at the end"
    lines.append(
      "history had \(result.heldMax.counted("transaction")) at most\(atEnd); the slowest process was "
        + "\(result.lagMax.counted("transaction")) behind"
    )
    guard !result.isInterrupted else { return lines }
    lines.append(
      "checked \(result.eventCount.counted("event")); writes that a kill interrupted: "
        + "\(result.reconciledCount.grouped) with a known outcome, \(result.openCount.grouped) without"
    )
    let held = result.checkers.filter { $0.verdict == "valid" }.map(\.checker)
    if !held.isEmpty { lines.append("held: " + held.joined(separator: ", ")) }
    return lines
  }

  /// Returns a sentence about the disk fault that the run has injected.
  private func sentence(of disk: StressDisk, _ filledCount: Int?) -> String {
    if let filledCount {
      let size = FullDisk.byteCount >> 20
      return
        "the store was on a file system of \(size) MB that was filled \(filledCount.counted("time"))"
    }
    return "the disk was \(disk.rawValue) at times, as seen from SQLite"
  }
}

import Foundation
import PersistentHistory
import Reporting
import Traces

/// The result of a stress run.
struct StressResult: Codable, Hashable, Sendable {
  /// The activity of one actor in all of its lives, counted from the joined trace.
  struct Participant: Codable, Hashable, Sendable {
    let name: String
    var lives = 0
    /// The number of transactions that the actor wrote.
    var written = 0
    /// The number of pages that the actor merged; `merged` counts their transactions.
    var merges = 0
    var merged = 0
    /// The number of times that the actor recorded its cursor.
    var records = 0
    /// The number of transactions that the actor's purges made invisible.
    var purged = 0
    /// The number of errors that reached a caller, by code.
    var errors: [String: Int] = [:]
    var firstError: String?

    init(name: String) { self.name = name }

    mutating func note(_ failure: SystemFailure) {
      errors[failure.code.rawValue, default: 0] += 1
      firstError = firstError ?? failure.message
    }
  }

  /// The seed, in hexadecimal after `0x`.
  let seed: String
  /// The seeded bug in the processes; `nil` if there was none.
  let mutant: String?
  /// The disk trouble of the run; `nil` if the disk was sound.
  let disk: StressDisk?
  /// The number of times that a real file system was filled; `nil` if the run used none.
  var filledCount: Int?
  /// The number of processes that wrote from the start.
  let processes: Int
  /// The time during which the processes wrote.
  var seconds = 0.0
  var participants: [Participant] = []
  var counts = StressCounts()
  /// The total number of committed transactions.
  var committed: Int64 = 0
  /// The number of objects at the end.
  var objectCount = 0
  /// The number of times that the store was sampled while the processes wrote.
  var sampleCount = 0
  /// The most transactions in history at a sample; `lagMax` is the most that a member was behind.
  var heldMax = 0
  var lagMax = 0
  /// The number of transactions in history at the end, after every process has merged everything.
  var heldAtEnd = 0
  /// The problem that SQLite's integrity check found; `nil` if it found none.
  var integrityProblem: String?
  /// Sentences about commits after which a running process made no pass.
  var sleepers: [String] = []
  /// Sentences about unexpected behaviour of processes.
  var troubles: [String] = []
  /// Whether the run was ended early.
  var isInterrupted = false

  /// The number of judged events of the joined trace.
  var eventCount = 0
  /// The number of writes of unknown outcome that the store decided; `openCount` counts the others.
  var settledCount = 0
  var openCount = 0
  /// The number of transactions in the store that no process reported.
  var untoldCount = 0
  /// The number of points where the intervals leave open whether a purge came too early.
  var doubtCount = 0
  var checkers: [StressChecks.Answer] = []

  /// The number of transactions that history may always hold without counting as unbounded.
  ///
  /// Above it, history may hold a quarter of all committed transactions: a process that gets no
  /// processor for a second may lag by some thousands.
  private static let heldAlways: Int64 = 10_000

  init(_ options: StressOptions) {
    seed = "0x" + String(options.seed, radix: 16)
    mutant = options.mutant
    disk = options.disk
    processes = options.processes
  }

  /// `invalid` if there is a fault, else `unknown` if the run is undecided, else `valid`.
  var verdict: String {
    if !faults.isEmpty { return "invalid" }
    return doubts.isEmpty ? "valid" : "unknown"
  }

  /// The verdict in a sentence.
  var because: String {
    if !faults.isEmpty { return faults.joined(separator: "; ") + "." }
    if !doubts.isEmpty { return doubts.joined(separator: " ") }
    return
      "all views equal the store's data, nothing was purged or lost too early, and history held "
      + "\(heldMax.grouped) of \(Int(committed).counted("transaction")) at most and "
      + "\(heldAtEnd.grouped) at the end."
  }

  /// The violated expectations, each as a clause.
  var faults: [String] {
    var faults = troubles
    faults += checkers.filter { $0.verdict == "invalid" }
      .map { "\($0.checker): \($0.because ?? "")" }
    if let integrityProblem { faults.append("the file is damaged: \(integrityProblem)") }
    faults += errorFaults
    if untoldCount > openCount {
      faults.append("the store holds \(untoldCount.counted("transaction")) that no process told of")
    }
    return faults + historyFaults
  }

  /// The errors that must not reach a caller: all except those that a faulty disk can cause.
  private var errorFaults: [String] {
    participants.compactMap { participant in
      let errors = participant.errors.filter { disk == nil || !Self.diskErrors.contains($0.key) }
      let count = errors.values.reduce(0, +)
      guard count > 0 else { return nil }
      return
        "\(participant.name) met \(count.counted("error")), first: \(participant.firstError ?? "")"
    }
  }

  private static let diskErrors: Set<String> = ["full", "io", "busy"]

  /// The number of disk errors that reached a caller.
  private var diskErrorCount: Int {
    participants.reduce(0) { sum, participant in
      sum + Self.diskErrors.reduce(0) { $0 + (participant.errors[$1] ?? 0) }
    }
  }

  private var historyFaults: [String] {
    guard !isInterrupted else { return [] }
    var faults: [String] = []
    if heldMax > max(Self.heldAlways, committed / 4) {
      faults.append(
        "history grew to \(heldMax.grouped) of \(Int(committed).counted("transaction"))"
      )
    }
    // A process that ended by itself is still a member, so that history is kept for it.
    if heldAtEnd > 1, troubles.isEmpty {
      faults.append("history still holds \(heldAtEnd.counted("transaction")) that everybody merged")
    }
    return faults
  }

  /// The reasons why the run is undecided, each as a sentence.
  private var doubts: [String] {
    if isInterrupted {
      return ["it was interrupted after \(Int(seconds.rounded())) s; nothing was checked."]
    }
    if let disk, diskErrorCount == 0 {
      return ["the disk was \(disk.rawValue), and no error reached a caller. Try a longer run."]
    }
    let unknown = checkers.filter { $0.verdict == "unknown" && StressChecks.isNeeded($0.checker) }
    return unknown.map { "\($0.checker) cannot be told: \($0.because ?? "")" }
  }

  /// Returns the result as one JSON object with sorted keys.
  func json() throws(LabError) -> String {
    struct Document: Encodable {
      let stress = StressDocument.formatVersion
      let verdict: String
      let because: String
      let kills: Int
      let result: StressResult
    }
    let document = Document(
      verdict: verdict,
      because: because,
      kills: counts.kills,
      result: self
    )
    return try JSONText.document(document, named: "the result")
  }
}

/// The counts of the disturbances in a stress run.
struct StressCounts: Codable, Hashable, Sendable {
  /// The number of processes killed at an arbitrary point.
  var killedAnywhere = 0
  /// The number of processes killed at a named place in their own code.
  var killedAt: [String: Int] = [:]
  /// The number of processes that were stopped and continued.
  var stops = 0
  /// The number of lives that followed a death.
  var restarts = 0
  /// The number of times that a guest joined; `retires` counts those that retired.
  var joins = 0
  var retires = 0
  /// The number of commits after which a pass of all other processes was awaited.
  var wakeUps = 0
  /// The longest time from such a commit until all of them had recorded it, in milliseconds.
  var wakeUpMsMax = 0

  var kills: Int { killedAnywhere + killedAt.values.reduce(0, +) }

  /// Counts a killed process.
  mutating func kill(at place: StressPlace?) {
    if let place { killedAt[place.rawValue, default: 0] += 1 } else { killedAnywhere += 1 }
  }
}

/// Prints the result of a stress run on a terminal.
struct StressText {
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
    terminal.print(terminal.styled("  " + result.because.capitalizedFirst, style))
  }

  private func table(_ result: StressResult) -> ReportTable {
    var table = ReportTable(columns: [
      .text("process"), .number("lives"), .number("written"), .number("merged"),
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
        "stopped \(counts.stops.grouped), restarted \(counts.restarts.grouped), joined "
          + "\(counts.joins.grouped), retired \(counts.retires.grouped)"
      )
    }
    if let disk = result.disk { lines.append(sentence(of: disk, result.filledCount)) }
    if counts.wakeUps > 0 {
      lines.append(
        "after each of \(counts.wakeUps.grouped) single commits everybody passed, at most "
          + "\(counts.wakeUpMsMax.grouped) ms later"
      )
    }
    let atEnd = result.isInterrupted ? "" : " and \(result.heldAtEnd.grouped) at the end"
    lines.append(
      "history held \(result.heldMax.counted("transaction")) at most\(atEnd); the slowest was "
        + "\(result.lagMax.grouped) behind"
    )
    guard !result.isInterrupted else { return lines }
    lines.append(
      "checked \(result.eventCount.counted("event")); writes cut off by a death: "
        + "\(result.settledCount.grouped) settled, \(result.openCount.grouped) not"
    )
    let held = result.checkers.filter { $0.verdict == "valid" }.map(\.checker)
    if !held.isEmpty { lines.append("held: " + held.joined(separator: ", ")) }
    return lines
  }

  /// Returns a sentence about the cause of the disk trouble.
  private func sentence(of disk: StressDisk, _ filledCount: Int?) -> String {
    if let filledCount {
      let size = FullDisk.byteCount >> 20
      return
        "the store lay on a file system of \(size) MB that was filled \(filledCount.counted("time"))"
    }
    return "the disk was \(disk.rawValue) at times, as seen from SQLite"
  }
}

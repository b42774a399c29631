import Foundation
import PersistentHistory
import Traces

/// What came of a stress run.
struct StressResult: Codable, Hashable, Sendable {
  /// What one actor did in all of its lives, as the joined trace tells it.
  struct Participant: Codable, Hashable, Sendable {
    let name: String
    var lives = 0
    /// How many transactions it wrote.
    var written = 0
    /// How many pages it merged, with how many transactions.
    var merges = 0
    var merged = 0
    /// How often it recorded its cursor.
    var records = 0
    /// How many transactions its purges made invisible.
    var purged = 0
    /// How many errors reached a caller, by their code.
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
  /// The seeded bug that the processes ran with, if any.
  let mutant: String?
  /// What the disk did, if it was not sound.
  let disk: StressDisk?
  /// How often a real file system was filled, where the disk was one.
  var filledCount: Int?
  /// How many processes wrote from the beginning.
  let processes: Int
  /// How long the processes wrote.
  var seconds = 0.0
  var participants: [Participant] = []
  var counts = StressCounts()
  /// How many transactions were committed altogether.
  var committed: Int64 = 0
  /// How many objects there are at the end.
  var objectCount = 0
  /// How often the store was looked at while the processes wrote.
  var sampleCount = 0
  /// The most transactions that history held then, and that the slowest member was behind by.
  var heldMax = 0
  var lagMax = 0
  /// How many history holds at the end, when everybody has merged everything.
  var heldAtEnd = 0
  /// What SQLite's check of the file found.
  var integrityProblem: String?
  /// Commits after which somebody made no pass.
  var sleepers: [String] = []
  /// What processes did that nobody expected.
  var troubles: [String] = []
  /// Whether it was ended early.
  var isInterrupted = false

  /// How many events the joined trace has.
  var eventCount = 0
  /// How many writes of killed processes the store has settled, and how many it has not.
  var settledCount = 0
  var openCount = 0
  /// How many transactions no process told of.
  var untoldCount = 0
  /// At how many points the intervals leave open whether a purge came too early.
  var doubtCount = 0
  var checkers: [StressChecks.Answer] = []

  /// History is bounded when it never held more than these, or a quarter of what was committed: a
  /// process that gets no processor for a second may lag by some thousands.
  private static let heldAlways: Int64 = 10_000

  init(_ options: StressOptions) {
    seed = "0x" + String(options.seed, radix: 16)
    mutant = options.mutant
    disk = options.disk
    processes = options.processes
  }

  /// `invalid` when something broke, `unknown` when it cannot be told, else `valid`.
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

  /// What is not as it must be.
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

  /// Errors that must not reach a caller: any, but for those of a disk that is at fault.
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

  /// How many errors of the disk reached a caller.
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
    // A process that is gone is still a member: history is kept for it.
    if heldAtEnd > 1, troubles.isEmpty {
      faults.append("history still holds \(heldAtEnd.counted("transaction")) that everybody merged")
    }
    return faults
  }

  /// Why nobody can tell.
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

  /// The result as one JSON object, keys sorted.
  func json() throws(LabError) -> String {
    struct Document: Encodable {
      let stress = StressDocument.formatVersion
      let verdict: String
      let because: String
      let kills: Int
      let result: StressResult
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    let document = Document(
      verdict: verdict,
      because: because,
      kills: counts.kills,
      result: self
    )
    do {
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    } catch {
      throw .lab("the result cannot be written as JSON: \(error)")
    }
  }
}

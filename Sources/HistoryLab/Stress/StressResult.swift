import Foundation

/// What came of a stress run.
struct StressResult: Codable, Hashable, Sendable {
  /// One process: its report, or what kept it from giving one.
  struct Participant: Codable, Hashable, Sendable {
    let name: String
    var report: StressReport?
    var trouble: String?
  }

  /// The seed, in hexadecimal after `0x`.
  let seed: String
  /// How long the processes wrote.
  var seconds = 0.0
  var participants: [Participant] = []
  /// What the store's data is at the end.
  var data: StressView?
  /// How many transactions were committed altogether.
  var committed: Int64 = 0
  /// How often history was looked at while the processes wrote.
  var sampleCount = 0
  /// The most transactions that history held then.
  var heldMax = 0
  /// How many it holds at the end, when everybody has merged everything.
  var heldAtEnd = 0

  /// History is bounded when it never held more than these, or a quarter of what was committed: a
  /// process that gets no processor for a second may lag by some thousands.
  private static let heldAlways: Int64 = 10_000

  var written: Int { participants.reduce(0) { $0 + ($1.report?.written ?? 0) } }

  /// `invalid` when something broke, `unknown` when somebody had nothing to do, else `valid`.
  var verdict: String {
    if !faults.isEmpty { return "invalid" }
    return idle.isEmpty ? "valid" : "unknown"
  }

  /// The verdict in a sentence.
  var because: String {
    if !faults.isEmpty { return faults.joined(separator: "; ") + "." }
    guard idle.isEmpty else {
      return "\(idle.joinedWithAnd) had nothing to write or to merge. Try a longer run."
    }
    return "all \(participants.count) views equal the store's data, history held "
      + "\(heldMax.grouped) of \(Int(committed).grouped) transactions at most and "
      + "\(heldAtEnd.grouped) at the end, and no error reached a caller."
  }

  /// What is not as it must be.
  var faults: [String] {
    var faults = participants.compactMap { participant in
      participant.trouble.map { "\(participant.name) \($0)" }
    }
    for case (let name, let report?) in participants.map({ ($0.name, $0.report) }) {
      if report.view != data { faults.append("the view of \(name) differs from the store's data") }
      let errors = report.busyErrors + report.otherErrors
      if errors > 0 {
        faults.append(
          "\(name) met \(errors) errors, \(report.busyErrors) of them a busy store, first: "
            + (report.firstError ?? "")
        )
      }
    }
    // Nothing is known of what a process wrote before it was gone.
    if participants.allSatisfy({ $0.trouble == nil }), committed != written {
      faults.append(
        "the processes wrote \(written.grouped) transactions, and the store has committed "
          + Int(committed).grouped
      )
    }
    return faults + historyFaults
  }

  private var historyFaults: [String] {
    var faults: [String] = []
    if heldMax > max(Self.heldAlways, committed / 4) {
      faults.append("history grew to \(heldMax.grouped) of \(Int(committed).grouped) transactions")
    }
    // A process that is gone is still a member: history is kept for it.
    if heldAtEnd > 1, participants.allSatisfy({ $0.trouble == nil }) {
      faults.append("history still holds \(heldAtEnd.grouped) transactions that everybody merged")
    }
    return faults
  }

  /// The processes whose run shows nothing.
  private var idle: [String] {
    participants.filter { participant in
      guard let report = participant.report else { return false }
      return report.written == 0 || (report.merged == 0 && participants.count > 1)
    }.map(\.name)
  }

  /// The result as one JSON object, keys sorted.
  func json() throws(LabError) -> String {
    struct Document: Encodable {
      let verdict: String
      let because: String
      let result: StressResult
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    let document = Document(verdict: verdict, because: because, result: self)
    do {
      return String(decoding: try encoder.encode(document), as: UTF8.self)
    } catch {
      throw .lab("the result cannot be written as JSON: \(error)")
    }
  }
}

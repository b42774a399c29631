import Basics
import Foundation
import Traces

/// A counterexample that a task found, with the key under which equal ones are counted together.
struct CampaignFailure {
  /// The system, the invariant and a hash of the canonical plan; two failures with one key are one bug.
  let key: String
  let counterexample: Counterexample
  private let text: String

  /// Reads a counterexample file.
  ///
  /// - Throws: ``CampaignError`` if the file cannot be read.
  init(file: String) throws(CampaignError) {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw .failed("\"\(file)\" cannot be read.")
    }
    text = String(decoding: data, as: UTF8.self)
    do throws(FormatError) {
      counterexample = try CounterexampleCodec.decode(text)
    } catch {
      throw .failed("\"\(file)\": \(error.description)")
    }
    let plan = CanonicalPlan(counterexample.trace.header.plan).description
    let system = counterexample.trace.header.system.map { $0.isLetter || $0.isNumber ? $0 : "-" }
    let name = String(system).prefix(40)
    key = "\(name)-\(counterexample.violation.checker)-\(Self.hash("\(String(system)) \(plan)"))"
  }

  /// Returns the hash of a text as 16 hexadecimal digits.
  private static func hash(_ text: String) -> String {
    let digits = String(text.utf8.stableHash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  fileprivate func write(to folder: String) throws(CampaignError) {
    try Files.replace("\(folder)/\(KnownFailure.file)", text: text)
  }
}

/// A bug that a campaign has found.
package struct KnownFailure: Codable, Hashable, Sendable {
  static let file = "counterexample.jsonl"

  /// The name of the failure's folder.
  package let key: String
  package let system: String
  package let invariant: String
  package let because: String
  /// The number of commands of the shortest plan.
  package let commandCount: Int
  /// Whether another process has seen the counterexample fail, too; `nil` until it was tried.
  package var isConfirmed: Bool?
  /// The names of the tasks that found it, sorted.
  package var tasks: [String] = []

  /// The path of the counterexample within the campaign's folder.
  package var path: String { "failures/\(key)/\(Self.file)" }
}

extension CampaignFolder {
  /// A failure as one task found it; each task writes a file of its own into the failure's folder.
  private struct SeenFailure: Codable {
    let task: String
    let worker: String
    let failure: KnownFailure
  }

  private func place(of key: String) -> String { "\(path)/failures/\(key)" }

  /// Returns whether no task has found a failure before.
  func isNew(_ failure: CampaignFailure) throws(CampaignError) -> Bool {
    try Files.names(in: place(of: failure.key)).isEmpty
  }

  /// Records that a task has found a failure; a second time it does nothing.
  func keep(
    _ failure: CampaignFailure,
    seenIn task: CampaignTask,
    by worker: String,
    isConfirmed: Bool?
  ) throws(CampaignError) {
    let place = place(of: failure.key)
    try Files.makeFolder(place)
    let (trace, violation) = (failure.counterexample.trace, failure.counterexample.violation)
    if try !Files.names(in: place).contains(KnownFailure.file) { try failure.write(to: place) }
    let known = KnownFailure(
      key: failure.key,
      system: trace.header.system,
      invariant: violation.checker,
      because: violation.because,
      commandCount: trace.header.plan.commands.count,
      isConfirmed: isConfirmed
    )
    let seen = SeenFailure(task: task.name, worker: worker, failure: known)
    _ = try Files.create("\(place)/seen-\(task.name).json", seen)
  }

  /// Returns all failures, the most frequent first.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  package func failures() throws(CampaignError) -> [KnownFailure] {
    var failures: [KnownFailure] = []
    for key in try Files.names(in: "\(path)/failures") {
      var known: KnownFailure?
      for name in try Files.names(in: place(of: key)) where name.hasPrefix("seen-") {
        guard let seen: SeenFailure = try Files.read("\(place(of: key))/\(name)") else { continue }
        var merged = known ?? seen.failure
        merged.isConfirmed = merged.isConfirmed ?? seen.failure.isConfirmed
        merged.tasks.append(seen.task)
        known = merged
      }
      if let known { failures.append(known) }
    }
    return failures.sorted { ($1.tasks.count, $0.key) < ($0.tasks.count, $1.key) }
  }
}

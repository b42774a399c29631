import Basics
import Foundation
import Traces

/// One counterexample that a task found.
///
/// Counterexamples with the same system, the same broken invariant and equal plans in canonical
/// form have equal keys (``FailureKey``). They count as one failure of the campaign.
struct CampaignFailure {
  let key: FailureKey
  let symptoms: [FailureSymptom]
  let counterexample: Counterexample
  /// The number of the shrunk plan; `nil` if the run's `check.json` does not list the counterexample.
  let plan: Int?
  /// The number of plans of the run that broke the invariant; 1 if the run's `check.json` has no count.
  let planCount: Int
  private let text: String

  /// Reads a counterexample file.
  ///
  /// - Throws: ``CampaignError`` if the file cannot be read.
  init(file: String) throws(CampaignError) {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw .failed("\"\(file)\" cannot be read. Check its permissions.")
    }
    text = String(decoding: data, as: UTF8.self)
    do throws(FormatError) {
      counterexample = try CounterexampleCodec.decode(text)
    } catch {
      throw .failed("\"\(file)\": \(error.description)")
    }
    let (trace, checker) = (counterexample.trace, counterexample.violation.checker)
    key = FailureKey(trace.header.plan, of: trace.header.system, breaks: checker)
    symptoms = FailureSymptom.all(of: trace, breaking: counterexample.violation)
    let place = file.split(separator: "/", omittingEmptySubsequences: false)
    let check: CheckDocument? = try Files.read(
      (place.dropLast() + ["check.json"]).joined(separator: "/")
    )
    let found = check?.systems.first { $0.system == trace.header.system }
    plan = found?.counterexamples?.first { $0.file == String(place.last ?? "") }?.foundInPlan
    planCount = max(1, found?.invariants?.first { $0.invariant == checker }?.invalid ?? 1)
  }

  fileprivate func write(to folder: String) throws(CampaignError) {
    try Files.replace("\(folder)/\(KnownFailure.file)", text: text)
  }
}

/// A failure that a campaign has found: all counterexamples with the same key.
package struct KnownFailure: Codable, Hashable, Sendable {
  static let file = "counterexample.jsonl"

  /// The name of the failure's folder.
  package let key: String
  package let system: String
  package let invariant: String
  package let because: String
  /// The number of commands of the shortest plan.
  package let commandCount: Int
  /// The symptoms of the counterexample's run, sorted; `nil` if an older version recorded the failure and
  /// the counterexample cannot be read.
  package var symptoms: [FailureSymptom]?
  /// Whether a replay of the counterexample in another process failed too.
  ///
  /// The value is `nil` if no replay ended with a verdict.
  package var isConfirmed: Bool?
  /// The names of the tasks that found the failure, sorted.
  package var tasks: [String] = []
  /// The workers that found the failure, sorted; a worker's name begins with its machine.
  package var workers: [String] = []
  /// The plans that were shrunk to the failure, as a check's seed and the plan's number, sorted.
  package var plans: [Place] = []
  /// The number of plans, in the checks that ``tasks`` ran, that broke ``invariant``.
  ///
  /// Some of these plans may have broken it because of a bug other than this failure's. A task
  /// whose run does not count such plans counts as one plan.
  package var planCount = 0

  /// A plan of a check, by the check's seed and the plan's number.
  package struct Place: Codable, Hashable, Sendable {
    package let seed: UInt64
    package let plan: Int
  }

  /// The machines of ``workers``, sorted.
  package var machines: [String] { Set(workers.map { String($0.prefix { $0 != "-" }) }).sorted() }

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

  private func seen(of key: String) throws(CampaignError) -> [SeenFailure] {
    var seen: [SeenFailure] = []
    for name in try Files.names(in: place(of: key)) where name.hasPrefix("seen-") {
      if let one: SeenFailure = try Files.read("\(place(of: key))/\(name)") { seen.append(one) }
    }
    return seen
  }

  private func place(of key: String) -> String { "\(path)/failures/\(key)" }

  /// Returns `true` until a replay of a failure's counterexample has ended with a verdict.
  func isUntried(_ failure: CampaignFailure) throws(CampaignError) -> Bool {
    try seen(of: failure.key.text).allSatisfy { $0.failure.isConfirmed == nil }
  }

  /// Records that a task has found a failure; does nothing if this is already recorded.
  func keep(
    _ failure: CampaignFailure,
    seenIn task: CampaignTask,
    by worker: String,
    isConfirmed: Bool?
  ) throws(CampaignError) {
    let place = place(of: failure.key.text)
    try Files.makeFolder(place)
    let (trace, violation) = (failure.counterexample.trace, failure.counterexample.violation)
    if try !Files.names(in: place).contains(KnownFailure.file) { try failure.write(to: place) }
    var known = KnownFailure(
      key: failure.key.text,
      system: trace.header.system,
      invariant: violation.checker,
      because: violation.because,
      commandCount: trace.header.plan.commands.count,
      symptoms: failure.symptoms,
      isConfirmed: isConfirmed
    )
    known.planCount = failure.planCount
    if let plan = failure.plan {
      known.plans = [KnownFailure.Place(seed: trace.header.plan.header.seed, plan: plan)]
    }
    let seen = SeenFailure(task: task.name, worker: worker, failure: known)
    _ = try Files.create("\(place)/seen-\(task.name).json", seen)
  }

  /// Returns all failures, the most frequent first.
  ///
  /// - Throws: ``CampaignError`` if a file cannot be read.
  package func failures() throws(CampaignError) -> [KnownFailure] {
    var failures: [KnownFailure] = []
    let found = FoundSymptoms(in: self)
    for key in try Files.names(in: "\(path)/failures") {
      let seen = try seen(of: key)
      guard var known = seen.first?.failure else { continue }
      known.symptoms = seen.lazy.compactMap(\.failure.symptoms).first ?? found.symptoms(of: known)
      known.isConfirmed = seen.lazy.compactMap(\.failure.isConfirmed).first
      known.tasks = seen.map(\.task)
      known.workers = Set(seen.map(\.worker)).sorted()
      known.plans = seen.flatMap(\.failure.plans).sorted { ($0.seed, $0.plan) < ($1.seed, $1.plan) }
      known.planCount = seen.map(\.failure.planCount).reduce(0, +)
      failures.append(known)
    }
    return failures.sorted { ($1.tasks.count, $0.key) < ($0.tasks.count, $1.key) }
  }
}

import Foundation

/// The results in a run's `check.json` that a campaign adds up.
struct CheckDocument: Decodable {
  struct System: Decodable {
    let system: String?
    let plans: Int
    let steps: Int
    let invariants: [Invariant]?
    let counterexamples: [Found]?
  }

  /// An invariant, with the number of plans that broke it.
  struct Invariant: Decodable {
    let invariant: String
    let invalid: Int
  }

  /// A counterexample's file, and the number of the plan that was shrunk to the counterexample.
  struct Found: Decodable {
    let file: String?
    let foundInPlan: Int
  }

  let systems: [System]

  /// Reads each file `check.json` in the subfolders of a folder; only runs of checks have it.
  ///
  /// - Throws: ``CampaignError`` if a document cannot be read.
  static func all(below place: String) throws(CampaignError) -> [CheckDocument] {
    var checks: [CheckDocument] = []
    let files = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    for file in files where file.hasSuffix("/check.json") {
      if let check: CheckDocument = try Files.read("\(place)/\(file)") { checks.append(check) }
    }
    return checks
  }
}

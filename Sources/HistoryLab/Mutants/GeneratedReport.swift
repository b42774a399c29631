import Foundation
import PersistentHistory
import Reporting
import Systems

/// The outcomes of the generated mutants.
struct GeneratedReport {
  struct Trial {
    let mutant: Mutant
    let outcome: GeneratedTrial.Outcome
  }

  let seed: UInt64
  let planCount: Int
  let trials: [Trial]

  private func count(_ word: String) -> Int { trials.count { $0.outcome.word == word } }

  /// The score in one sentence.
  var because: String {
    "of \(trials.count.counted("edit")), each met by \(planCount.counted("plan")), \(count("killed")) were "
      + "killed by a checker, \(count("crashed")) crashed, \(count("hung")) hung and "
      + "\(count("survived")) survived; seed 0x\(String(seed, radix: 16))."
  }

  /// Returns comma-separated values, one line per mutant.
  func csv() -> String {
    var table = ReportTable(columns: [
      .text("mutant"), .text("edit"), .text("outcome"), .text("checker"), .number("plan"),
    ])
    for trial in trials {
      var (checker, plan) = ("", "")
      if case .killed(let name, let number) = trial.outcome {
        (checker, plan) = (name, String(number))
      }
      if case .crashed(let why) = trial.outcome { checker = why }
      table.append([trial.mutant.name, trial.mutant.sentence, trial.outcome.word, checker, plan])
    }
    return table.csv()
  }

  /// Returns the report as one JSON object.
  func json() throws(LabError) -> String {
    let document = Document(
      seed: "0x" + String(seed, radix: 16),
      plans: planCount,
      because: because,
      outcomes: trials.map {
        .init(mutant: $0.mutant.name, edit: $0.mutant.sentence, outcome: $0.outcome.word)
      }
    )
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do { return String(decoding: try encoder.encode(document), as: UTF8.self) } catch {
      throw .lab("the report cannot be written as JSON: \(error)")
    }
  }

  private struct Document: Encodable {
    struct Outcome: Encodable {
      let mutant: String
      let edit: String
      let outcome: String
    }
    let seed: String
    let plans: Int
    let because: String
    let outcomes: [Outcome]
  }
}

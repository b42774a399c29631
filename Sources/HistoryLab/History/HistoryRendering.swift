import Foundation
import Reporting

/// The runs in the results database, for people and for programs.
struct HistoryRendering {
  let runs: [HistoryDatabase.RunLine]

  /// The maximum number of characters of a run's sentence in a table; JSON has the full text.
  private static let sentenceMax = 100

  /// One row for each run.
  var table: ReportTable {
    var table = ReportTable(columns: [
      .text("run"), .text("time"), .text("commit"), .text("verdict"), .number("figures"),
      .number("verdicts"), .text("because"),
    ])
    for run in runs {
      table.append([
        run.name, run.time, run.commit.map { String($0.prefix(9)) } ?? "", run.verdict,
        run.figures.grouped, run.verdicts.grouped, Self.shortened(run.because),
      ])
    }
    return table
  }

  private static func shortened(_ sentence: String) -> String {
    sentence.count > sentenceMax ? sentence.prefix(sentenceMax - 1) + "…" : sentence
  }

  /// Returns the runs as a JSON list with sorted keys.
  func json() throws(LabError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    do { return String(decoding: try encoder.encode(runs), as: UTF8.self) } catch {
      throw .lab("the runs cannot be written as JSON: \(error)")
    }
  }
}

import Basics
import Commands
import HistoryTypes
import Measuring
import Stressing

extension StressDocument {
  /// Joins the parts of a stress run.
  ///
  /// The joined run is invalid if a part is invalid. Otherwise it is unknown if a part is unknown,
  /// ended early or is missing. The reasons name the parts.
  ///
  /// - Throws: A usage error if a part's file is missing or cannot be read.
  init(joining parts: RunParts) throws(LabError) {
    let documents: [StressDocument] = try parts.documents("stress.json")
    result = StressResult(joining: documents.map(\.result), seed: parts.environment.seed)
    let verdicts = Set(documents.map(\.verdict))
    verdict =
      ["invalid", "unknown"].first(where: verdicts.contains)
      ?? (parts.gaps.isEmpty ? "valid" : "unknown")
    let reasons = zip(parts.all, documents).filter { $1.verdict != "valid" }.map {
      "Part \($0.part): \($1.because.capitalised)"
    }
    let valid =
      "In \(documents.count.counted("part")) all views equal the store's data, nothing was purged or "
      + "lost too early, and history held \(result.heldMax.counted("transaction")) at most and "
      + "\(result.heldAtEnd.grouped) at the end."
    because = ((reasons.isEmpty ? [valid] : reasons) + parts.gaps.map(\.capitalised))
      .joined(separator: " ")
  }
}

import PropertyTesting

/// The text of the issue that a run records.
struct PropertyReport {
  let result: PropertyResult
  /// The name of the test.
  let name: String
  /// The values of the failing case, if its message does not contain them.
  var values = ""
  let isReplay: Bool

  /// The text of the issue, or `nil` if the run succeeded.
  var text: String? {
    switch result.outcome {
    case .passed: nil
    case .failed: result.failure.map(failed)
    case .tooManyDiscarded:
      "\(result.counts.discarded) of \(Self.counted(result.counts.total, "case")) were discarded"
        + "\(reasons(result.statistics.rejections)); make values that fit instead of filtering them. "
        + seedNote
    case .vacuous:
      "\(result.counts.vacuous) of \(Self.counted(result.counts.total, "case")) could not have failed"
        + "\(reasons(result.statistics.vacuities)): the property is vacuous. \(seedNote)"
    case .notCovered:
      "Too few cases were what the property requires: "
        + result.statistics.missed.map(coverage).joined(separator: "; ") + ". \(seedNote)"
    case .outOfTime: result.counts.passed > 0 ? nil : "The time was over before a case passed."
    }
  }

  /// The statistics of the cases in readable form.
  var statistics: String { "\(name): \(result.statistics)" }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private var seedNote: String { "Seed: \(result.seed)." }

  private func reasons(_ counts: [String: Int]) -> String {
    let reasons = counts.keys.sorted().prefix(3)
    return reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
  }

  private func coverage(_ label: String) -> String {
    guard let required = result.statistics.coverage[label] else { return label }
    return "\(required.count) of \(required.total) were \"\(label)\", "
      + "\(required.share * 100) % are required"
  }

  private func failed(_ failure: PropertyFailure) -> String {
    let shrunk = failure.shrunk
    var lines = [headline(shrunk.ending)] + (values.isEmpty ? [] : [values]) + [shrunk.message]
    if !isReplay {
      lines.append(
        "Case \(failure.caseIndex + 1) of seed \(result.seed) failed. It was simplified "
          + Self.counted(shrunk.improvements, "time") + " in "
          + Self.counted(shrunk.evaluations, "further run") + "."
      )
    }
    lines.append("Replay: PROPERTY_REPLAY='\(failure.replayLine)' swift test --filter '\(name)'")
    return lines.joined(separator: "\n")
  }

  private func headline(_ ending: ShrinkResult.Ending) -> String {
    switch ending {
    case .fixedPoint: "The property fails, at its simplest for"
    case .flaky: "The property is flaky: it failed once, but not again for the same choices:"
    case .outOfEvaluations, .outOfTime: "The property fails (simpler cases may be left) for"
    }
  }
}

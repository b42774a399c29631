import Measuring
import PersistentHistory
import Reporting

/// Prints the differences between counts.
struct CountText {
  let terminal: Terminal

  /// The maximum number of differences printed of each kind; the others are only counted.
  private static let shown = 20

  /// Prints the differences and the verdict, and returns the exit code.
  func tell(_ counts: ExactComparison) -> ExitCode {
    list("Regression", counts.dearer)
    list("Improvement", counts.cheaper)
    guard counts.compared > 0 else {
      terminal.print("No count is in both: nothing could be compared.")
      return .undecided
    }
    let verdict =
      counts.dearer.isEmpty
      ? "none has risen" : counts.dearer.count.counted("has risen", "have risen")
    terminal.print(
      "\(counts.compared.counted("count")) compared: \(verdict), "
        + "\(counts.cheaper.count.counted("has", "have")) fallen."
    )
    if !counts.missing.isEmpty {
      terminal.print(
        counts.missing.count.counted("count is", "counts are") + " missing that the other had."
      )
    }
    return counts.dearer.isEmpty ? .good : .violation
  }

  private func list(_ kind: String, _ findings: [ExactComparison.Finding]) {
    for finding in findings.prefix(Self.shown) {
      terminal.print(terminal.styled(kind, .bold) + ": \(finding.sentence)")
    }
    let more = findings.count - Self.shown
    if more > 0 { terminal.print("\(kind)s: \(more) more") }
  }
}

/// The order in which several broken invariants are shown.
package enum FindingOrder {
  /// The invariants shown first, most harmful first: unsafe purges, then lost updates.
  private static let names = [
    "PurgeSafety", "NoLostTransaction", "Convergence", "MergeOrder", "CursorProgress",
  ]

  /// Returns the findings with the most harmful first; the others keep their order.
  package static func mostSpecificFirst<Finding>(
    _ findings: [Finding],
    by checker: (Finding) -> String
  ) -> [Finding] {
    func rank(_ finding: Finding) -> Int {
      names.firstIndex(of: checker(finding)) ?? names.count
    }
    return findings.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }.map(\.element)
  }
}

/// Which of several broken invariants tells a person most.
enum FindingOrder {
  /// What was lost matters most: purges first, then lost updates, then the rest.
  private static let names = [
    "PurgeSafety", "NoLostTransaction", "Convergence", "MergeOrder", "CursorProgress",
  ]

  /// The findings, what tells most first, the others as they came.
  static func tellingFirst<Finding>(
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

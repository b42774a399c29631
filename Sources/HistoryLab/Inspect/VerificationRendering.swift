import HistoryStore

/// Shows what a validation of a history found.
struct VerificationRendering {
  /// The path as it was given.
  let path: String
  let findings: [HistoryFinding]

  /// Whether anything is wrong.
  var isWrong: Bool { findings.contains(where: \.isWrong) }

  /// A line for each finding, and one that says how it ended.
  func text() -> String {
    let lines = findings.map { finding in
      "\(finding.isWrong ? "wrong" : "note ")  \(finding.kind.sentence(of: Int(finding.count))), "
        + "the first at #\(finding.first)"
    }
    let end = isWrong ? "\(path): the history is damaged" : "\(path): the history is sound"
    return (lines + [end]).joined(separator: "\n")
  }

  /// One object with a list.
  func json() -> String {
    let items = findings.map { finding in
      #"{"count":\#(finding.count),"first":\#(finding.first),"kind":"\#(finding.kind.rawValue)","#
        + #""wrong":\#(finding.isWrong)}"#
    }
    return #"{"findings":[\#(items.joined(separator: ","))],"sound":\#(!isWrong)}"#
  }

  /// A row for each finding.
  func csv() -> String {
    let rows = findings.map { "\($0.kind.rawValue),\($0.count),\($0.first),\($0.isWrong)" }
    return (["kind,count,first,wrong"] + rows).joined(separator: "\n")
  }
}

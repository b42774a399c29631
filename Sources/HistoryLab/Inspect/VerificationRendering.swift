import HistoryStore

/// The findings of a history validation, rendered as text, JSON or CSV.
struct VerificationRendering {
  /// The path as the user gave it.
  let path: String
  let findings: [HistoryFinding]

  /// Whether any finding means that the history is damaged.
  var isWrong: Bool { findings.contains(where: \.isWrong) }

  /// Returns one line for each finding, and a line with the result.
  func text() -> String {
    let lines = findings.map { finding in
      "\(finding.isWrong ? "wrong" : "note ")  \(finding.kind.sentence(of: Int(finding.count))), "
        + "the first at #\(finding.first)"
    }
    let end = isWrong ? "\(path): the history is damaged" : "\(path): the history is sound"
    return (lines + [end]).joined(separator: "\n")
  }

  /// Returns a JSON object with the list of findings and the result.
  func json() -> String {
    let items = findings.map { finding in
      #"{"count":\#(finding.count),"first":\#(finding.first),"kind":"\#(finding.kind.rawValue)","#
        + #""wrong":\#(finding.isWrong)}"#
    }
    return #"{"findings":[\#(items.joined(separator: ","))],"sound":\#(!isWrong)}"#
  }

  /// Returns a header and one row for each finding.
  func csv() -> String {
    let rows = findings.map { "\($0.kind.rawValue),\($0.count),\($0.first),\($0.isWrong)" }
    return (["kind,count,first,wrong"] + rows).joined(separator: "\n")
  }
}

import HistoryTypes
import Traces

extension AskedQuery {
  /// Returns why a purge's result does not fit the purged transactions, or `nil`.
  func fault(of lines: [String], having purged: Set<Int>) -> String? {
    guard timeline.plan.header.retention == nil, let watermark else { return nil }
    let least = watermark >= 0 ? number(watermark) : 0
    return difference(lines, ["purged \(purged.count), watermark \(least)"])
  }

  /// Returns why a purge should have purged other transactions, or `nil`.
  func fault(of purged: Set<Int>) -> String? {
    guard timeline.plan.header.retention == nil, let watermark else { return nil }
    let authors = ProtectedAuthors(TraceHeader(plan: timeline.plan, system: ""))
    let wanted = statuses.indices.filter { position in
      (!statuses[position].isPurged || purged.contains(position)) && position <= watermark
        && number(position) < head && !authors.protects(commit(position).author)
        && isBeforeBound(position, purged) && isSelected(position)
    }
    if let kept = wanted.first(where: { !purged.contains($0) }) {
      return "left \(timeline.label(kept)), which every member has merged"
    }
    if let wrong = purged.sorted().first(where: { !wanted.contains($0) }) {
      return "purged \(timeline.label(wrong)), which it was not asked for"
    }
    return nil
  }

  /// The position of the least cursor, -1 if a member has none; `nil` if it is uncertain.
  private var watermark: Int? {
    var least = statuses.count - 1
    for member in timeline.everyone {
      guard member.status.alternatives.isEmpty else { return nil }
      guard member.status.isMember, !member.status.isCutOff else { continue }
      least = min(least, member.cursor ?? -1)
    }
    return least
  }

  private func isBeforeBound(_ position: Int, _ purged: Set<Int>) -> Bool {
    // The position of this form is the time since the last purge.
    if query.form == .due { return true }
    switch query.start {
    case .beginning: return true
    case .ago: return commit(position).timestamp < date ?? 0
    case .behind(let count):
      let wanted = head - Int64(count)
      // The transaction at the bound must be in history, before this purge too.
      let isHeld = statuses.indices.contains {
        number($0) == wanted && (!statuses[$0].isPurged || purged.contains($0))
      }
      return !isHeld || number(position) < wanted
    }
  }

  private func isSelected(_ position: Int) -> Bool {
    var authors: [String?] = []
    var contexts: [String?] = []
    for term in query.terms {
      switch term.subject {
      case .author(let name): authors.append(name)
      case .context(let name): contexts.append(name)
      default: break
      }
    }
    return (authors.isEmpty || authors.contains(commit(position).author))
      && (contexts.isEmpty || contexts.contains(commit(position).context))
  }
}

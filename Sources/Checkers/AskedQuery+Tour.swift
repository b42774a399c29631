import HistoryTypes
import Traces

/// The expected answers about copies of a store, tables and trackers.
extension AskedQuery {
  /// The transactions after a number, whatever the position of the request is.
  var tableLines: [String] {
    var first: Int64 = 0
    if case .behind(let count) = query.start { first = head - Int64(count) }
    return statuses.indices.filter { !statuses[$0].isPurged && number($0) > first }
      .map { QueryAnswer.line(commit($0), with: commit($0).changes) }
  }

  /// The numbers that are missing between the transactions in history.
  var gapLines: [String] {
    let numbers = statuses.indices.filter { !statuses[$0].isPurged }.map(number)
    guard let least = numbers.min(), let greatest = numbers.max() else { return [] }
    let count = Int(greatest - least) + 1 - numbers.count
    return count > 0 ? ["\(count.counted("number")) missing"] : []
  }

  /// The objects with all of their values; `nil` if several states of the data are possible.
  var copiedLines: [String]? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    let entities = timeline.plan.header.model.entities
    return objects.map { name, values in
      let attributes = entities.first { $0.name == name.entity }?.attributes ?? []
      return QueryAnswer.line(name, attributes.map { values[$0.name] ?? .null })
    }.sorted()
  }

  // MARK: A tour

  /// Returns why a tracker reported something else than it should, or `nil`.
  func tourFault(_ lines: [String]) -> String? {
    guard timeline.ledger.undecided == nil, let objects = timeline.ledger.objects else {
      return nil
    }
    let held = objects.keys.map { "has \($0)" }.sorted()
    let courses = visitStarts.map { tourLines(from: $0) + held }
    return courses.contains(lines) ? nil : difference(lines, courses[0])
  }

  /// The reports, calls and messages of a tracker that starts at a position.
  private func tourLines(from start: Int64) -> [String] {
    let positions = statuses.indices.filter { !statuses[$0].isPurged && number($0) > start }
    let numbers = positions.map(number)
    let changeCount = positions.reduce(0) { $0 + commit($1).changes.count }
    let pages = stride(from: 0, to: numbers.count, by: query.page).map {
      Array(numbers[$0..<min($0 + query.page, numbers.count)])
    }
    // A tracker without a list of authors declares all of them.
    let listed = timeline.plan.header.actors.first?.author
    let strangers = Set(positions.compactMap { commit($0).author }).filter {
      listed != nil && $0 != listed && $0 != "tourist"
        && !$0.hasPrefix("NSCloudKitMirroringDelegate.")
    }
    func message(_ level: String, _ text: String) -> String { "\(level) of tourist: \(text)" }
    return [
      "at \(start), new",
      "\(numbers.count.counted("transaction")) with \(changeCount.counted("change")) in "
        + "\(pages.count.counted("page")), through #\(head)",
      "numbers \(numbers)", "undeclared \(strangers.sorted())",
    ] + positions.flatMap(observed).sorted()
      + pages.flatMap { ["before \($0)", "merges \($0)"] }
      + strangers.map { _ in message("notice", "writes and is not among allAuthors") }
      + (pages.isEmpty ? [] : [message("debug", "pass")])
      + [
        message("info", "follows"), message("info", "stopped"),
        message("notice", "read the data again"),
      ]
  }

  /// The calls of observers for a transaction: one for each kind of change.
  private func observed(_ position: Int) -> [String] {
    var groups: [String: [String]] = [:]
    for change in commit(position).changes {
      groups["\(change.object.entity) \(change.type.word)", default: []]
        .append(change.object.description)
    }
    return groups.map { kind, names in
      let word = kind.split(separator: " ").last ?? ""
      return "#\(number(position)) \(word): \(names.sorted().joined(separator: ", "))"
    }
  }
}

import HistoryStore

/// The risks of a purge that its numbers do not show.
///
/// There are none where a purge would delete no transaction.
struct PurgeRisks: Hashable {
  /// The facts that decide whether the purge loses data and that the file does not contain.
  let notKnown: [String]
  /// The tokens that expire, or `nil` when no transaction goes.
  let expiry: String?

  /// Determines the risks of a purge of the inspected file.
  init(_ census: HistoryCensus, _ purge: PurgeEstimate) {
    guard purge.transactions > 0, let last = purge.last else {
      (notKnown, expiry) = ([], nil)
      return
    }
    let date = last.timestamp.map { " (\(InspectUnits.date($0)))" } ?? ""
    let place = "#\(last.number)\(date)"
    notKnown = census.isOurs ? Self.own(census) : Self.foreign(census, place)
    expiry =
      "Every token before \(place) expires: the next fetch after it fails"
      + (census.isOurs
        ? " and its owner must resync."
        : " with NSPersistentHistoryTokenExpiredError (134301)"
          + (census.isMirrored ? ", that of the CloudKit mirror included." : "."))
  }

  private static func own(_ census: HistoryCensus) -> [String] {
    var sentences = [
      "whether a token is kept outside of the registry. The purge waits for registered members only."
    ]
    if census.members?.contains(where: { $0.state == .active }) != true {
      sentences.append(
        "who reads this store. No active member is registered: the purge waits for none."
      )
    }
    return sentences
  }

  private static func foreign(_ census: HistoryCensus, _ place: String) -> [String] {
    let authors = census.mirrorAuthors
    let evidence =
      authors.isEmpty
      ? "the file has its tables" : "it writes as \(authors.joined(separator: ", "))"
    return [
      "whether every consumer has merged these transactions. Core Data keeps no list of consumers: "
        + "compare the token or date of each with \(place).",
      census.isMirrored
        ? "whether the CloudKit mirror has exported them (\(evidence)). Wait until its export has finished."
        : "whether a CloudKit mirror exports from this store. Nothing of it is in this history; if "
          + "there is one, wait until its export has finished.",
    ]
  }

  /// The risks as lines, most important first.
  var lines: [String] {
    guard let expiry else { return [] }
    return ["This purge can lose data. Not known:"] + notKnown.map { "  - \($0)" } + [expiry]
  }
}

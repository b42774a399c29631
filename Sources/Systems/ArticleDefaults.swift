import PersistentHistory
import Traces

/// The defaults stores in which the article's manager keeps a date for each author; they outlive every
/// process.
struct ArticleDefaults {
  /// The dates by author, in the store of the app group or in one that a single actor sees.
  private var dates: [ActorID?: [String: Date]] = [:]

  /// Which store an actor's manager was given.
  private func owner(_ actor: PlannedActor) -> ActorID? {
    actor.cursors == "own" ? actor.id : nil
  }

  /// The dates that an actor sees.
  func dates(for actor: PlannedActor) -> [String: Date] { dates[owner(actor)] ?? [:] }

  /// Keeps an author's date where an actor keeps its own.
  mutating func set(_ date: Date, of author: String, for actor: PlannedActor) {
    dates[owner(actor), default: [:]][author] = date
  }

  /// Forgets every date that an actor sees.
  mutating func removeAll(for actor: PlannedActor) { dates[owner(actor)] = nil }

  /// Adds everything to a digest.
  func digest(into hash: inout Digest) {
    for (owner, known) in dates.sorted(by: { ($0.key?.name ?? "") < ($1.key?.name ?? "") }) {
      hash.add(owner?.name ?? "")
      for (author, date) in known.sorted(by: { $0.key < $1.key }) {
        hash.add(author)
        hash.add(date.timeIntervalSinceReferenceDate)
      }
    }
  }
}

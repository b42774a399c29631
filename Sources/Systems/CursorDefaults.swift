import PersistentHistory
import Traces

/// The defaults stores in which the published systems keep a date for each author; they outlive every
/// process.
struct CursorDefaults {
  /// The dates by author, in the store of the app group or in one that a single actor sees.
  private var dates: [ActorID?: [String: Date]] = [:]

  /// The dates that are kept for an actor alone, or in the store of the app group.
  func dates(of owner: ActorID?) -> [String: Date] { dates[owner] ?? [:] }

  /// Keeps an author's date.
  mutating func set(_ date: Date, of author: String, for owner: ActorID?) {
    dates[owner, default: [:]][author] = date
  }

  /// Forgets every date of one store.
  mutating func removeAll(of owner: ActorID?) { dates[owner] = nil }

  /// Adds every date to the section of whose store it is in, or of who alone writes under its author.
  func describe(_ state: inout StateSketch) {
    for (owner, known) in dates.sorted(by: { ($0.key?.name ?? "") < ($1.key?.name ?? "") }) {
      for (author, date) in known.sorted(by: { $0.key < $1.key }) {
        if let owner {
          state.enter(owner)
          state.add(author: author)
        } else {
          state.enter(author: author)
        }
        state.add(time: date.timeIntervalSinceReferenceDate)
      }
    }
    state.enter(nil)
  }
}

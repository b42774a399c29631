import HistoryTypes
import Traces

/// The defaults stores where the published systems keep one date per author.
///
/// They outlive every process.
struct CursorDefaults {
  /// The dates by author, for each owner: an actor's own store, or `nil` for the app group's store.
  private var dates: [ActorID?: [String: Date]] = [:]

  /// Returns the dates in an actor's own store, or in the app group's store if `owner` is `nil`.
  func dates(of owner: ActorID?) -> [String: Date] { dates[owner] ?? [:] }

  /// Stores an author's date.
  mutating func set(_ date: Date, of author: String, for owner: ActorID?) {
    dates[owner, default: [:]][author] = date
  }

  /// Removes all dates of one store.
  mutating func removeAll(of owner: ActorID?) { dates[owner] = nil }

  /// Adds each date to the section of the store's owner, or else of the actor with that author.
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

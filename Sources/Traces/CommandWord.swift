/// The words of commands: the value of the key `do` in plans and wire messages.
enum CommandWord: String, CaseIterable {
  case write
  case batch
  case begin
  case commit
  case launch
  case stop
  case crash
  case retire
  case fetch
  case merge
  case record
  case pass
  case purge
  case resync
  case belated
  case query
  case consume
  case read
  case deliver
  case poll
  case view
  case data
  case history
  case clock

  /// All keys that the command accepts.
  var keys: [String] { own + ["do", "faults"] }

  private var own: [String] {
    switch self {
    case .write, .begin: ["actor", "context", "author", "changes", "policy", "tick"]
    case .batch: ["actor", "author", "op", "entity", "where", "values"]
    case .belated: ["actor", "step"]
    case .query:
      [
        "actor", "form", "behind", "ago", "filter", "any", "page", "changeLimit", "entity", "where",
        "sort",
        "changes",
      ]
    case .deliver, .poll: ["actor", "fate"]
    case .view: ["actor", "context"]
    case .consume: ["consumer"]
    case .read: ["consumer", "page", "entity", "author", "stops", "steps"]
    case .clock: ["advance"]
    case .data, .history: []
    case .commit, .launch, .stop, .crash, .retire, .fetch, .merge, .record, .pass, .purge, .resync:
      ["actor"]
    }
  }
}

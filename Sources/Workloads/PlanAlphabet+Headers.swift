import PersistentHistory
import Traces

extension PlanAlphabet {
  private static let names = ["app", "widget", "share", "sync"]

  /// Who takes part under a condition.
  static func headers(_ condition: Condition, _ count: Int) -> [PlanHeader] {
    var header = PlanHeader(model: PlanModels.plain, actors: [])
    header.actors = names.prefix(count).map { PlannedActor(ActorID($0), author: $0) }
    switch condition {
    case .lostNotification: header.drive = .signals
    case .sameAuthorTwice: if count > 1 { header.actors[1].author = names[0] }
    case .configSkew: return skewed(header)
    case .lateJoin: header.actors[count - 1].launched = false
    case .mirrorLag:
      header.consumers = ["mirror"]
      header.protectedAuthors = [PlanGenerator.mirrorAuthor]
    case .hookFailure: return hooked(header)
    case .retention: header.retention = PlannedRetention(transactions: 1)
    case .powerOff: return powerless(header)
    default: break
    }
    return [header]
  }

  /// The last actor does not merge the first one's transactions, does not know that author, or keeps its
  /// cursors where nobody else sees them.
  private static func skewed(_ header: PlanHeader) -> [PlanHeader] {
    let (first, last) = (header.actors[0], header.actors.count - 1)
    let others = header.actors.dropFirst().compactMap(\.author)
    guard last > 0, let author = first.author else { return [header] }
    var headers = [header, header, header]
    headers[0].actors[last].ignores = [author]
    headers[1].actors[last].allAuthors = others
    headers[2].actors[last].cursors = "own"
    return headers
  }

  /// Every commit waits for the disk, or none does; then a mirror remembers in a place of its own what a
  /// power-off takes back.
  private static func powerless(_ header: PlanHeader) -> [PlanHeader] {
    var headers = [header, header]
    headers[0].synchronous = .full
    headers[1].consumers = ["mirror"]
    headers[1].tokens = .own
    return headers
  }

  /// The first actor has a hook that throws at every other call, one of each kind.
  private static func hooked(_ header: PlanHeader) -> [PlanHeader] {
    PlannedHook.alternating.map { hook in
      var hooked = header
      hooked.actors[0].hooks = [hook.rawValue]
      return hooked
    }
  }
}

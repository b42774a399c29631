import PersistentHistory
import Traces

extension PlanAlphabet {
  private static let names = ["app", "widget", "share", "sync"]

  /// Returns the headers of plans under a condition.
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

  /// Returns three headers in which the last actor's configuration differs.
  ///
  /// It ignores the first actor's transactions, does not list that actor's author, or keeps its own
  /// cursors.
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

  /// Returns two headers: every commit is synced, or none is and a mirror keeps its own token.
  ///
  /// The mirror's token survives a power-off that rolls transactions back.
  private static func powerless(_ header: PlanHeader) -> [PlanHeader] {
    var headers = [header, header]
    headers[0].synchronous = .full
    headers[1].consumers = ["mirror"]
    headers[1].tokens = .own
    return headers
  }

  /// Returns one header per kind of hook that throws at every other call of the first actor.
  private static func hooked(_ header: PlanHeader) -> [PlanHeader] {
    PlannedHook.alternating.map { hook in
      var hooked = header
      hooked.actors[0].hooks = [hook.rawValue]
      return hooked
    }
  }
}

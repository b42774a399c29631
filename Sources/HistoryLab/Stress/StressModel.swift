import HistoryStore
import PersistentHistory
import Traces

/// The objects and the actors of stress runs.
enum StressModel {
  static let entity = "Item"
  /// The entity that only ``noiseAuthor`` writes.
  static let noise = "Noise"
  /// An author that writes in bursts and that one process ignores.
  static let noiseAuthor = "noise"
  static let bucketCount: Int64 = 8

  static let model = Model(unchecked: [
    Entity(
      entity,
      [
        Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
        Attribute("count", .int), Attribute("bucket", .int),
      ]
    ),
    Entity(noise, [Attribute("count", .int)]),
  ])

  /// Returns the processes that write from the start.
  static func processes(_ count: Int) -> [ActorID] { (1...count).map { ActorID("process-\($0)") } }

  /// Returns the processes that join and retire while others write.
  static func guests(_ count: Int) -> [ActorID] {
    count == 0 ? [] : (1...count).map { ActorID("guest-\($0)") }
  }

  /// Returns the plan header that describes the actors to the checkers.
  static func header(_ actors: [ActorID], seed: UInt64) -> PlanHeader {
    let noisy = actors.count > 1 ? actors[0] : nil
    let deaf = actors.count > 1 ? actors[1] : nil
    var header = PlanHeader(
      model: model,
      actors: actors.map { id in
        var actor = PlannedActor(id, author: id.name, launched: false)
        if id == deaf {
          actor.ignores = [noiseAuthor]
          actor.page = 3
        }
        return actor
      }
    )
    header.seed = seed
    if noisy != nil { header.batchAuthors = [noiseAuthor] }
    return header
  }

  /// - Throws: ``HistoryError`` if the file cannot be opened.
  static func open(
    _ path: String,
    _ configuration: StoreConfiguration = StoreConfiguration()
  ) throws(HistoryError) -> Store {
    try Store(path: path, model: model, configuration: configuration)
  }
}

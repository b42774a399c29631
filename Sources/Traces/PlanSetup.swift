package import HistoryTypes

/// A user's own configuration, for which plans are generated: actors, consumers and limits.
package struct PlanSetup: Hashable, Sendable {
  /// The entities of the store, or `nil` to generate them.
  package var model: Model?
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The authors of background contexts and batch requests; an actor that is missing here writes
  /// everything as itself.
  package var backgroundAuthors: [ActorID: String] = [:]
  /// The consumers, which have no view.
  package var consumers: [ActorID] = []
  /// The authors that only write and are not members.
  package var batchAuthors: [String] = []
  /// The authors whose transactions are never purged; a trailing `*` matches any suffix.
  package var protectedAuthors: [String] = []
  /// The limits beyond which a member is lost, or `nil` for none.
  package var retention: PlannedRetention?
  /// The trigger of passes; the default is `commands`.
  package var drive = Drive.commands
  /// The durability of commits, or `nil` to generate it.
  package var synchronous: PlannedSynchronous?

  package init(actors: [PlannedActor]) {
    self.actors = actors
  }

  /// Returns a plan's header for this configuration; `other` is used if it names no model.
  package func header(model other: Model) -> PlanHeader {
    var header = PlanHeader(model: model ?? other, actors: actors)
    header.consumers = consumers
    header.batchAuthors = batchAuthors
    header.protectedAuthors = protectedAuthors
    header.retention = retention
    header.drive = drive
    header.synchronous = synchronous ?? .normal
    return header
  }
}

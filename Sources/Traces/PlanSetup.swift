package import PersistentHistory

/// A user's own configuration: who takes part, and under which limits; plans are drawn for it.
package struct PlanSetup: Hashable, Sendable {
  /// The entities of the store, if they are not drawn.
  package var model: Model?
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The consumers without a view.
  package var consumers: [ActorID] = []
  /// Authors that only write and are no members.
  package var batchAuthors: [String] = []
  /// Authors whose transactions are never purged; a trailing `*` stands for any ending.
  package var protectedAuthors: [String] = []
  /// The limits beyond which a member is lost, if any.
  package var retention: PlannedRetention?
  /// What makes an actor pass.
  package var drive = Drive.commands
  /// When a commit waits for the disk, if it is not drawn.
  package var synchronous: PlannedSynchronous?

  package init(actors: [PlannedActor]) {
    self.actors = actors
  }

  /// The header of a plan for this configuration, on another model unless it names its own.
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

/// How long signals take in plans that signals drive, in ticks: commands of anybody.
///
/// A signal that a plan says nothing about arrives by itself, and actors look for themselves now and
/// then, so that a plan keeps its meaning when a command is taken out of it.
package enum SignalTicks {
  /// After so many ticks a signal arrives.
  package static let delivery = 4
  /// So much later one arrives that the plan says is late.
  package static let lateness = 12
  /// So often an actor that can looks for itself whether anything is new.
  package static let poll = 32
  /// An actor has passed after so many ticks if nothing came late or got lost.
  package static let bound = 16
  /// An actor has passed after so many ticks whatever became of its signals and polls.
  package static let boundAtWorst = 80
}

import Basics
import Campaigns
import Commands
import Reporting
import Simulation
import Systems
import Traces

/// The digests of the states that a plan reached after its commands.
///
/// A state consists of everything that decides how the system behaves later: the store, the contexts
/// and cursors, the running processes, the signals on their way, and the plan's header.
///
/// Equivalent states have equal digests. Two states are equivalent if they differ only in numbers,
/// times or keys that have the same order. In plans with at most three actors, two states are also
/// equivalent if an exchange of actors with equal configurations turns one state into the other.
struct ReachedStates {
  /// The digests; `nil` if the system cannot describe its states, as external programs cannot.
  private(set) var digests: Set<UInt64>? = []
  private var sketch: StateSketch
  private let equivalence: StateEquivalence
  private let origin: UInt64

  /// The maximum number of actors in plans for which exchanges of actors are tried.
  ///
  /// In these plans, states have equal digests if they differ only by an exchange of actors with
  /// equal configurations, unless the actors share an author. The limit is low because every order
  /// of the actors is hashed.
  private static let exchangedCountMax = 3

  init(_ header: PlanHeader, system: String) {
    sketch = StateSketch(header)
    equivalence = StateEquivalence(
      header,
      clipsAges: false,
      exchangesActors: header.actors.count <= Self.exchangedCountMax
    )
    origin = Self.origin(header, system: system)
  }

  /// Adds the current state of a simulator.
  mutating func add(_ simulator: Simulator) {
    guard digests != nil else { return }
    do throws(SystemFailure) {
      try simulator.describe(&sketch)
      digests?.insert(Self.digest(sketch.equivalence(equivalence), of: origin))
    } catch {
      // Other failures, such as a fault that is still active, leave out this state only.
      if error.code == .unsupported { digests = nil }
    }
  }

  /// Returns a hash of a system's name and a plan's header.
  ///
  /// The header's seed is left out, because it does not affect the states.
  static func origin(_ header: PlanHeader, system: String) -> UInt64 {
    var header = header
    header.seed = 0
    let text = PlanCodec.encode(Plan(header: header, commands: []))
    return "\(system)\n\(text)".utf8.stableHash
  }

  /// Returns the digest of a state: a hash of the state and of `origin`.
  ///
  /// `state` is a hash that is equal for equivalent states. `origin` is the hash of the system and
  /// of the plan's header that ``origin(_:system:)`` returns.
  static func digest(_ state: UInt64, of origin: UInt64) -> UInt64 {
    SplitMix64.mixed(SplitMix64.mixed(state) ^ origin)
  }
}

extension Flag {
  /// The flag that makes a verb write a sample of the states that plans reach.
  static var sampleStates: Flag {
    Flag(
      "sample-states",
      "Writes states.json, a sample of the states that one in \(PlanRecipe.readShare) random plans or an "
        + "exploration reach."
    )
  }
}

extension RunOutput {
  /// Joins samples of the states that plans reached, and writes one sample into the run's folder.
  ///
  /// Does nothing if there are no samples.
  func write(_ samples: [StateSample]) throws(LabError) {
    guard var joined = samples.first else { return }
    for sample in samples.dropFirst() { joined.add(sample) }
    try write(StateSample.file, try JSONText.document(joined, named: "the states") + "\n")
  }
}

extension StateSample: RunFile {
  package static let title = "a sample of states"
  package static let versionField = "states"
}

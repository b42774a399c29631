import Foundation
import PersistentHistory
import Traces

/// The parameters of one life of a process of a stress run.
struct StressRole: Codable, Hashable, Sendable {
  /// The actor's name.
  var name: String
  /// The names of all actors that may take part.
  var actors: [String]
  /// The number of earlier lives.
  var life: Int
  var seed: UInt64
  /// The path of the store file.
  var store: String
  /// The folder of the traces.
  var traces: String
  /// The number of transactions to write per second; 0 writes without pauses.
  var rate: Double
  /// The seeded bug to run with; `nil` for none.
  var mutant: String?
  /// The disk trouble to expect; `nil` for a sound disk.
  var disk: StressDisk?
  /// Whether the process injects the disk trouble itself; otherwise a real file system causes it.
  var makesTrouble = true

  var id: ActorID { ActorID(name) }

  var header: PlanHeader { StressModel.header(actors.map { ActorID($0) }, seed: seed) }

  /// Whether the process also writes under the author that another process ignores.
  var isNoisy: Bool { actors.count > 1 && actors.first == name }

  /// The path of the tracker's trace.
  var trackerTrace: String { "\(traces)/\(name).\(life).jsonl" }
  /// The path of the trace of the writes.
  var writerTrace: String { "\(traces)/\(name).\(life).writes.jsonl" }
  /// The path of the file with the transaction number of the write in progress.
  var numberFile: String { "\(traces)/\(name).\(life).number" }

  /// Returns the role as a command-line argument.
  func argument() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }

  init(argument: String) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(argument.utf8))
  }

  init(
    name: String,
    actors: [String],
    life: Int,
    seed: UInt64,
    store: String,
    traces: String,
    rate: Double
  ) {
    self.name = name
    self.actors = actors
    self.life = life
    self.seed = seed
    self.store = store
    self.traces = traces
    self.rate = rate
  }
}

/// The trouble of the disk that contains the store.
enum StressDisk: String, Codable, Hashable, Sendable, CaseIterable {
  /// It runs out of space for a while, repeatedly.
  case full
  /// Its calls fail from time to time.
  case failing
}

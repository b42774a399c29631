import Foundation
import PersistentHistory
import Traces

/// What one life of a process of a stress run is told at its start.
struct StressRole: Codable, Hashable, Sendable {
  /// Who it is.
  var name: String
  /// Everybody who may take part.
  var actors: [String]
  /// How many lives it had before.
  var life: Int
  var seed: UInt64
  /// The store's file.
  var store: String
  /// The folder of the traces.
  var traces: String
  /// How many transactions it writes a second; 0 is without a pause.
  var rate: Double
  /// The seeded bug that it runs with, if it is one.
  var mutant: String?
  /// What its disk does, if it is not sound.
  var disk: StressDisk?
  /// Whether it brings about itself what its disk does, rather than a file system that does it.
  var makesTrouble = true

  var id: ActorID { ActorID(name) }

  var header: PlanHeader { StressModel.header(actors.map { ActorID($0) }, seed: seed) }

  /// Whether it writes under the author whom another one ignores, too.
  var isNoisy: Bool { actors.count > 1 && actors.first == name }

  /// The trace of what its tracker does.
  var trackerTrace: String { "\(traces)/\(name).\(life).jsonl" }
  /// The trace of what it writes.
  var writerTrace: String { "\(traces)/\(name).\(life).writes.jsonl" }
  /// Where it notes the number that the write under way will have.
  var numberFile: String { "\(traces)/\(name).\(life).number" }

  /// The role as an argument.
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

/// What goes wrong with the disk that the store lies on.
enum StressDisk: String, Codable, Hashable, Sendable, CaseIterable {
  /// It has no room for a while, again and again.
  case full
  /// Its calls fail now and then.
  case failing
}

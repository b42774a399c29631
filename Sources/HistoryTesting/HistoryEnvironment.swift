public import Foundation
public import HistoryTypes
public import PropertyTesting
internal import Systems
internal import Traces

/// The surroundings of a system during one plan: members, model, time, executor and files.
///
///     init(_ environment: HistoryEnvironment) async throws {
///       executor = environment.executor
///       store = try MyStore(at: environment.folder().appending(path: "my.store"))
///     }
public struct HistoryEnvironment: Sendable {
  /// The members that the plan may launch.
  public let members: [ActorID]
  /// The entities of the objects that the plan saves.
  public let model: Model
  /// The seed of everything that the system draws at random.
  public let seed: UInt64
  /// The executor to run the system's tasks on.
  public let executor: SeededExecutor
  private let clock: PlanClock
  private let path: String

  init(_ header: PlanHeader, _ environment: SystemEnvironment, _ executor: SeededExecutor) {
    members = header.actors.map(\.id)
    model = header.model
    seed = environment.seed
    self.executor = executor
    clock = environment.clock
    path = environment.path + ".files"
  }

  /// The time of the plan, which passes only when the plan says so.
  public var now: Date { clock.date }

  /// Returns a folder for the files of this plan, which is deleted afterwards.
  ///
  /// - Throws: an error of the file system when the folder cannot be created.
  public func folder() throws -> URL {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}

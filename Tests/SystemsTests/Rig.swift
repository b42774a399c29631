import Foundation
import HistoryTypes
import TestSupport
import Traces

@testable import Systems

/// One system with a store on disk, driven command by command.
final class Rig {
  let system: any SystemUnderTest
  let clock = PlanClock()
  private let folder: TemporaryFolder
  private var log = EventLog()

  init(
    _ system: any SystemUnderTest,
    actors: [ActorID] = ["app", "widget"],
    launching: Bool = true,
    _ change: (inout PlanHeader) -> Void = { _ in }
  ) throws {
    self.system = system
    folder = try TemporaryFolder()
    var header = PlanHeader(
      model: try Self.model(),
      actors: actors.map { PlannedActor($0, author: $0.name) }
    )
    header.timestamps = system is PublishedSystem ? .wallClock : .monotone
    change(&header)
    try system.reset(header, environment)
    if launching {
      for actor in actors { try perform(.launch(actor)) }
    }
  }

  deinit { system.close() }

  private static func model() throws -> Model {
    try Model([
      Entity(
        "Item",
        [
          Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
          Attribute("count", .int),
        ]
      )
    ])
  }

  private var environment: SystemEnvironment {
    let path = folder.path("plan.store")
    return SystemEnvironment(
      path: path,
      vfs: nil,
      clock: clock,
      seed: 1,
      saveFiles: { Self.save(path) }
    )
  }

  private static func save(_ path: String) -> @Sendable () -> Void {
    let copies = ["", "-wal"].map { (path + $0, FileManager.default.contents(atPath: path + $0)) }
    return {
      for (path, content) in copies + [(path + "-shm", nil)] {
        if let content {
          _ = FileManager.default.createFile(atPath: path, contents: content)
        } else {
          unlink(path)
        }
      }
    }
  }

  /// Performs a command, and returns its events.
  @discardableResult
  func perform(_ action: Action) throws(SystemFailure) -> [EventKind] {
    let before = log.events.count
    try system.perform(action, &log)
    return log.events[before...].map(\.kind)
  }

  /// Advances the clock by a second, saves changes, and returns the events.
  @discardableResult
  func write(
    _ actor: ActorID,
    _ changes: PlannedChange...,
    context: String = "view",
    author: WriteAuthor = .own,
    after seconds: Double = 1
  ) throws(SystemFailure) -> [EventKind] {
    clock.now += seconds
    return try perform(
      .write(PlannedWrite(actor: actor, context: context, author: author, changes: changes))
    )
  }

  /// Performs a command that fails, and returns the events before the failure.
  func events(of action: Action) throws(SystemFailure) -> [EventKind] {
    let before = log.events.count
    do throws(SystemFailure) { try system.perform(action, &log) } catch {}
    return log.events[before...].map(\.kind)
  }

  /// Returns the events since a count of events, with the actors.
  func events(since count: Int) -> [Reported] {
    log.events[count...].map { .happened($0.actor, $0.kind) }
  }

  var eventCount: Int { log.events.count }

  /// Returns the result of a read.
  func objects(_ action: Action) throws -> Objects? {
    switch try perform(action).first {
    case .data(let objects), .viewed(_, let objects): objects
    default: nil
    }
  }

  /// The names of the kept transactions.
  func held() throws -> [TransactionName] {
    guard case .history(let held) = try perform(.history).first else { return [] }
    return held.map(\.name)
  }
}

/// An insert of an item.
func insert(_ key: Int64, _ title: String? = nil, _ count: Int64? = nil) -> PlannedChange {
  PlannedChange(.insert, item(key), values(title, count))
}

/// An update of an item.
func update(_ key: Int64, _ title: String? = nil, _ count: Int64? = nil) -> PlannedChange {
  PlannedChange(.update, item(key), values(title, count))
}

/// A delete of an item.
func delete(_ key: Int64) -> PlannedChange { PlannedChange(.delete, item(key)) }

func item(_ key: Int64) -> ObjectName { ObjectName("Item", key) }

func values(_ title: String?, _ count: Int64?) -> Values {
  var values: Values = [:]
  if let title { values["title"] = .string(title) }
  if let count { values["count"] = .int(count) }
  return values
}

extension [EventKind] {
  /// The transaction of the only event, if it is a commit.
  var committed: CommittedTransaction? {
    guard count == 1, case .committed(let transaction) = self[0] else { return nil }
    return transaction
  }
}

import Faults
import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Makes calls of an upgrade and of a migration to the file system fail, or the power go off there.
@Suite(.inEveryLayout) struct `Failures in a change of the model` {
  /// A change of the model, by a program that starts.
  enum Change: CaseIterable {
    case upgrade
    case migration

    var wanted: Model { self == .upgrade ? ModelVersions.second : `A migration`.wanted }

    func perform(_ configuration: StoreConfiguration) throws {
      switch self {
      case .upgrade:
        _ = try Store(path: "store", model: wanted, configuration: configuration)
      case .migration:
        _ = try Store.migrate(
          path: "store",
          to: wanted,
          configuration: configuration,
          computing: ["Item": { try $0.set(.string("\($0["count"] ?? 0)"), for: "count") }]
        )
      }
    }
  }

  private static let stride =
    ProcessInfo.processInfo.environment["FAILURE_STRIDE"].flatMap { Int($0) } ?? 5

  private func configuration(_ files: HeapFileSystem) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.vfs = files.name
    configuration.busyTimeout = .zero
    configuration.layout = LayoutTrait.layout
    configuration.memberLocks = .none
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
    return configuration
  }

  /// Creates a store with the old model and some objects.
  private func fill(_ files: HeapFileSystem) throws {
    let store = try Store(
      path: "store",
      model: ModelVersions.first,
      configuration: configuration(files)
    )
    for number in 0..<50 {
      try store.insert("Item", ["title": "t", "count": .int(Int64(number))])
    }
  }

  /// Expects the old model with its data, or the new one with its data, and returns which.
  private func isNew(_ files: HeapFileSystem, _ change: Change) throws -> Bool {
    let store = try Store(path: "store", configuration: configuration(files))
    #expect(try store.integrityProblem() == nil)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
    let isNew = store.model.version == 2
    let wanted = isNew ? change.wanted : ModelVersions.first
    #expect(wanted.differences(from: store.model).isEmpty)
    let rows = try store.rows(1)
    #expect(rows.keys.count == 50)
    if isNew && change == .migration {
      #expect(rows.column(0) == (0..<50).map { .string("\($0)") })
    }
    #expect(try store.currentToken().description.isEmpty == false)
    #expect(try store.history().count { $0.contains("model") } == (isNew ? 1 : 0))
    return isNew
  }

  @Test(arguments: Change.allCases, [FileFault.Kind.ioError, .full, .busy])
  func `A failed change leaves the old model or the new one, and can be repeated`(
    _ change: Change,
    _ kind: FileFault.Kind
  ) throws {
    let files = HeapFileSystem(seed: 1)
    try fill(files)
    let image = files.snapshot()
    var count = 0
    for k in Swift.stride(from: 1, through: 2_000, by: Self.stride) {
      files.restore(image)
      files.arm([FileFault(kind, k: k)])
      let failure = attempt(change, files)
      guard files.disarm().contains(where: { $0.failedCalls > 0 }) else { break }
      count += 1
      let isNew = try isNew(files, change)
      #expect(isNew || failure != nil, "call \(k) failed unnoticed")
      try change.perform(configuration(files))
      #expect(try self.isNew(files, change))
    }
    #expect(count > 2)
  }

  @Test(arguments: Change.allCases)
  func `A power failure leaves the old model or the new one`(_ change: Change) throws {
    var (old, new) = (0, 0)
    for seed in 0..<3 as Range<UInt64> {
      for k in Swift.stride(from: 1 + Int(seed), through: 2_000, by: Self.stride) {
        let files = HeapFileSystem(seed: seed)
        try fill(files)
        files.watchPower(.honest)
        files.arm([FileFault(.powerOff, k: k, loss: PowerLoss(seed: seed == 0 ? nil : seed))])
        _ = attempt(change, files)
        guard files.disarm().contains(where: { $0.failedCalls > 0 }) else { break }
        files.turnOn()
        if try isNew(files, change) { new += 1 } else { old += 1 }
      }
    }
    #expect(old > 5 && old + new > 10, "\(old) old, \(new) new")
    print(
      "\(old + new) power failures in \(change)s, \(LayoutTrait.layout): \(new) with the new model"
    )
  }

  private func attempt(_ change: Change, _ files: HeapFileSystem) -> (any Error)? {
    do {
      try change.perform(configuration(files))
      return nil
    } catch {
      return error
    }
  }
}

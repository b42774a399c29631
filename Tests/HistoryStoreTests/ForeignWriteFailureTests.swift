import Faults
import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Makes file system calls fail, or the power go off, while captured changes are written into history.
@Suite(.inEveryLayout) struct `Failures while captured changes become history` {
  /// The distance of the calls at which failures are tried: `FAILURE_STRIDE`, or a default.
  private static func stride(_ standard: Int) -> Int {
    ProcessInfo.processInfo.environment["FAILURE_STRIDE"].flatMap { Int($0) } ?? standard
  }

  private func configuration(_ files: HeapFileSystem) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.vfs = files.name
    configuration.busyTimeout = .zero
    configuration.layout = LayoutTrait.layout
    configuration.memberLocks = .none
    configuration.foreignWrites = .captured
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
    return configuration
  }

  private func open(_ files: HeapFileSystem) throws -> Store {
    try Store(path: "store", model: ModelVersions.first, configuration: configuration(files))
  }

  /// Creates a store with captured changes that are not in history yet.
  private func fill(_ files: HeapFileSystem) throws {
    try open(files).insert("Item", ["title": "ours"])
    var options = ConnectionOptions()
    options.vfs = files.name
    let stranger = try Connection(path: "store", options)
    for number in 0..<20 {
      try stranger.execute("INSERT INTO Tag(name) VALUES('\(number)')")
    }
    try stranger.execute("UPDATE Item SET title = 'theirs'; DELETE FROM Tag WHERE name = '7'")
  }

  /// Reads history, which takes the captured changes, and saves an object.
  private func attempt(_ files: HeapFileSystem) -> (any Error)? {
    do {
      let store = try open(files)
      _ = try store.currentToken()
      try store.insert("Item", ["title": "later"])
      return nil
    } catch {
      return error
    }
  }

  /// Expects that history contains each object of the file once, and nothing else.
  private func expectExplained(_ files: HeapFileSystem) throws {
    let store = try open(files)
    #expect(try store.integrityProblem() == nil)
    var there: [ObjectID: Int] = [:]
    for change in try store.fetch(HistoryRequest(after: nil)).changes {
      switch change.type {
      case .insert: there[change.objectID, default: 0] += 1
      case .update: #expect(there[change.objectID] == 1)
      case .delete: there[change.objectID, default: 0] -= 1
      }
    }
    #expect(there.values.allSatisfy { $0 == 0 || $0 == 1 })
    let keys = [1, 2].map { entity in
      there.filter { $0.value == 1 && $0.key.entity == entity }.map(\.key.key).sorted()
    }
    #expect(try store.rows(1).keys == keys[0])
    #expect(try store.rows(2).keys == keys[1])
    #expect(try store.verify().filter(\.isWrong).isEmpty)
  }

  @Test(arguments: [FileFault.Kind.ioError, .full, .busy])
  func `After a failed call, each change is in history once`(_ kind: FileFault.Kind) throws {
    let files = HeapFileSystem(seed: 1)
    try fill(files)
    let image = files.snapshot()
    var count = 0
    for k in Swift.stride(from: 1, through: 2_000, by: Self.stride(3)) {
      files.restore(image)
      files.arm([FileFault(kind, k: k)])
      _ = attempt(files)
      guard files.disarm().contains(where: { $0.failedCalls > 0 }) else { break }
      count += 1
      try expectExplained(files)
    }
    #expect(count > 2)
  }

  @Test func `After a power failure, each change that is left is in history once`() throws {
    var count = 0
    for seed in 0..<3 as Range<UInt64> {
      for k in Swift.stride(from: 1 + Int(seed), through: 2_000, by: Self.stride(23)) {
        let files = HeapFileSystem(seed: seed)
        files.watchPower(.honest)
        try fill(files)
        files.arm([FileFault(.powerOff, k: k, loss: PowerLoss(seed: seed == 0 ? nil : seed))])
        _ = attempt(files)
        guard files.disarm().contains(where: { $0.failedCalls > 0 }) else { break }
        files.turnOn()
        try expectExplained(files)
        count += 1
      }
    }
    #expect(count > 5)
    print("\(count) power failures while captured changes became history, \(LayoutTrait.layout)")
  }
}

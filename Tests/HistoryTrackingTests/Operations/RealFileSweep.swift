import Faults
import Foundation
import HistoryStore
import HistoryTypes
import TestSupport

/// Makes each call of the whole-file operations fail, on real files.
///
/// They name no VFS, so the lab's is the default, in a process that does nothing else.
final class RealFileSweep {
  /// An operation, and the state after its success.
  struct Request: Sendable {
    let name: String
    let perform: @Sendable (RealFileSweep) throws -> String
  }

  private let disk: RealFileSystem
  private let folder: TemporaryFolder
  private let model: Model
  /// The files of a store with three transactions, and of another one with two.
  private let files: [String: Data]
  var path: String { folder.path("one") }
  private var source: String { folder.path("other") }

  init() throws {
    // Public operations wait five seconds for a lock; here that takes no time.
    disk = RealFileSystem(isDefault: true, waits: false)
    folder = try TemporaryFolder()
    model = try Model([Entity("Item", [Attribute("title", .string)])])
    for (name, count) in [("one", 3), ("other", 2)] {
      let store = try Store(
        path: folder.path(name),
        model: model,
        configuration: Self.configuration
      )
      for _ in 0..<count { try store.insertItems([name], by: "app") }
    }
    files = try folder.contents()
  }

  private static var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.busyTimeout = .zero
    configuration.memberLocks = .none
    configuration.changePollInterval = .seconds(3600)
    return configuration
  }

  static let requests = [
    Request(name: "Store.init(reading: String)") { sweep in
      let store = try Store(reading: sweep.path)
      return "\(try store.count(HistoryRequest(after: nil)))"
    },
    Request(name: "Store.destroy(path: String)") { sweep in
      // A second attempt after the file is gone has no work left.
      guard FileManager.default.fileExists(atPath: sweep.path) else { return "destroyed" }
      try Store.destroy(path: sweep.path)
      return "destroyed"
    },
    Request(name: "Store.replace(path: String, with: String)") { sweep in
      try Store.replace(path: sweep.path, with: sweep.source)
      return "replaced"
    },
    Request(name: "Store.watch(_: (_ newest: HistoryToken) -> Void)") { sweep in
      let store = try Store(
        path: sweep.path,
        model: sweep.model,
        configuration: configuration
      )
      try store.watch { _ in }.cancel()
      return "watched"
    },
  ]

  /// Makes each call of a request fail, once or persistently, and returns the number of failures.
  ///
  /// - Throws: ``OperationSweep/Complaint`` at the first incorrect attempt.
  func failureCount(of request: Request, _ kind: FileFault.Kind, stride: Int) throws -> Int {
    try putBack()
    let calm = (try request.perform(self), try transactions())
    var count = 0
    for from in [false, true] {
      for k in Swift.stride(from: 1, through: 4_000, by: stride) {
        guard try fails(request, FileFault(kind, k: k, from: from), calm) else { break }
        count += 1
      }
    }
    return count
  }

  private func fails(
    _ request: Request,
    _ fault: FileFault,
    _ calm: (answer: String, left: Int?)
  ) throws -> Bool {
    try putBack()
    disk.arm([fault])
    var answer = Result { try request.perform(self) }
    let hasFired = disk.disarm().contains { $0.failedCalls > 0 }
    let left = try transactions()
    func complain(_ what: String) -> OperationSweep.Complaint {
      OperationSweep.Complaint(description: "\(request.name), \(fault): \(what)")
    }
    if case .failure(let error) = answer {
      guard hasFired, error is HistoryError else { throw complain("reported as \(error)") }
      guard left == 3 || left == calm.left else { throw complain("left \(left ?? -1)") }
      answer = Result { try request.perform(self) }
    }
    guard case .success(calm.answer) = answer else { throw complain("the next try: \(answer)") }
    guard try transactions() == calm.left else {
      throw complain("left \(try transactions() ?? -1)")
    }
    guard try !folder.names().contains(where: { $0.hasSuffix("-replacement") }) else {
      throw complain("a copy lies about")
    }
    return hasFired
  }

  /// Restores the initial files.
  private func putBack() throws {
    for name in try folder.names() where files[name] == nil {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
    for (name, bytes) in files { try bytes.write(to: folder.url.appendingPathComponent(name)) }
  }

  /// Returns the number of transactions in the store, or `nil` if it does not exist.
  private func transactions() throws -> Int? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let store = try Store(path: path, model: model, configuration: Self.configuration)
    return try store.count(HistoryRequest(after: nil))
  }
}

import Faults
import Foundation
import HistoryStore
import HistoryTracking
import StoreFixtures
import TestSupport
import Testing

/// Every public operation of the store, contexts and trackers, with each of its calls made to fail.
@Suite struct `Failures in public operations` {
  /// One of how many calls is made to fail; 1 makes all of them fail.
  private static let stride = ProcessInfo.processInfo.environment["FAILURE_STRIDE"].flatMap(
    Int.init
  )

  /// Returns the operations to test with a fault in a layout.
  ///
  /// The environment can request all of them. By default they are one in four, so that each
  /// operation is tested with two of the eight pairs of fault and layout.
  private static func operations(
    _ fault: OperationSweep.Fault,
    _ layout: HistoryLayout
  ) throws -> [PublicOperation] {
    guard stride == nil, fault != .memory else { return PublicOperation.all }
    let place = try #require(OperationSweep.Fault.allCases.firstIndex(of: fault))
    let layouts = try #require(HistoryLayout.allCases.firstIndex(of: layout))
    let turn = place + 2 * layouts
    return PublicOperation.all.enumerated().filter { ($0.offset + turn) % 4 == 0 }.map(\.element)
  }

  /// Makes calls of operations fail, and returns the number of failures.
  private static func sweep(
    _ fault: OperationSweep.Fault,
    _ layout: HistoryLayout,
    stride: Int
  ) throws -> Int {
    let sweep = OperationSweep(
      world: try OperationWorld(layout),
      fault: fault,
      stride: stride
    )
    var total = 0
    let operations = try operations(fault, layout)
    for operation in operations {
      let count = try sweep.failureCount(of: operation)
      guard count == 0 || !operation.isQuiet || fault == .memory else {
        throw OperationSweep.Complaint(description: "\(operation.name) is not quiet")
      }
      // A read-only operation needs no disk space and may not read the log.
      let mayNever =
        operation.isQuiet || fault == .full || fault == .shortRead
        || fault == .busy && operation.takesNoLock
      guard stride > 1 || count > 0 || mayNever else {
        throw OperationSweep.Complaint(description: "\(operation.name) never failed")
      }
      total += count
    }
    print(
      "\(total) failures (\(fault)) of \(operations.count) public operations, \(layout)"
    )
    return total
  }

  @Test(arguments: [OperationSweep.Fault.ioError, .full, .busy, .shortRead])
  func `A failure of any call is an error, the next attempt succeeds, and no data is lost`(
    _ fault: OperationSweep.Fault
  ) throws {
    let counts = try HistoryLayout.allCases.map {
      try Self.sweep(fault, $0, stride: Self.stride ?? 11)
    }
    #expect(counts.reduce(0, +) >= 15, "\(counts)")
  }

  /// In a separate process: the allocator must be installed before SQLite is used.
  @Test func `A failure of any allocation is an error, and the next attempt succeeds`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      Self.report {
        guard FailingAllocator.isInPlace else { return 0 }
        FailingAllocator.turnOffLookaside()
        return try HistoryLayout.allCases.reduce(0) {
          try $0 + Self.sweep(.memory, $1, stride: Self.stride ?? 499)
        }
      }
    }
    Self.expectFailures(in: result)
  }

  /// In a separate process: these operations name no VFS, so the lab's must be the default.
  @Test func `A failure of any call of a whole-file operation is an error`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      Self.report {
        let sweep = try RealFileSweep()
        var total = 0
        for request in RealFileSweep.requests {
          for kind in [FileFault.Kind.ioError, .full, .busy] {
            total += try sweep.failureCount(of: request, kind, stride: Self.stride ?? 7)
          }
        }
        print("\(total) failures (real files) of \(RealFileSweep.requests.count) public operations")
        return total
      }
    }
    Self.expectFailures(in: result)
  }

  /// Prints the result of a sweep for the waiting process.
  private static func report(_ sweep: () throws -> Int) {
    do {
      if try sweep() < 20 { print("complaint: too few failures") }
    } catch {
      print("complaint: \(error)")
    }
  }

  /// Prints the counts of another process, and records its complaints as issues.
  private static func expectFailures(in result: ExitTest.Result?) {
    let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n")
    for line in lines where line.contains("failures (") { print(line) }
    #expect(lines.filter { $0.contains("complaint:") } == [])
  }

  // MARK: The list of operations

  /// Operations whose failures other tests cover.
  private static let elsewhere: [String: String] = [
    "Store.init(reading: String)": "real files, below",
    "Store.destroy(path: String)": "real files, below",
    "Store.replace(path: String, with: String)": "real files, below",
    "Store.watch(_: (_ newest: HistoryToken) -> Void)": "real files, below",
    "MigratedObject.insert(_: String)": "inside a migration: MigrationFailureTests",
    "MigratedObject.set(_: Value, for: String)": "inside a migration: MigrationFailureTests",
    "KitCursors.init(propertyList: Data)": "has no file: KitCursorsTests",
    "MemberConfiguration.encode(to: any Encoder)": "has no file: ConfigurationTests",
    "RetentionLimits.encode(to: any Encoder)": "has no file: ConfigurationTests",
    "RetentionLimits.init(from: any Decoder)": "has no file: ConfigurationTests",
  ]

  @Test func `The swept operations are all public ones in the sources`() throws {
    let declared = try PublicOperations.names(
      in: ["HistoryStore", "ObjectContexts", "HistoryTracking"]
    )
    let tried = Set(PublicOperation.all.map(\.name)).union(Self.elsewhere.keys)
    #expect(declared.subtracting(tried).sorted() == [], "not tried")
    #expect(tried.subtracting(declared).sorted() == [], "not declared")
    #expect(declared.count > 70)
  }

  @Test func `A declaration is parsed with its type, its name and its required parameters`() {
    let source = """
      extension Store {
        public static func make<Result: Sendable>(
          _ body: @escaping @Sendable (Int) throws(Failure) -> [String: Result],
          count: Int = 3,
          for key: some Sequence<(Int, Int)>
        ) async throws(Failure) -> Result where Result: Hashable {
          public func inner() {}
        }
        func hidden() throws {}
        public var text: String { "" }
      }
      public actor Tracker: Sendable {
        public init(_ body: () throws -> Void) {
        }
        public convenience init(path: String) throws { }
      }
      """
    #expect(
      PublicOperations.names(in: source) == [
        "Store.make(_: (Int) throws(Failure) -> [String: Result], for: some Sequence<(Int, Int)>)",
        "Tracker.init(path: String)",
      ]
    )
  }
}

import Basics
package import HistoryStore
package import HistoryTypes
package import ObjectContexts
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores on disk that have the model and configuration of the plan's store.
protocol DiskStores {
  var store: Store { get }
  /// The history layout of the stores: the library's own, `packed`, or that of Core Data.
  var layout: HistoryLayout { get }
  /// The expectations that the stores have not met so far, one line each.
  var faults: FailedExpectations { get }
}

/// The expectations that a series of checks has found unmet, one line each.
final class FailedExpectations {
  private(set) var lines: [String] = []

  func append(_ line: String) { lines.append(line) }
}

/// A script that creates stores on disk and checks them, in a folder apart from the plan's store.
protocol DiskScript: DiskStores {
  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError)
}

/// A source of random numbers for a ``DiskScript``; equal seeds give equal numbers.
final class ScriptRandom: Sendable {
  /// The history layout of the checked stores: Core Data's for every third seed, else `packed`.
  ///
  /// The layout `packed` is the library's own: it packs the changes of a transaction into blobs.
  let layout: HistoryLayout
  private let random: Mutex<SplitMix64>

  init(_ seed: Int) {
    random = Mutex(SplitMix64(seed: UInt64(truncatingIfNeeded: seed)))
    layout = seed.isMultiple(of: 3) ? .coreData : .packed
  }

  /// Returns a random number from 0 to `count - 1`.
  func draw(_ count: Int) -> Int {
    Int(random.withLock { $0.next() } % UInt64(max(count, 1)))
  }

  func pick<Element>(_ list: [Element]) -> Element { list[draw(list.count)] }
}

/// A clock for the stores of a ``DiskScript``, which only the script advances.
final class ScriptClock: Sendable {
  private let seconds = Mutex(700_000_000.0)

  var date: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

  func move(by interval: Double) { seconds.withLock { $0 += interval } }
}

extension DiskStores {
  func configuration() -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.layout = layout
    // Core Data's layout stores raw clock values, whatever the plan configures.
    configuration.timestamps = layout == .packed ? store.configuration.timestamps : .wallClock
    configuration.changePollInterval = .seconds(60)
    configuration.memberLocks = .files
    configuration.clock = store.configuration.clock
    return configuration
  }

  /// Returns a model of the script's own; if the model is invalid, the error ends the script.
  func model(_ entities: [Entity], version: Int = 1) throws(HistoryError) -> Model {
    do {
      return try Model(entities, version: version)
    } catch {
      throw .stopped("the script's own model is refused: \(error)")
    }
  }

  func expect(_ isRight: Bool, _ fault: @autoclosure () -> String) {
    if !isRight { faults.append(fault()) }
  }

  /// Runs a request, and adds a fault line unless it fails with the given error code.
  ///
  /// The error must also have a message, and the details that the documentation of its code promises.
  func expect(
    _ code: HistoryError.Code,
    of what: String,
    _ body: () throws(HistoryError) -> Void
  ) {
    do throws(HistoryError) {
      try body()
      faults.append("\(what) is accepted")
    } catch {
      if error.code != code { faults.append("\(what): \(error)") }
      let text = error.description
      let isWhole = text.hasPrefix(error.message) && text.hasSuffix(error.suggestion ?? "")
      if !isWhole || error.message.isEmpty {
        faults.append("the error for \(what) lacks its message or its suggestion: \(text)")
      }
      if !error.hasDetails { faults.append("the error for \(what) lacks its details: \(text)") }
    }
  }

  /// Adds a fault line if files in the folder are still open.
  ///
  /// The caller must have closed all stores.
  func expectClosed(_ folder: borrowing ScratchFolder) {
    let count = folder.openCount
    expect(count == 0, "\(count) files are open after all stores were closed")
  }

  /// Saves an object of the first entity without values; returns the transaction's number.
  @discardableResult
  func insert(into store: Store) throws(HistoryError) -> Int64 {
    let context = ObjectContext.retaining(store, author: "app", name: "view")
    _ = try context.insert(store.model.entities[0].name)
    return try context.save()?.number.rawValue ?? 0
  }

  /// Returns the transactions of a store, one line each.
  func history(_ store: Store) throws(HistoryError) -> [String] {
    var lines: [String] = []
    var request = HistoryRequest(after: nil, transactionCountMax: 2)
    while lines.count < 100 {
      let page = try store.fetch(request)
      for transaction in page.transactions {
        let changes = transaction.changes.map { change in
          "\(change.type) \(change.objectID.entity)/\(change.objectID.key) "
            + change.columnNumbers.map(String.init).joined(separator: "+")
            + (change.tombstone.map { " \($0.count)" } ?? "")
        }
        lines.append(
          "#\(transaction.number) \(transaction.timestamp.timeIntervalSinceReferenceDate) "
            + "\(transaction.author ?? "-") \(transaction.contextName ?? "-") \(changes)"
        )
      }
      guard page.hasMore else { break }
      request = request.next(after: page)
    }
    return lines
  }
}

extension StoredObject {
  /// Returns the values of attributes in the given order; all are null if the object is deleted.
  package func values(of attributes: [String]) throws(HistoryError) -> [Value] {
    try attributes.map { (name) throws(HistoryError) in try self[name] ?? .null }
  }
}

extension ObjectContext {
  /// Returns a context that keeps the objects that it has read.
  ///
  /// The context then behaves like one whose objects the program still refers to.
  static func retaining(_ store: Store, author: String?, name: String) -> ObjectContext {
    ObjectContext(store: store, author: author, name: name, retainsRegisteredObjects: true)
  }
}

extension HistoryError {
  /// Whether the error has the details that the documentation of its code promises, such as a token.
  fileprivate var hasDetails: Bool {
    switch code {
    case .otherStore, .expired, .rewound: token != nil
    case .conflict, .duplicate, .unknownObject: !objects.isEmpty
    case .superseded, .inUse, .notAMember, .lost: member != nil
    case .otherModel, .migrationNeeded, .newerModel, .modelOutgrown: modelVersions != nil
    case .olderMembers: !olderMembers.isEmpty
    case .sqlite: sqliteCode != nil
    default: token == nil && objects.isEmpty && modelVersions == nil && sqliteCode == nil
    }
  }
}

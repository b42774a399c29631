import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization
import Traces

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores on disk that have the model and configuration of a plan's store.
protocol DiskStores {
  var store: Store { get }
  /// The layout of the course's stores.
  var layout: HistoryLayout { get }
  /// The expectations that were not met so far.
  var faults: CourseFaults { get }
}

/// The faults of a course, one line each.
final class CourseFaults {
  private(set) var lines: [String] = []

  func append(_ line: String) { lines.append(line) }
}

/// A request that runs in a folder of its own, apart from the plan's store.
protocol DiskCourse: DiskStores {
  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError)
}

/// The numbers that a course draws, the same ones for the same seed.
struct CourseSeed {
  /// Core Data's layout for one seed of three.
  let layout: HistoryLayout
  private let random: RandomState

  init(_ seed: Int) {
    random = RandomState(UInt64(truncatingIfNeeded: seed))
    layout = seed.isMultiple(of: 3) ? .coreData : .packed
  }

  /// Draws a number from 0 up to a count.
  func draw(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }

  func pick<Element>(_ list: [Element]) -> Element { list[draw(list.count)] }
}

/// A clock that a course moves.
final class CourseClock: Sendable {
  private let seconds = Mutex(700_000_000.0)

  var date: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

  func move(by interval: Double) { seconds.withLock { $0 += interval } }
}

extension PlanProcess {
  /// Runs a course in a folder of its own.
  ///
  /// Planned faults do not reach files on disk, so an error that ends the course is a fault of it.
  ///
  /// - Returns: what was not as expected.
  func faults<Course: DiskCourse>(of course: Course) throws(SystemFailure) -> [String] {
    let folder = try ScratchFolder()
    var course = course
    do throws(HistoryError) {
      try course.run(folder)
    } catch {
      course.faults.append("the course ends with \(error)")
    }
    course.expectClosed(folder)
    return course.faults.lines
  }
}

extension DiskStores {
  func configuration() -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.layout = layout
    // Core Data's layout keeps raw clock values, whatever the plan says.
    configuration.timestamps = layout == .packed ? store.configuration.timestamps : .wallClock
    configuration.changePollInterval = .seconds(60)
    configuration.memberLocks = .files
    configuration.clock = store.configuration.clock
    return configuration
  }

  func expect(_ isRight: Bool, _ fault: @autoclosure () -> String) {
    if !isRight { faults.append(fault()) }
  }

  /// Notes a fault unless a request fails with an error.
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
    }
  }

  /// Notes a fault if files of the folder are still open after all stores were closed.
  func expectClosed(_ folder: borrowing ScratchFolder) {
    let count = folder.openCount
    expect(count == 0, "\(count) files are still open")
  }

  /// Saves an object without values.
  @discardableResult
  func insert(into store: Store) throws(HistoryError) -> Int64 {
    let context = ObjectContext(store: store, author: "app", name: "view")
    _ = try context.insert(store.model.entities[0].name)
    return try context.save()?.number.rawValue ?? 0
  }

  /// The transactions of a store, one line each.
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

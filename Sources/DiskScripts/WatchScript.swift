import HistoryStore
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of the signals with which a store reports commits to its watches.
struct WatchScript: DiskScript {
  let store: Store
  var layout: HistoryLayout { store.configuration.layout }
  let faults = FailedExpectations()
  /// Whether the script also makes the checks that need pauses.
  ///
  /// Some checks touch and delete the file that signals commits. Others pause to see that no wrong
  /// report arrives: from a cancelled watch, or from a poll before the poll interval has passed.
  private let pauses: Bool
  /// The maximum number of one-millisecond pauses in which the script waits for a report.
  private let patience: Int

  init(store: Store, pausing: Bool, patience: Int) {
    self.store = store
    self.patience = patience
    pauses = pausing
  }

  /// Watches a store, and adds a line for each commit that is not reported correctly.
  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    try follow(folder, pausing: pauses)
    try poll(folder)
    try resume(folder)
    try end(folder)
  }

  /// The positions in history that a watch has reported.
  private final class Reports: Sendable {
    private let tokens = Mutex<[HistoryToken]>([])
    private let patience: Int

    init(patience: Int) { self.patience = patience }

    var all: [HistoryToken] { tokens.withLock { $0 } }

    func add(_ token: HistoryToken) { tokens.withLock { $0.append(token) } }

    /// Waits until a position is reported; returns `false` after the maximum number of pauses.
    func wait(for number: Int64) -> Bool {
      for _ in 0..<patience {
        if all.last?.number == number { return true }
        pause(milliseconds: 1)
      }
      return false
    }
  }

  /// Checks that a watch reports commits through signals alone, without polling.
  mutating func follow(
    _ folder: borrowing ScratchFolder,
    pausing: Bool
  ) throws(HistoryError) {
    let path = folder.file("watched")
    let writer = try Store(path: path, model: store.model, configuration: configuration())
    let reader = try Store(path: path, configuration: configuration())
    try insert(into: writer)
    let (first, second) = (Reports(patience: patience), Reports(patience: patience))
    let watch = try reader.watch { first.add($0) }
    let count = folder.openCount
    let other = try reader.watch { second.add($0) }
    expect(folder.openCount == count, "a second watch opens more files of the store")
    var number = try insert(into: writer)
    guard first.wait(for: number) else { return faults.append("a commit is not reported") }
    expect(second.wait(for: number), "a commit is not reported to a second watch")
    expect(first.all.allSatisfy { $0.number > 1 }, "a commit before the watch is reported")
    number = try insert(into: reader)
    guard first.wait(for: number) else {
      return faults.append("a commit of the watching store itself is not reported")
    }
    guard second.wait(for: number) else {
      return faults.append("a second watch no longer reports commits")
    }
    other.cancel()
    let reported = second.all.count
    if pausing {
      // The signal file has changed its metadata but is the same file, so the watch continues.
      folder.touch("watched-signal")
      pause(milliseconds: 20)
      number = try insert(into: writer)
      guard first.wait(for: number) else {
        return faults.append("a commit after a change of the signal file is not reported")
      }
      // The writer detects at its next check that the signal file was deleted.
      folder.remove("watched-signal")
      pause(milliseconds: 150)
      number = try insert(into: writer)
      guard first.wait(for: number) else {
        return faults.append("a commit after the loss of the signal file is not reported")
      }
      expect(
        folder.names.contains("watched-signal"),
        "the deleted signal file is not created again"
      )
    }
    number = try insert(into: writer)
    guard first.wait(for: number) else { return faults.append("a later commit is not reported") }
    let token = try reader.currentToken()
    expect(first.all.last == token, "the last report differs from the store's newest position")
    watch.cancel()
    try insert(into: writer)
    if pausing { pause(milliseconds: 20) }
    expect(first.all.last == token, "a commit is reported after the end of the watch")
    expect(second.all.count == reported, "a commit is reported to a cancelled watch")
    let permissions = folder.permissions(of: "watched-signal")
    expect(permissions == 0o600, "the signal file has the permissions \(permissions ?? 0)")
  }

  /// Checks that a watch reports commits by polling alone, without signals.
  mutating func poll(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("polled")
    var configuration = configuration()
    configuration.signalsChanges = false
    configuration.changePollInterval = .milliseconds(2)
    let writer = try Store(path: path, model: store.model, configuration: configuration)
    let reports = Reports(patience: patience)
    let watch = try writer.watch { reports.add($0) }
    let number = try insert(into: writer)
    expect(reports.wait(for: number), "a commit is not reported by polling")
    expect(!folder.names.contains("polled-signal"), "a store without signals has a signal file")
    watch.cancel()
    guard pauses else { return }
    configuration.changePollInterval = .seconds(60)
    let patient = try Store(path: path, configuration: configuration)
    let late = Reports(patience: patience)
    let slow = try patient.watch { late.add($0) }
    try insert(into: writer)
    pause(milliseconds: 30)
    expect(late.all.isEmpty, "a store is polled before its poll interval has passed")
    slow.cancel()
  }

  /// Suspends a watched store: after its resumption, the watch reports the newest position exactly once.
  mutating func resume(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("resumed")
    let writer = try Store(path: path, model: store.model, configuration: configuration())
    let reader = try Store(path: path, configuration: configuration())
    let reports = Reports(patience: patience)
    let watch = try reader.watch { reports.add($0) }
    var numbers = [try insert(into: writer)]
    guard reports.wait(for: numbers[0]) else {
      return faults.append("a commit before a suspension is not reported")
    }
    try reader.suspend()
    numbers.append(try insert(into: writer))
    try reader.resume()
    guard reports.wait(for: numbers[1]) else {
      return faults.append("a commit during a suspension is not reported after it")
    }
    for _ in 0..<2 {
      // The watch wakes up, and finds no new commit.
      for _ in 0..<2 {
        folder.touch("resumed-signal")
        pause(milliseconds: 1)
      }
      numbers.append(try insert(into: writer))
      guard reports.wait(for: numbers[numbers.count - 1]) else {
        return faults.append("a commit after a suspension is not reported")
      }
    }
    watch.cancel()
    let found = reports.all.map(\.number)
    expect(found == numbers, "the commits \(numbers) are reported as \(found)")
  }

  /// Ends a watch that holds the last reference to a store: the store's files must then be closed.
  mutating func end(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let path = folder.file("ended")
    do { _ = try Store(path: path, model: store.model, configuration: configuration()) }
    let watch = try Self.watch(path, configuration())
    watch.cancel()
    let count = folder.openCount
    expect(count == 0, "after the end of a watch \(count) files are open")
  }

  private static func watch(
    _ path: String,
    _ configuration: StoreConfiguration
  ) throws(HistoryError) -> ChangeWatch {
    try Store(path: path, configuration: configuration).watch { _ in }
  }
}

import Foundation
import HistoryStore
import HistoryTracking
import ObjectContexts
import PersistentHistory
import Synchronization

/// One process of a stress run: this command, started again under a verb that stands in no help.
struct StressParticipant {
  static let verb = "_stress"

  private let tracker: HistoryTracker
  private let view: ObjectContext
  private let tally = StressTally()
  private let seed: UInt64

  /// Does what the arguments say, if they are those of such a process.
  ///
  /// - Returns: the exit code, or nothing when the command has something else to do.
  static func run(_ arguments: [String]) async -> Int32? {
    guard arguments.first == verb else { return nil }
    guard arguments.count == 4, let seed = UInt64(arguments[3]) else { return 64 }
    // The process that started it decides about its end, also when ctrl-C reaches both.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    do {
      try await StressParticipant(path: arguments[1], name: arguments[2], seed: seed).work()
      return 0
    } catch {
      FileHandle.standardError.write(Data("\(arguments[2]): \(error)\n".utf8))
      return 70
    }
  }

  private init(path: String, name: String, seed: UInt64) throws {
    let store = try StressModel.open(path)
    self.seed = seed
    view = ObjectContext(store: store, author: name, name: "view", mergePolicy: .objectWins)
    // What goes wrong is counted and reported; nothing is written beside the run's own lines.
    var configuration = TrackerConfiguration()
    configuration.logLevel = .off
    tracker = HistoryTracker(
      ActorID(name),
      store: store,
      contexts: [view],
      configuration: configuration
    )
  }

  private func work() async throws {
    let orders = Self.orders()
    let passes = await tracker.passes
    let counting = Task { [tally] in
      for await pass in passes { tally.note(pass) }
    }
    defer { counting.cancel() }
    try await tracker.start()
    Self.say(StressWord.ready.rawValue)
    let goesOn = Flag()
    var writing: Task<Void, Never>?
    for await order in orders {
      switch order {
      case .write: writing = Task { await write(while: goesOn) }
      case .stop:
        goesOn.lower()
        await writing?.value
        Self.say(StressWord.stopped.rawValue)
      case .settle: try await settle()
      default: return
      }
    }
  }

  /// Writes without a pause; an error is counted and the next write tried.
  @concurrent
  private func write(while goesOn: Flag) async {
    var writer = StressWriter(view: view, seed: seed)
    while goesOn.isUp {
      do {
        if try writer.write() { tally.noteWrite() }
      } catch {
        view.rollback()
        tally.note(error)
      }
      await Task.yield()
    }
  }

  /// Passes until nothing is new, and reports.
  private func settle() async throws {
    do {
      while try await tracker.pass().transactionCount > 0 {}
    } catch { tally.note(error) }
    await tracker.stop()
    var report = tally.report
    report.view = StressView(view)
    Self.say(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
  }

  // MARK: The other side

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// What the process that started this one says; when that is gone, this one ends at once.
  private static func orders() -> AsyncStream<StressWord> {
    let (orders, continuation) = AsyncStream.makeStream(of: StressWord.self)
    Thread.detachNewThread {
      while let line = readLine() {
        guard let word = StressWord(rawValue: line) else { continue }
        continuation.yield(word)
        if word == .end { return }
      }
      _exit(70)
    }
    return orders
  }

  /// Something that one task lowers and another looks at.
  private final class Flag: Sendable {
    private let state = Atomic(true)

    var isUp: Bool { state.load(ordering: .acquiring) }

    func lower() { state.store(false, ordering: .releasing) }
  }
}

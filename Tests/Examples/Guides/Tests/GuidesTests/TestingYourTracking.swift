import Foundation
import PersistentHistory
import PropertyTesting
import PropertyTraits
import Testing

enum Step: CaseIterable { case insert, increment, pass }

/// A step, and the process that takes it: 0 or 1.
let steps = Generator<Step>.element(of: Step.allCases)
  .paired(with: Generator<Int>.ints(in: 0...1))
  .array(count: 0...30, element: "step")

/// Two processes on one file, each with a view and a tracker.
struct Pair {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  let views: [ObjectContext]
  let trackers: [HistoryTracker]

  init() throws {
    let item = Entity("Item", [Attribute("count", .int)])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "shared.store").path
    let stores = try (0...1).map { _ in try Store(path: path, model: Model([item])) }
    views = stores.map { ObjectContext(store: $0, mergePolicy: .objectWins) }
    trackers = zip(["app", "widget"], zip(stores, views)).map {
      HistoryTracker(MemberID($0), store: $1.0, contexts: [$1.1])
    }
  }

  func perform(_ step: Step, _ process: Int) async throws {
    let view = views[process]
    switch step {
    case .insert: try view.insert("Item", ["count": 0])
    case .increment: try view.objects("Item").last?.set(1, for: "count")
    case .pass: try await trackers[process].pass()
    }
    try view.save()
  }

  func items(shownBy process: Int) async throws -> [ObjectID: Value?] {
    try await trackers[process].pass()
    let items = try views[process].registeredObjects("Item").map { ($0.id, try $0["count"]) }
    return Dictionary(uniqueKeysWithValues: items)
  }
}

@Suite(.serialized) struct TestingYourTrackingTests {
  @Test func `Two processes end with the same items`() async throws {
    try await property(steps) { steps in
      let pair = try Pair()
      defer { try? FileManager.default.removeItem(at: pair.folder) }
      for (step, process) in steps { try await pair.perform(step, process) }
      #expect(try await pair.items(shownBy: 0) == pair.items(shownBy: 1))
    }
  }
}

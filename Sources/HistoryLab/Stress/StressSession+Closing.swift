import Foundation
import HistoryStore
import PersistentHistory
import Traces

/// The closing phase of a run.
extension StressSession {
  /// Lets all processes catch up and report their views, reads the store, and ends the processes.
  func close() throws {
    try calm()
    // A guest joins after the last kill: no later restart repairs what it has missed.
    if options.killsPerSecond > 0, let guest = members.first(where: { $0.state == .away }) {
      try join(guest)
      try calm()
      let end = ContinuousClock.now + .milliseconds(500)
      while ContinuousClock.now < end {
        try attend()
        usleep(2_000)
      }
    }
    isQuiet = true
    try ask(.pause, "pause")
    for _ in 0..<2 { try ask(.settle, "merge what there was") }
    try ask(.view, "tell what its view holds")
    try look()
    for member in members where member.state == .running {
      member.state = .ending
      member.child?.tell(StressOrder(.end))
    }
    try wait("end") { _ in false }
  }

  /// Reads data and history after all processes have merged everything.
  func look() throws {
    result.committed = try store.currentToken().number
    result.heldAtEnd = try store.heldNumbers().count
    result.integrityProblem = try store.integrityProblem()
    let data = try store.objects()
    let held = try store.fetch(HistoryRequest(after: nil)).transactions.map {
      CommittedTransaction(store.model, $0)
    }
    result.objectCount = data.count
    let now = MonotonicClock.now
    trace.add([
      .init(.called(command: nil, word: "data"), at: now), .init(.data(data), at: now),
      .init(.ended(command: nil, .ok), at: now),
      .init(.called(command: nil, word: "history"), at: now), .init(.history(held), at: now),
      .init(.ended(command: nil, .ok), at: now),
    ])
  }
}

extension Store {
  /// Returns all objects, named by the store's own keys.
  fileprivate func objects() throws -> Objects {
    var held: Objects = [:]
    for batch in try snapshot().rows {
      guard let entity = model.entity(batch.entity) else { continue }
      let names = entity.attributes.map(\.name)
      for (index, key) in batch.keys.enumerated() {
        let row = batch.values[index * batch.width..<(index + 1) * batch.width]
        held[ObjectName(entity.name, key)] = Dictionary(uniqueKeysWithValues: zip(names, row))
      }
    }
    return held
  }
}

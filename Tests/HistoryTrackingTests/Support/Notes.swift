import Foundation
import HistoryTracking
import HistoryTypes

/// What hooks were told, in order, from whichever task.
final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [String] = []

  func note(_ text: String) {
    lock.withLock { noted.append(text) }
  }

  /// Notes a group as `insert Item x2 of #3`.
  func note(_ group: [HookContext], by name: String = "") {
    guard let first = group.first else { return note("nothing") }
    let prefix = name.isEmpty ? "" : "\(name): "
    note(
      "\(prefix)\(first.operation) \(first.entityName) x\(group.count) of #\(first.key.number)"
    )
  }

  var all: [String] { lock.withLock { noted } }
  var count: Int { all.count }
}

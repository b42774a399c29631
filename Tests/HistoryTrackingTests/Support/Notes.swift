import Foundation
import HistoryTracking
import HistoryTypes

/// The notifications of hooks, in order, from any task.
final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [String] = []

  func note(_ text: String) {
    lock.withLock { noted.append(text) }
  }

  /// Records a group as `insert Item x2 of #3`.
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

import Synchronization

/// What a rule was asked, by any thread.
final class Asked: Sendable {
  private let noted = Mutex<[[Int64]]>([])

  var pairs: [[Int64]] { noted.withLock { $0 } }

  /// Notes a question and answers no.
  func note(_ writer: Int64, _ context: Int64) -> Bool {
    noted.withLock { $0.append([writer, context]) }
    return false
  }
}

/// The decisions of the store and the tracker that a seeded bug may replace: the one seam of the
/// mutants.
///
/// Each is asked once a statement, page or transaction, never once a change.
package struct HistoryRules: Sendable {
  /// How a transaction's number is compared with a cursor when history is fetched.
  package var afterCursor = ">"
  /// The position that everyone has merged, from the members' cursors; null without a member.
  package var watermark = "SELECT min(cursor) FROM history_member WHERE state = 0"
  /// The number of the transaction after the last one.
  package var nextNumber: @Sendable (_ last: Int64) -> Int64 = { $0 + 1 }
  /// The last number that a purge removes: never the head's, so that numbers are not used again.
  package var purgeBound: @Sendable (_ wanted: Int64, _ watermark: Int64, _ head: Int64) -> Int64 =
    {
      min($0, $1, $2 - 1)
    }
  /// How a member's record must compare with its row: of this launch, kept, and not backwards.
  package var recordCondition = "epoch = ?2 AND state = 0 AND cursor <= ?3"
  /// Marks those as lost who have not merged through a number, and names them: never a consumer.
  package var cutOff =
    "UPDATE history_member SET state = 2 WHERE state = 0 AND kind = 0 AND cursor < ?1 RETURNING id"
  /// Whether the transactions of an author are never purged; a trailing `*` stands for any ending.
  package var protects: @Sendable (_ author: String?, _ patterns: Set<String>) -> Bool = {
    AuthorPatterns.match($0, $1)
  }
  /// The seconds between two transactions beyond which the limit on age does not count them.
  package var timestampJump = 86_400.0
  /// How many transactions one chunk of a purge deletes: it holds the write lock for milliseconds.
  package var purgeChunkCount: Int64 = 1000
  /// Whether a context brings in a transaction that a writer saved.
  package var merges: @Sendable (_ writer: Int64, _ context: Int64) -> Bool = { $0 != $1 }
  /// Whether a member that lost history is told so.
  package var tellsLoss = true
  /// Whether a record notes what was fetched, merged or not.
  package var recordsUnmerged = false
  /// Whether a hook that throws fails the pass, where its policy says so.
  package var hooksFailPasses = true
  /// Whether a commit is told to other processes; asked at the moment of telling it.
  package var signals: @Sendable (_ number: Int64) -> Bool = { _ in true }
  /// When a commit is told to other processes.
  package var signalMoment = SignalMoment.afterCommit
  /// The steps of a pass, in order.
  package var passSteps: [PassStep] = [.fetch, .merge, .record, .purge]

  package init() {}

  /// The rules as they should be.
  package static let standard = HistoryRules()
}

/// One step of a pass.
package enum PassStep: Sendable, Hashable {
  case fetch
  case merge
  case record
  case purge
}

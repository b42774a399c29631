package import PersistentHistory

/// The decisions about what a merge brings into contexts.
package struct MergingRules: Sendable {
  /// Whether a context brings in a transaction that a writer saved.
  package var merges: @Sendable (_ writer: Int64, _ context: Int64) -> Bool = { $0 != $1 }
  /// Whether a member fetches a transaction that some of its contexts bring in.
  package var concerns: @Sendable (_ contexts: Int, _ all: Int) -> Bool = { $0 > 0 || $1 == 0 }
  /// The transactions of a page as they are merged.
  package var order: @Sendable (_ page: [HistoryTransaction]) -> [HistoryTransaction] = { $0 }
  /// How many of a member's contexts the transactions are merged into.
  package var contextCount: @Sendable (_ all: Int) -> Int = { $0 }
  /// The version below which a row is older than what a transaction did to it.
  package var newVersion: @Sendable (_ number: Int64) -> Int64 = { $0 }
  /// The types of the changes that are left out.
  package var missedTypes: Set<ChangeType> = []

  package init() {}
}

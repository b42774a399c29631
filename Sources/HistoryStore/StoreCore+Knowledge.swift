import PersistentHistory

/// The state that a connection caches of its file, as a snapshot.
///
/// Stored with a copy of the file, it lets a connection to the copy continue like the original one.
package struct StoreKnowledge: Sendable {
  fileprivate let strings: InternedStrings
  fileprivate let knownAuthors: Set<Int32>
  fileprivate let processStrings: ProcessStrings?
  fileprivate let lastAuthor: (name: String?, number: Int32)?
  fileprivate let marks: MarkSequence?
  /// The reserved keys of the connection, by entity.
  fileprivate let keys: [KeyBlock]
}

extension StoreCore {
  /// The cached state, without parts that are valid only until another connection writes.
  fileprivate var knowledge: StoreKnowledge {
    StoreKnowledge(
      strings: strings,
      knownAuthors: knownAuthors,
      processStrings: processStrings,
      lastAuthor: lastAuthor,
      marks: marks,
      keys: tables.map(\.keys)
    )
  }

  /// Replaces the cached state with that of another connection to the same content.
  fileprivate func recall(_ knowledge: StoreKnowledge) {
    forget()
    strings = knowledge.strings
    knownAuthors = knowledge.knownAuthors
    processStrings = knowledge.processStrings
    lastAuthor = knowledge.lastAuthor
    marks = knowledge.marks
    for (table, keys) in zip(tables, knowledge.keys) { table.keys = keys }
  }
}

extension Store {
  /// Returns the state that the connection caches of the file.
  package func knowledge() throws(HistoryError) -> StoreKnowledge {
    try locked { core in core.knowledge }
  }

  /// Restores the cached state, after the file was replaced with the copy of the same snapshot.
  package func recall(_ knowledge: StoreKnowledge) throws(HistoryError) {
    try locked { core in core.recall(knowledge) }
  }
}

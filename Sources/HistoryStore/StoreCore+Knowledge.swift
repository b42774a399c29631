import PersistentHistory

/// What a connection remembers of its file: what the lab keeps with a copy of the file, so that a
/// connection over the copy goes on as the one before did.
package struct StoreKnowledge: Sendable {
  fileprivate let strings: InternedStrings
  fileprivate let knownAuthors: Set<Int32>
  fileprivate let processStrings: ProcessStrings?
  fileprivate let lastAuthor: (name: String?, number: Int32)?
  fileprivate let marks: MarkSequence?
  /// The keys that the connection may give out, by entity.
  fileprivate let keys: [KeyBlock]
}

extension StoreCore {
  /// What this connection remembers of the file; what it only remembers until somebody else writes is
  /// left out.
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

  /// Remembers what another connection did over the same content, and nothing else.
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
  /// What the connection remembers of the file.
  package func knowledge() throws(HistoryError) -> StoreKnowledge {
    try locked { core in core.knowledge }
  }

  /// Remembers of the file what a connection did when a copy was made that lies beneath this one now.
  package func recall(_ knowledge: StoreKnowledge) throws(HistoryError) {
    try locked { core in core.recall(knowledge) }
  }
}

package import HistoryStore
import PersistentHistory

extension ObjectContext {
  /// Everything that a context knows: what the lab keeps to put one back as it was.
  package struct Memory: Sendable {
    let author: String?
    let name: String?
    let mergePolicy: MergePolicy
    let writer: WriterID
    let state: ContextState
  }

  /// What the context knows now.
  package var memory: Memory {
    Memory(
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      writer: writer,
      state: state.withLock { $0 }
    )
  }

  /// Puts a context back as it was, on another connection to the same store.
  package convenience init(store: Store, memory: Memory) {
    self.init(
      store: store,
      author: memory.author,
      name: memory.name,
      mergePolicy: memory.mergePolicy,
      writer: memory.writer,
      state: memory.state
    )
  }
}

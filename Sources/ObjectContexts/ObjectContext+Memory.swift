package import HistoryStore
import PersistentHistory

extension ObjectContext {
  /// A snapshot of a context: its options, registered rows and unsaved edits.
  package struct Memory: Sendable {
    let author: String?
    let name: String?
    let mergePolicy: MergePolicy
    let writer: WriterID
    let state: ContextState
  }

  /// A snapshot of the context's current state.
  package var memory: Memory {
    Memory(
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      writer: writer,
      state: state.withLock { $0 }
    )
  }

  /// Restores a context from a snapshot, on another connection to the same store.
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

public import HistoryStore

extension Store {
  /// Creates a context for background work.
  ///
  /// Core Data: `NSPersistentContainer.newBackgroundContext()`.
  public func backgroundContext(
    author: String? = nil,
    name: String? = "background",
    mergePolicy: MergePolicy = .error
  ) -> ObjectContext {
    ObjectContext(store: self, author: author, name: name, mergePolicy: mergePolicy)
  }

  /// Runs a closure with a new context, off the caller's executor.
  ///
  /// The closure must save its edits; unsaved edits are discarded.
  ///
  /// Core Data: `NSPersistentContainer.performBackgroundTask(_:)`.
  ///
  /// - Throws: The errors of the closure.
  @concurrent
  public func performInBackground<Result: Sendable, Failure: Error>(
    author: String? = nil,
    name: String? = "background",
    mergePolicy: MergePolicy = .error,
    _ body: @Sendable (ObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try body(backgroundContext(author: author, name: name, mergePolicy: mergePolicy))
  }
}

public import HistoryStore

extension Store {
  /// Creates a context for work beside the views (Core Data:
  /// `NSPersistentContainer.newBackgroundContext()`).
  public func backgroundContext(
    author: String? = nil,
    name: String? = "background",
    mergePolicy: MergePolicy = .error
  ) -> ObjectContext {
    ObjectContext(store: self, author: author, name: name, mergePolicy: mergePolicy)
  }

  /// Runs a closure with a context of its own, off the caller's executor
  /// (Core Data: `NSPersistentContainer.performBackgroundTask(_:)`).
  ///
  /// The closure saves what it wants to keep; what it leaves unsaved is forgotten.
  ///
  /// - Throws: what the closure throws.
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

import Testing

/// Waits until something is so, without keeping a thread from the tracker, which needs one; records
/// an issue when it does not come.
func eventually(
  _ what: String,
  at location: SourceLocation = #_sourceLocation,
  _ isSo: () async -> Bool
) async {
  let deadline = ContinuousClock.now + .seconds(20)
  while await !isSo() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not in time: \(what)", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}

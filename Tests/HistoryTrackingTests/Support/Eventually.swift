import Testing

/// Waits for a condition without blocking the tracker's thread; records an issue on timeout.
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

import Testing

/// Blocks a hook until the test opens the gate.
actor Gate {
  private var isOpen = false
  private var arrivalCount = 0
  private var held: [CheckedContinuation<Void, Never>] = []

  /// Waits until the gate is open.
  func pass() async {
    arrivalCount += 1
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  /// Opens the gate for current and later callers.
  func open() {
    isOpen = true
    for continuation in held { continuation.resume() }
    held = []
  }

  /// Waits until a caller has arrived.
  func arrived() async {
    await eventually("somebody comes to the gate") { arrivalCount > 0 }
  }
}

import Testing

/// Holds a hook until the test lets it go on.
actor Gate {
  private var isOpen = false
  private var arrivalCount = 0
  private var held: [CheckedContinuation<Void, Never>] = []

  /// Waits until the gate is open.
  func pass() async {
    arrivalCount += 1
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  /// Lets everybody go on, those too that come later.
  func open() {
    isOpen = true
    for continuation in held { continuation.resume() }
    held = []
  }

  /// Waits until somebody has come.
  func arrived() async {
    await eventually("somebody comes to the gate") { arrivalCount > 0 }
  }
}

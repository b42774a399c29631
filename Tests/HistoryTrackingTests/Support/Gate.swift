/// Holds a hook until the test lets it go on.
actor Gate {
  private var isOpen = false
  private var arrivals = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watching: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  /// Waits until the gate is open.
  func pass() async {
    arrivals += 1
    let (due, later) = (
      watching.filter { $0.count <= arrivals }, watching.filter { $0.count > arrivals }
    )
    watching = later
    for watcher in due { watcher.continuation.resume() }
    if !isOpen { await withCheckedContinuation { held.append($0) } }
  }

  /// Lets everybody go on, those too that come later.
  func open() {
    isOpen = true
    for continuation in held { continuation.resume() }
    held = []
  }

  /// Waits until so many have come.
  func arrived(_ count: Int = 1) async {
    if arrivals < count { await withCheckedContinuation { watching.append((count, $0)) } }
  }
}

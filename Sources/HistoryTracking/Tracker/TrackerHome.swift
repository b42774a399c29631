/// The queue of a tracker's own on the system's threads.
actor DefaultHome {}

/// The queue that a tracker was given.
actor InjectedHome {
  private let executor: any SerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }
}

/// A queue of the tracker's own on the system's threads.
actor DefaultHome {}

/// An actor that runs on a configured executor.
actor InjectedHome {
  private let executor: any SerialExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }
}

/// The file and configuration of a store that is watched.
struct WatchedFile: Sendable {
  /// The store's file, without symbolic links.
  let path: String
  /// The path of the signal file, if there is one.
  let signalPath: String?
  /// The configuration that the store was opened with.
  let configuration: StoreConfiguration

  init(_ store: Store) {
    path = store.filePath
    configuration = store.configuration
    signalPath =
      configuration.hasSignalFile && !path.isEmpty ? path + SignalFile.suffix : nil
  }

  /// The maximum time in milliseconds between two polls of the store.
  var pollMs: Int32 { max(1, configuration.changePollMs) }
}

/// The reasons why a wait ended; empty after a timeout or an interrupt.
struct WatchWake: OptionSet {
  let rawValue: Int32

  /// A commit was signalled.
  static let signal = WatchWake(rawValue: 1)
  /// A watched file was removed, renamed or replaced, or signals may have been lost.
  static let replaced = WatchWake(rawValue: 2)
}

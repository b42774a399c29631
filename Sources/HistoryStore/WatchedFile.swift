/// The store that a watch is about, and how it is read.
struct WatchedFile: Sendable {
  /// The store's file, without symbolic links.
  let path: String
  /// The file for signals, if there is one.
  let signalPath: String?
  /// How the store was opened.
  let configuration: StoreConfiguration

  init(_ store: Store) {
    path = store.filePath
    configuration = store.configuration
    signalPath =
      configuration.hasSignalFile && !path.isEmpty ? path + SignalFile.suffix : nil
  }

  /// The longest time without a look at the store.
  var pollMs: Int32 { max(1, configuration.changePollMs) }
}

/// Why a watch woke up; nothing of it when its time was over.
struct WatchWake: OptionSet {
  let rawValue: Int32

  /// A commit was told.
  static let signal = WatchWake(rawValue: 1)
  /// A watched file was removed, renamed or replaced, or signals may have been lost.
  static let replaced = WatchWake(rawValue: 2)
}

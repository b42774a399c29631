/// The possible choices for one decision of a tracking design; raw values are words in design files.
protocol DesignChoice: RawRepresentable, CaseIterable, Hashable, Sendable
where RawValue == String, AllCases == [Self] {
  /// A clause that describes the choice, such as "waits for every listed author".
  ///
  /// The subject of the clause is a process or a purge.
  var sentence: String { get }
}

/// The value that a process stores as its position.
enum PositionKind: String, DesignChoice {
  case date
  case number

  var sentence: String {
    switch self {
    case .date: "stores the time of the last transaction that it fetched"
    case .number: "stores the number (token) of the last transaction that it fetched"
    }
  }
}

/// Whether a fetch starts at the stored position (a date or a number), or strictly after it.
enum FetchStart: String, DesignChoice {
  case after
  case at

  var sentence: String {
    switch self {
    case .after: "fetches the transactions strictly after its position"
    case .at: "fetches the transaction at its position again, and those after it"
    }
  }
}

/// The transactions that a fetch requests, in terms of the authors that the app lists.
enum Reading: String, DesignChoice {
  /// Fetches the transactions of the authors in the app's list, except the process's own author.
  case others
  /// Fetches the transactions of the authors in the app's list, except the process's own author.
  ///
  /// If the list has no other author, the process fetches all transactions.
  case othersOrEverything
  /// Fetches the transactions of the other authors in the app's list, and own batch writes.
  ///
  /// Batch writes have the context name "batchContext". Own batch writes are those of the process's
  /// author; they are fetched only if the app's list has this author.
  case othersAndOwnBatch
  /// Fetches the transactions of all authors, in the app's list or not, except the process's own.
  case allButOwn
  /// Fetches all transactions except those that the process's author saved in the view.
  case allButOwnView
  /// Fetches all transactions.
  case everything

  var sentence: String {
    switch self {
    case .others: "reads the transactions of the other listed authors"
    case .othersOrEverything:
      "reads the transactions of the other listed authors, or all if no other author is listed"
    case .othersAndOwnBatch:
      "reads the transactions of the other listed authors and of its own context batchContext"
    case .allButOwn: "reads the transactions of every author except its own"
    case .allButOwnView:
      "reads every transaction except those that its own author saved in the view"
    case .everything: "reads every transaction, its own included"
    }
  }
}

/// The point in a pass at which the position is stored.
enum Recording: String, DesignChoice {
  /// The position is stored before the merge runs on the view's queue.
  ///
  /// A crash after the position is stored, but before the merge runs, loses the merge.
  case beforeMerge
  case afterMerge

  var sentence: String {
    switch self {
    case .beforeMerge: "stores its position before the merge has run"
    case .afterMerge: "stores its position after the merge"
    }
  }
}

/// The events after which a process makes a pass, which fetches and merges transactions.
enum Waking: String, DesignChoice {
  case onSignal
  case onSignalAndLaunch
  case onSignalLaunchAndTimer

  var sentence: String {
    switch self {
    case .onSignal: "makes a pass when a notification arrives"
    case .onSignalAndLaunch: "makes a pass when a notification arrives, and at launch"
    case .onSignalLaunchAndTimer:
      "makes a pass when a notification arrives, at launch, and by a timer"
    }
  }
}

/// The response when the history after a stored position was purged.
enum Expiry: String, DesignChoice {
  case readsOn
  /// The process detects that history is missing, and loads its contexts again.
  ///
  /// Requires positions that are numbers, because dates do not show that history was purged.
  case reloads

  var sentence: String {
    switch self {
    case .readsOn: "continues to fetch after history that it needed was purged"
    case .reloads: "reports that history is gone, and loads its contexts again"
    }
  }
}

/// The place where positions are stored.
enum PositionPlace: String, DesignChoice {
  /// Positions are in the app group's `UserDefaults`, unless a process is configured to use its own.
  case group
  /// Positions are in each process's own `UserDefaults`.
  ///
  /// A process can be configured to use the app group's `UserDefaults` instead.
  case own
  /// Positions are in the store file; a process cannot be configured to use another place.
  case store

  var sentence: String {
    switch self {
    case .group: "keeps positions in the app group's user defaults"
    case .own: "keeps positions in its own user defaults"
    case .store: "keeps positions in the store file"
    }
  }
}

enum PositionOwner: String, DesignChoice {
  case author
  case process

  var sentence: String {
    switch self {
    case .author: "keeps one position for each author"
    case .process: "keeps one position for each process"
    }
  }
}

/// The first position of a process.
enum FirstPosition: String, DesignChoice {
  /// A process starts without a position, so its first fetch returns all history.
  case beginning
  /// A process starts at the transaction that is newest at its first launch.
  case newest

  var sentence: String {
    switch self {
    case .beginning: "starts without a position, and reads all history first"
    case .newest: "starts at the newest transaction, which its view contains already"
    }
  }
}

/// The authors or processes whose stored positions in history limit how far a purge deletes.
enum Waiting: String, DesignChoice {
  /// The positions that limit a purge are those of the authors in the app's list.
  case listed
  /// The positions that limit a purge are those of the authors in the app's list.
  ///
  /// A purge after a pass ignores the positions of batch authors, which only write.
  case listedReaders
  /// The positions that limit a purge are those of all processes ever launched and not retired.
  ///
  /// Processes count only if they store their positions in the same place as the purging process.
  case registered
  /// As in ``registered``; the positions of all registered consumers also limit a purge.
  case registeredAndConsumers

  var sentence: String {
    switch self {
    case .listed: "waits for every listed author"
    case .listedReaders: "waits for every listed author except batch authors"
    case .registered: "waits for every process that has registered"
    case .registeredAndConsumers: "waits for every process and consumer that has registered"
    }
  }
}

/// The transactions that a purge deletes, among those before its ``PurgePoint``.
enum Deleting: String, DesignChoice {
  /// A purge deletes the transactions of the authors in the app's list.
  ///
  /// The transactions of the purging process's own author are not exempt.
  case listed
  /// A purge deletes the transactions of the authors in the app's list.
  ///
  /// A purge after a pass also deletes the transactions that a CloudKit mirror has imported, if the
  /// process merges them.
  case listedAndMirror
  /// A purge deletes all transactions except those of protected authors.
  case allButProtected
  /// A purge deletes all transactions.
  case everything

  var sentence: String {
    switch self {
    case .listed: "deletes the history of the listed authors"
    case .listedAndMirror: "deletes the history of the listed authors and of a merged mirror"
    case .allButProtected: "deletes all history except that of protected authors (CloudKit)"
    case .everything: "deletes all history"
    }
  }
}

/// The effect of a purge on the positions in history that authors or processes have stored.
enum AfterPurge: String, DesignChoice {
  case keepsPositions
  case forgetsPositions

  var sentence: String {
    switch self {
    case .keepsPositions: "keeps all positions after a purge"
    case .forgetsPositions: "removes the positions of all authors after a purge"
    }
  }
}

/// For a strategy that purges once in a round of N passes: whether it uses the first or last pass.
enum PurgeTurn: String, DesignChoice {
  case firstPass
  case lastPass

  var sentence: String {
    switch self {
    case .firstPass: "purges in the first pass of each round"
    case .lastPass: "purges in the last pass of each round"
    }
  }
}

/// The point in a pass at which hooks are called, if any.
enum HookTime: String, DesignChoice {
  case never
  /// Hooks are called before the merge, observers first; a hook that throws ends the pass.
  case beforeMerge
  /// The design's only hook, a deduplicator, is called after a pass has stored its position.
  case afterRecord

  var sentence: String {
    switch self {
    case .never: "has no hooks"
    case .beforeMerge: "calls hooks before the merge"
    case .afterRecord: "calls a hook after the position is stored"
    }
  }
}

/// The handling of transactions that a CloudKit mirror imports.
enum MirrorImports: String, DesignChoice {
  case ignored
  /// Each process merges the CloudKit mirror's transactions, unless it ignores the mirror's author.
  case merged

  var sentence: String {
    switch self {
    case .ignored: "does not know of a CloudKit mirror"
    case .merged: "can merge the imports of a CloudKit mirror"
    }
  }
}

/// The number of contexts that a process merges into.
enum ContextCount: String, DesignChoice {
  case one
  case several

  var sentence: String {
    switch self {
    case .one: "merges into its view"
    case .several: "can merge into several contexts"
    }
  }
}

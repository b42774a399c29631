public import PersistentHistory
public import SQLiteStorage

/// An error of a store, a context or a tracker; the failed request changed nothing.
public enum HistoryError: Error, Hashable, Sendable {
  /// SQLite failed; the associated error has the cause.
  case sqlite(SQLiteError)
  /// The file is an SQLite database of another program.
  case foreignFile(path: String)
  /// The file was written by a newer version of this library.
  case newerFormat(path: String, found: Int64, known: Int64)
  /// The file's model differs from the one it was opened with.
  case otherModel(path: String)
  /// The store keeps no history.
  case untracked(path: String)
  /// The store was opened without history tracking, but its file has it on: it can only be read.
  case readOnly(path: String)
  /// The store is open elsewhere, and the request needs exclusive access.
  case storeInUse(path: String)
  /// The system could not remove or replace the file, for the associated reason.
  case file(path: String, reason: String)
  /// Two stores of a container contain the same entity.
  case entityTwice(String)
  /// The file was opened for reading only.
  case openForReading(path: String)
  /// The file contains no readable history; a sentence states why.
  case unreadable(String)
  /// The file and its log could not be copied into a private folder for reading.
  case cannotCopy(path: String, folder: String, reason: String)
  /// The model has no entity with the name.
  case unknownEntity(String)
  /// The entity has no attribute with the name.
  case unknownAttribute(entity: String, attribute: String)
  /// The value does not fit the attribute's type, is NaN, or is too large.
  case unfitValue(entity: String, attribute: String, type: AttributeType)
  /// A predicate exceeds a limit of one request; the number that was found follows.
  case predicateTooLarge(PredicateLimit, found: Int)
  /// The object is not in the store.
  case unknownObject(ObjectID)
  /// Another writer changed or deleted objects since the context read them.
  case conflict([ObjectID])
  /// The token belongs to another store.
  case otherStore(token: HistoryToken, store: StoreID)
  /// History that the request needs was purged; the first number that remains follows, if any.
  case expired(token: HistoryToken, firstHeld: Int64?)
  /// The token lies above the head or names another transaction: the file was replaced or restored.
  case rewound(token: HistoryToken, head: Int64)
  /// A later registration or launch of the same member superseded this one.
  case superseded(ActorID)
  /// The member is already running; the number of its process follows, if known.
  case inUse(ActorID, processID: Int32?)
  /// The process is not a member: it never registered, or it retired.
  case notAMember(ActorID)
  /// A retention limit excluded the member; it must resync.
  case lost(ActorID)
  /// The store's changes cannot be watched, for the associated reason.
  case unwatchable(path: String, why: String)
  /// The text is not the URI of an object.
  case badURI(String)
  /// The URI identifies an object of another store.
  case otherStoreURI(String, store: StoreID)
  /// The file now contains another store than the one that was opened.
  case replaced(path: String)
  /// Several stores of a container keep history, but a tracker follows only one.
  case severalStores([String])
  /// The tracker has no such hook, or it was removed.
  case unknownHook(String)
  /// A hook threw; the hook's subject and a description of its error follow.
  case hookFailed(String, why: String)
  /// A hook called its own tracker for a result that is available only after the hook returns.
  case insideHook(ActorID)
  /// A closure that the caller passed threw; a description of its error follows.
  case stopped(String)
  /// The file lacks required content or contains invalid content; the text names it.
  case damaged(path: String, what: String)
  /// A transaction's packed changes cannot be read.
  case damagedTransaction(Int64)

  /// Converts an error of a store, or of a closure that ran in one, into a history error.
  package init(_ error: any Error) {
    self =
      switch error {
      case let error as HistoryError: error
      case let error as SQLiteError: .sqlite(error)
      default: .stopped(String(describing: error))
      }
  }
}

extension HistoryError: CustomStringConvertible {
  /// The event, its place and a suggestion.
  public var description: String {
    switch self {
    case .sqlite(let error): error.description
    case .foreignFile(let path):
      "\(path) is an SQLite database, but not a store of this library. Open another file; this one "
        + "was not touched."
    case .newerFormat(let path, let found, let known):
      "\(path) has format \(found); this version reads up to \(known). Update the app that opens it."
    case .otherModel(let path):
      "\(path) holds another model than the one it was opened with. Open it with the model that it "
        + "was made with."
    case .untracked(let path):
      "\(path) keeps no history. Open it with tracksHistory on; history begins then."
    case .readOnly(let path):
      "\(path) has history tracking on and was opened without it, so it can only be read: a write "
        + "would be missing from history. Open it with tracksHistory on."
    case .storeInUse(let path):
      "\(path) is open elsewhere. Close every store on it, in other processes too, and try again; "
        + "nothing was changed."
    case .file(let path, let reason):
      "\(path) could not be removed or replaced: \(reason). Check the permissions of its folder."
    case .entityTwice(let name):
      "Two stores of the container hold the entity \"\(name)\". Give each entity to one of them."
    case .openForReading(let path):
      "\(path) was opened for reading. Convert it into a store and write there."
    case .unreadable(let why): why
    case .cannotCopy(let path, let folder, let reason):
      InspectionError.cannotCopy(path: path, folder: folder, reason: reason).description
    case .unknownEntity(let name): "The model has no entity \"\(name)\"."
    case .unknownAttribute(let entity, let attribute):
      "The entity \"\(entity)\" has no attribute \"\(attribute)\"."
    case .unfitValue(let entity, let attribute, let type):
      "\(entity).\(attribute) holds values of type \(type.rawValue) (no NaN, no more than 500 MB)."
    case .predicateTooLarge(let limit, let found):
      "A predicate with \(found) of its \(limit.rawValue) is too large: \(limit.most) is the most. "
        + "Ask in several requests."
    case .unknownObject(let id): "The object \(id) is not in the store; it may have been deleted."
    case .conflict(let ids):
      "Another writer changed \(ids.count.counted("object")) since the context's last read "
        + "(\(ids.first.map { ids.count == 1 ? "\($0)" : "\($0)..." } ?? "none")). "
        + "Merge the history and save again, or choose a merge policy."
    case .otherStore(let token, let store):
      "The token \(token) is of another store than \(store). Start again without a token."
    case .expired(let token, let first):
      "History after \(token) has been purged; "
        + (first.map { "the first transaction still held is #\($0)" } ?? "nothing is held any more")
        + ". Read the data anew and go on from the current token."
    case .rewound(let token, let head):
      "The token \(token) does not fit the history, whose head is #\(head): the file was replaced or "
        + "went back in time. Read the data anew and go on from the current token."
    case .superseded(let actor):
      "Another registration of \"\(actor)\" has taken over; nothing was written. Launch again."
    case .inUse(let actor, let processID):
      "\"\(actor)\" runs already\(processID.map { ", in process \($0)" } ?? ""); nothing was written. "
        + "End it first, or give this process a name of its own."
    case .notAMember(let actor): "\"\(actor)\" is not a member of this store. Launch it first."
    case .lost(let actor):
      "\"\(actor)\" was cut off by a retention limit. Resync: read the data anew and go on."
    case .unwatchable(let path, let why):
      "Changes of \(path) cannot be watched: \(why). Close some files, or fetch without being told."
    case .badURI(let text):
      "\"\(text)\" is not the URI of an object, which is x-history://STORE/ENTITY/pKEY."
    case .otherStoreURI(let text, let store):
      "\"\(text)\" is of an object of another store than \(store). Ask that store."
    case .replaced(let path):
      "\(path) holds another store now than the one that was opened. Open it anew, and read the data "
        + "anew."
    case .severalStores(let paths):
      "\(paths.joined(separator: ", ")) keep history, and a tracker follows one store. Make a tracker "
        + "for each, with the contexts of that store."
    case .unknownHook(let hook): "The tracker has no \(hook). Name one that is registered."
    case .hookFailed(let name, let why):
      "The hook for \(name) threw: \(why). The cursor stays, and so does the history behind it. Mend "
        + "the hook, remove it, or let it be skipped."
    case .insideHook(let actor):
      "A hook asked its own tracker \"\(actor)\" for what waits until the hook has ended. Ask without "
        + "waiting, or after the pass."
    case .stopped(let why):
      "The request ended early: the closure that was handed in threw \"\(why)\"."
    case .damaged(let path, let what): "\(path) is damaged: \(what). Restore it from a copy."
    case .damagedTransaction(let number):
      "The changes of transaction #\(number) cannot be read: the file is damaged. Restore it from a "
        + "copy, or purge through that transaction and resync."
    }
  }
}

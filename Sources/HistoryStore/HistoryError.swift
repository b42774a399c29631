public import HistoryTypes
import SQLiteStorage

/// An error of a store, a context or a tracker.
///
/// The failed request changed nothing in the store, unless its documentation says otherwise. To
/// handle an error, compare its code:
/// ```swift
/// catch let error as HistoryError where error.code == .expired {
///   try await tracker.resync()
/// }
/// ```
public struct HistoryError: Error, Hashable, Sendable {
  /// The cause of the error, with its details.
  package let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }

  /// Converts an error of a store, or of a closure that a request called, into a history error.
  package init(_ error: any Error) {
    self =
      switch error {
      case let error as HistoryError: error
      case let error as SQLiteError: .sqlite(error)
      default: .stopped(String(describing: error))
      }
  }

  /// The kind of the error, which determines how a program can handle it.
  public var code: Code { reason.code }

  /// A sentence that states what happened, and where.
  public var message: String { reason.message }

  /// A sentence that says what to do, or `nil` if there is no suggestion.
  public var suggestion: String? { reason.suggestion }
}

extension HistoryError {
  /// A kind of error; later versions can add kinds, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code, which is stable between versions.
    public let name: String

    fileprivate init(_ name: String) { self.name = name }

    /// The name of the code.
    public var description: String { name }
  }
}

extension HistoryError.Code {
  /// SQLite failed; see ``HistoryError/sqliteCode``.
  public static let sqlite = Self("sqlite")
  /// The file is an SQLite database of another program.
  public static let foreignFile = Self("foreignFile")
  /// The file was written by a newer version of this library.
  public static let newerFormat = Self("newerFormat")
  /// The file's model and the program's have the same version, but differ.
  public static let otherModel = Self("otherModel")
  /// The program's model is newer than the file's, and their differences need a migration.
  public static let migrationNeeded = Self("migrationNeeded")
  /// The file's model is newer than the program's, and the program cannot read the file.
  public static let newerModel = Self("newerModel")
  /// A migration changed the file's model, so that this program can no longer use the file.
  public static let modelOutgrown = Self("modelOutgrown")
  /// Members with an older model are registered; see ``HistoryError/olderMembers``.
  public static let olderMembers = Self("olderMembers")
  /// The store keeps no history.
  public static let untracked = Self("untracked")
  /// The store was opened without history tracking, but its file tracks history: writes fail.
  public static let readOnly = Self("readOnly")
  /// The store is suspended, or was suspended while the request ran.
  public static let suspended = Self("suspended")
  /// `suspend` or `resume` was called inside one of the store's own requests.
  public static let insideRequest = Self("insideRequest")
  /// The file cannot be accessed while the device is locked; see ``FileProtection``.
  public static let unavailable = Self("unavailable")
  /// Another store or process has the file open, and the request needs exclusive access.
  public static let storeInUse = Self("storeInUse")
  /// The system could not remove or replace the file.
  public static let file = Self("file")
  /// Two stores of a container contain the same entity.
  public static let entityTwice = Self("entityTwice")
  /// The file was opened for reading only.
  public static let openForReading = Self("openForReading")
  /// A context that called `pin()` lost its snapshot: a suspension or SQLite ended its read transaction.
  public static let snapshotLost = Self("snapshotLost")
  /// The file contains no readable history.
  public static let unreadable = Self("unreadable")
  /// The file and its log could not be copied into a private folder for reading.
  public static let cannotCopy = Self("cannotCopy")
  /// The model has no entity with the name.
  public static let unknownEntity = Self("unknownEntity")
  /// The entity has no attribute with the name.
  public static let unknownAttribute = Self("unknownAttribute")
  /// The value does not fit the attribute's type, is NaN, or is too large.
  public static let unfitValue = Self("unfitValue")
  /// An object has no value for a required attribute.
  public static let missingValue = Self("missingValue")
  /// A predicate exceeds a limit of one request.
  public static let predicateTooLarge = Self("predicateTooLarge")
  /// The limit or the offset of a query, or the number of levels of undo, is negative.
  public static let negativeBound = Self("negativeBound")
  /// The index of an object in an ordered relationship is negative or too large.
  public static let indexOutOfRange = Self("indexOutOfRange")
  /// A sum or an average was requested of an attribute whose values are not numbers.
  public static let notANumber = Self("notANumber")
  /// A sum of integers, or a partial sum during its computation, does not fit into 64 bits.
  public static let sumTooLarge = Self("sumTooLarge")
  /// The object is not in the store, or not in the ordered relationship in which it is to be moved.
  public static let unknownObject = Self("unknownObject")
  /// Two objects would violate a uniqueness constraint.
  public static let duplicate = Self("duplicate")
  /// Another writer changed or deleted objects since the context read them.
  public static let conflict = Self("conflict")
  /// Objects refer to a deleted object by a reference with the rule ``DeleteRule/deny``.
  public static let deleteDenied = Self("deleteDenied")
  /// The write would leave references to objects that do not exist.
  public static let danglingReference = Self("danglingReference")
  /// The token belongs to another store.
  public static let otherStore = Self("otherStore")
  /// History that the request needs was purged.
  public static let expired = Self("expired")
  /// The token is from a history that the file no longer contains: the file was replaced or restored.
  public static let rewound = Self("rewound")
  /// A later registration or launch of the same member superseded this registration.
  public static let superseded = Self("superseded")
  /// The member is already running.
  public static let inUse = Self("inUse")
  /// The process is not a member: it never registered, or it retired.
  public static let notAMember = Self("notAMember")
  /// A purge cut the member off from history that it had not merged; the member must resync.
  public static let lost = Self("lost")
  /// The store's changes cannot be watched.
  public static let unwatchable = Self("unwatchable")
  /// The text is not the URI of an object.
  public static let badURL = Self("badURL")
  /// The URI identifies an object of another store.
  public static let otherStoreURL = Self("otherStoreURL")
  /// The file was replaced after it was opened: it now contains a store with another ID.
  public static let replaced = Self("replaced")
  /// Several stores of a container keep history, but a tracker tracks only one.
  public static let severalStores = Self("severalStores")
  /// The tracker has no such hook, or the hook was removed.
  public static let unknownHook = Self("unknownHook")
  /// A hook that was registered with the tracker threw an error.
  public static let hookFailed = Self("hookFailed")
  /// A hook waits for its own tracker, which continues only after the hook returns.
  public static let insideHook = Self("insideHook")
  /// A closure of the caller, or a configured merger or deduplicator, threw an error.
  public static let stopped = Self("stopped")
  /// The file lacks required content or contains invalid content.
  public static let damaged = Self("damaged")
  /// The changes of a transaction cannot be read: the file is damaged.
  public static let damagedTransaction = Self("damagedTransaction")
  /// Another program dropped tables, columns or triggers that ``StoreConfiguration/foreignWrites`` needs.
  public static let changedSchema = Self("changedSchema")
}

extension HistoryError {
  /// The request's token that caused the error; `nil` if no token caused it.
  ///
  /// Only errors with ``Code/otherStore``, ``Code/expired`` and ``Code/rewound`` have a token.
  public var token: HistoryToken? {
    switch reason {
    case .otherStore(let token, _), .expired(let token, _), .rewound(let token, _): token
    default: nil
    }
  }

  /// The objects that the request could not change or find.
  ///
  /// The list is empty except for ``Code/conflict``, ``Code/missingValue``, ``Code/unknownObject``,
  /// ``Code/duplicate``, ``Code/deleteDenied`` and ``Code/danglingReference``. For `deleteDenied`
  /// it contains the referring objects, and for `danglingReference` at most 100 of them.
  public var objects: [ObjectID] {
    switch reason {
    case .conflict(let objects), .duplicate(let objects, _, _): objects
    case .unknownObject(let object), .notReferring(let object, _, _): [object]
    case .deleteDenied(_, let objects), .danglingReference(let objects): objects
    case .missingValue(let object, _, _): object.map { [$0] } ?? []
    default: []
    }
  }

  /// The member that the error concerns, or `nil`.
  public var member: MemberID? {
    switch reason {
    case .superseded(let member), .inUse(let member, _), .notAMember(let member),
      .lost(let member), .insideHook(let member):
      member
    default: nil
    }
  }

  /// The differences between the file's and the program's model, if they caused the error.
  ///
  /// Empty for all other errors.
  public var modelDifferences: [ModelDifference] { modelConflict?.differences ?? [] }

  /// The versions of the file's and the program's model, if their conflict caused the error.
  ///
  /// `nil` for all other errors.
  public var modelVersions: (file: Int, program: Int)? {
    modelConflict.map { ($0.fileVersion, $0.programVersion) }
  }

  /// The registered members with an older model, for ``Code/olderMembers``; otherwise empty.
  public var olderMembers: [OlderMember] {
    if case .olderMembers(_, let members) = reason { members } else { [] }
  }

  private var modelConflict: ModelConflict? {
    if case .otherModel(_, let conflict) = reason { conflict } else { nil }
  }

  /// The extended result code of SQLite, for ``Code/sqlite`` and ``Code/unavailable``, or `nil`.
  ///
  /// See https://sqlite.org/rescode.html.
  public var sqliteCode: Int32? {
    if case .sqlite(let error) = reason { error.code } else { nil }
  }

  /// Whether another connection held the lock longer than the busy timeout; retrying can help.
  public var isBusy: Bool { hasCause(.busy) }

  /// Whether the disk or the quota is full.
  public var isFull: Bool { hasCause(.full) }

  /// Whether reading or writing the file failed.
  public var isInputOutput: Bool { hasCause(.io) }

  private func hasCause(_ cause: SQLiteError.Cause) -> Bool {
    if case .sqlite(let error) = reason { error.cause == cause } else { false }
  }
}

extension HistoryError: CustomStringConvertible {
  /// The message and the suggestion.
  public var description: String {
    [message, suggestion].compactMap(\.self).joined(separator: " ")
  }
}

extension ModelConflict {
  fileprivate var code: HistoryError.Code {
    switch kind {
    case .sameVersion: .otherModel
    case .needsMigration, .tooLarge: .migrationNeeded
    case .newerFile: .newerModel
    case .outgrown: .modelOutgrown
    }
  }
}

extension HistoryError.Reason {
  fileprivate var code: HistoryError.Code {
    switch self {
    case .sqlite(let error): error.cause == .unavailable ? .unavailable : .sqlite
    case .suspended: .suspended
    case .insideRequest: .insideRequest
    case .foreignFile: .foreignFile
    case .newerFormat: .newerFormat
    case .otherModel(_, let conflict): conflict.code
    case .olderMembers: .olderMembers
    case .untracked: .untracked
    case .readOnly: .readOnly
    case .storeInUse: .storeInUse
    case .file: .file
    case .entityTwice: .entityTwice
    case .openForReading: .openForReading
    case .snapshotLost: .snapshotLost
    case .unreadable: .unreadable
    case .cannotCopy: .cannotCopy
    case .unknownEntity: .unknownEntity
    case .unknownAttribute, .noLinkEntity, .unorderedReference: .unknownAttribute
    case .unfitValue, .unfitRecord, .unfitDestination, .unfitMember: .unfitValue
    case .missingValue: .missingValue
    case .predicateTooLarge: .predicateTooLarge
    case .negativeBound: .negativeBound
    case .indexOutOfRange: .indexOutOfRange
    case .notANumber: .notANumber
    case .sumTooLarge: .sumTooLarge
    case .unknownObject, .notReferring: .unknownObject
    case .duplicate: .duplicate
    case .conflict: .conflict
    case .deleteDenied: .deleteDenied
    case .danglingReference: .danglingReference
    case .otherStore: .otherStore
    case .expired: .expired
    case .rewound: .rewound
    case .superseded: .superseded
    case .inUse: .inUse
    case .notAMember: .notAMember
    case .lost: .lost
    case .unwatchable: .unwatchable
    case .badURL: .badURL
    case .otherStoreURL: .otherStoreURL
    case .replaced: .replaced
    case .severalStores: .severalStores
    case .unknownHook: .unknownHook
    case .hookFailed: .hookFailed
    case .insideHook: .insideHook
    case .stopped: .stopped
    case .damaged: .damaged
    case .damagedTransaction: .damagedTransaction
    case .changedSchema: .changedSchema
    }
  }
}

import Basics
package import HistoryTypes
package import SQLiteStorage

extension HistoryError {
  /// The cause of an error, with its details.
  package indirect enum Reason: Hashable, Sendable {
    /// SQLite failed; the associated error contains SQLite's code and message.
    case sqlite(SQLiteError)
    /// The file is an SQLite database of another program.
    case foreignFile(path: String)
    /// The file was written by a newer version of this library.
    case newerFormat(path: String, found: Int64, known: Int64)
    /// The program's model does not fit the file; the associated value contains the differences.
    case otherModel(path: String, ModelConflict)
    /// The file cannot be migrated while members with an older model, listed here, are registered.
    case olderMembers(path: String, [OlderMember])
    /// The store keeps no history.
    case untracked(path: String)
    /// The store was opened without history tracking, but its file tracks history: writes fail.
    case readOnly(path: String)
    /// The store is suspended, or was suspended while the request ran.
    case suspended(path: String)
    /// `suspend` or `resume` was called inside one of the store's own requests.
    case insideRequest(path: String)
    /// Another store or process has the file open, and the request needs exclusive access.
    case storeInUse(path: String)
    /// The system could not remove or replace the file, for the associated reason.
    case file(path: String, reason: String)
    /// Two stores of a container contain the same entity.
    case entityTwice(String)
    /// The file was opened for reading only.
    case openForReading(path: String)
    /// A context that called `pin()` lost its snapshot: a suspension or SQLite ended its read transaction.
    case snapshotLost(path: String)
    /// The file contains no readable history; the associated sentence says why.
    case unreadable(String)
    /// The file and its log could not be copied into a private folder for reading.
    case cannotCopy(path: String, folder: String, reason: String)
    /// The model has no entity with the name; `known` lists the entities that it has.
    case unknownEntity(String, known: [String])
    /// The entity has no attribute with the name; `known` lists the attributes that it has.
    case unknownAttribute(String, entity: String, known: [String])
    /// The first entity cannot be the link entity of a many-to-many relationship of the second one.
    ///
    /// A link entity has exactly two references. The reference `attribute` must refer to the second
    /// entity; if `attribute` is `nil`, one of the two must.
    case noLinkEntity(String, of: String, attribute: String?)
    /// The value does not fit the attribute's type, is NaN, or is too large.
    case unfitValue(entity: String, attribute: String, type: AttributeType)
    /// A reference to objects of one entity was set to an object of another one.
    case unfitDestination(entity: String, attribute: String, wanted: String, found: String)
    /// The reference is not ordered: its declaration names no attribute for object positions.
    case unorderedReference(entity: String, attribute: String)
    /// An object of the entity `found` cannot have this reference, which belongs to `entity`.
    case unfitMember(entity: String, attribute: String, found: String)
    /// The object to move within an ordered list is not in the list.
    ///
    /// The list contains the objects whose reference `attribute` is to the object `to`.
    case notReferring(ObjectID, to: ObjectID, attribute: String)
    /// An object cannot be placed at the index of an ordered relationship.
    ///
    /// `count` is the number of other objects in the relationship, and so the greatest valid index.
    case indexOutOfRange(Int, count: Int)
    /// An object has no value for a required attribute.
    ///
    /// The ID is `nil` if a batch update would set the attribute of all its objects to null.
    case missingValue(ObjectID?, entity: String, attribute: String)
    /// A record type does not encode its properties by name; the string is the name of the type.
    case unfitRecord(String)
    /// A predicate exceeds a size limit of one request, such as its nesting depth; `found` is its size.
    case predicateTooLarge(PredicateLimit, found: Int)
    /// A limit, an offset or a number of levels of undo is negative.
    ///
    /// The string is the name of the parameter, such as `limit`; the integer is its value.
    case negativeBound(String, Int)
    /// A sum or an average was requested of an attribute whose values are not numbers.
    case notANumber(entity: String, attribute: String, type: AttributeType)
    /// The sum of an attribute's integers does not fit into 64 bits.
    case sumTooLarge(entity: String, attribute: String)
    /// The object is not in the store.
    case unknownObject(ObjectID)
    /// Two objects would violate a uniqueness constraint; the list is `[]` if the objects are unknown.
    case duplicate([ObjectID], entity: String, attributes: [String])
    /// Another writer changed or deleted objects since the context read them.
    case conflict([ObjectID])
    /// The objects in `by` refer to a deleted object by a reference with the rule `deny`.
    case deleteDenied(ObjectID, by: [ObjectID])
    /// The objects would refer to objects that do not exist.
    case danglingReference([ObjectID])
    /// The token belongs to another store.
    case otherStore(token: HistoryToken, store: StoreID)
    /// History that the request needs was purged.
    ///
    /// `firstHeld` is the number of the first remaining transaction after the token, or `nil` if
    /// none remains or the number is unknown.
    case expired(token: HistoryToken, firstHeld: Int64?)
    /// The token is from a history that the file no longer contains: the file was replaced or restored.
    ///
    /// The token's number is above `head`, the number of the newest transaction, or the token's
    /// mark differs from that of the transaction with the token's number. A mark is a random number
    /// that a transaction and its token contain.
    case rewound(token: HistoryToken, head: Int64)
    /// A later registration or launch of the same member superseded this registration.
    case superseded(MemberID)
    /// The member is already running; `processID` is the ID of its process, or `nil` if unknown.
    case inUse(MemberID, processID: Int32?)
    /// The process is not a member: it never registered, or it retired.
    case notAMember(MemberID)
    /// A purge cut the member off from history that it had not merged; the member must resync.
    case lost(MemberID)
    /// The store's changes cannot be watched, for the associated reason.
    case unwatchable(path: String, why: String)
    /// The text is not the URL of an object.
    case badURL(String)
    /// The URL identifies an object of another store.
    case otherStoreURL(String, store: StoreID)
    /// The file was replaced after it was opened: it now contains a store with another ID.
    case replaced(path: String)
    /// Several stores of a container keep history, but a tracker tracks only one.
    case severalStores([String])
    /// The tracker has no such hook, or the hook was removed.
    case unknownHook(String)
    /// A hook threw; the associated strings are the hook's purpose and a description of its error.
    case hookFailed(String, why: String)
    /// A hook waits for its own tracker, which continues only after the hook returns.
    case insideHook(MemberID)
    /// Code that the request called, such as a closure, threw; the string describes the error.
    case stopped(String)
    /// The file lacks required content or contains invalid content; the text says which.
    case damaged(path: String, what: String)
    /// The changes of the transaction with this number cannot be read: the file is damaged.
    case damagedTransaction(Int64)
    /// Another program has changed the file's schema; the associated texts name what is missing.
    case changedSchema(path: String, [String])
  }
}

extension [ObjectID] {
  /// The first three objects as text, for an error message.
  fileprivate var named: String {
    prefix(3).map(\.description).joined(separator: ", ") + (count > 3 ? ", ..." : "")
  }
}

extension HistoryError.Reason {
  package var message: String { texts.message }
  package var suggestion: String? { texts.suggestion }

  private var texts: (message: String, suggestion: String?) {
    switch self {
    case .sqlite(let error): (error.sentence, error.suggestion)
    case .foreignFile(let path):
      (
        "\(path) is an SQLite database, but not a store of this library.",
        "Open a store of this library; this file was not changed."
      )
    case .newerFormat(let path, let found, let known):
      (
        "\(path) has file format \(found); this version of the library reads up to format \(known).",
        "Update the app that opens the file."
      )
    case .otherModel(let path, let conflict): conflict.texts(path)
    case .olderMembers(let path, let members):
      (
        "\(path) cannot be migrated while members with an older model are registered: "
          + "\(members.map(\.description).joined(separator: ", ")).",
        "Update and run these programs, call forget(_:) for members that never run again, or pass "
          + "retiresOlderMembers: true."
      )
    case .untracked(let path):
      (
        "\(path) keeps no history.",
        "Open the store with tracksHistory on; from then on, history is kept."
      )
    case .readOnly(let path):
      (
        "\(path) tracks history but was opened with tracksHistory off, so it can only be read: a "
          + "write would be missing from history.", "Open the store with tracksHistory on."
      )
    case .suspended(let path):
      (
        "\(path) is suspended; the request changed nothing.",
        "Resume the store, and try again."
      )
    case .insideRequest(let path):
      (
        "\(path) cannot be suspended or resumed inside one of its own requests, which must end first.",
        "Call suspend() or resume() after the request."
      )
    case .storeInUse(let path):
      (
        "\(path) is open in another store or process; nothing was changed.",
        "Close every store on this file, also in other processes, and try again."
      )
    case .file(let path, let reason):
      (
        "\(path) could not be removed or replaced: \(reason).",
        "Check the permissions of its folder."
      )
    case .entityTwice(let name):
      (
        "Two stores of the container have the entity \"\(name)\".",
        "Assign each entity to only one store."
      )
    case .openForReading(let path):
      (
        "\(path) was opened for reading only.",
        "To write, open it with init(path:model:configuration:); convert a Core Data file first."
      )
    case .snapshotLost(let path):
      (
        "The snapshot from which a pinned context reads \(path) is lost: the store was suspended, "
          + "or SQLite ended the read transaction.",
        "Call pin() to read from the current snapshot, or unpin()."
      )
    case .unreadable(let sentences): (sentences, nil)
    case .cannotCopy(let path, let folder, let reason):
      (InspectionError.cannotCopy(path: path, folder: folder, reason: reason).description, nil)
    case .unknownEntity(let name, let known):
      (
        "The model has no entity \"\(name)\".",
        Self.hint(name, known)
          + "Use an entity of the model\(Self.list(known)), or open the store with a model that "
          + "has this entity."
      )
    case .unknownAttribute(let name, let entity, let known):
      (
        "The entity \"\(entity)\" has no attribute \"\(name)\".",
        Self.hint(name, known)
          + "Use an attribute of the entity\(Self.list(known)), or open the store with a model "
          + "that has this attribute."
      )
    case .noLinkEntity(let name, let entity, let attribute):
      (
        "The objects of \"\(name)\" do not link objects of \"\(entity)\""
          + (attribute.map { " by a reference \"\($0)\"." } ?? "."),
        "Use an entity with exactly two references, of which one refers to \"\(entity)\"."
      )
    case .unfitRecord(let type):
      (
        "The record \(type) does not encode its properties by name.",
        "Remove its init(from:) and encode(to:), or use a keyed container in them."
      )
    case .unfitValue(let entity, let attribute, let type):
      (
        "The value does not fit \(entity).\(attribute), which accepts values of type "
          + "\(type.rawValue)\(type.limits).",
        "Use a value of that type within its limits, or null."
      )
    case .unfitDestination(let entity, let attribute, let wanted, let found):
      (
        "\(entity).\(attribute) refers to objects of \"\(wanted)\", not of \"\(found)\".",
        "Use an object of \"\(wanted)\"."
      )
    case .unorderedReference(let entity, let attribute):
      (
        "The reference \(entity).\(attribute) is not ordered.",
        "Declare the reference with orderedBy: and the name of an attribute of type double."
      )
    case .unfitMember(let entity, let attribute, let found):
      (
        "An object of \"\(found)\" cannot refer by \(entity).\(attribute), which is a reference of "
          + "\"\(entity)\".",
        "Use an object of \"\(entity)\"."
      )
    case .notReferring(let object, let destination, let attribute):
      (
        "The object \(object) cannot be moved, because it does not refer to \(destination) by "
          + "\"\(attribute)\".",
        "Use insert(_:at:referringBy:), which also sets the reference."
      )
    case .indexOutOfRange(let index, let count):
      (
        "An object cannot be placed at index \(index) among \(count.counted("other object")).",
        count == 0 ? "Use the index 0." : "Use an index from 0 to \(count.inGroups)."
      )
    case .missingValue(let object, let entity, let attribute):
      (
        (object.map { "\(entity)/\($0.key)" } ?? "A batch update of \(entity)")
          + " has no value for the required attribute \"\(attribute)\"; nothing was written.",
        "Set \(attribute) to a value, or give it a default value in the model."
      )
    case .predicateTooLarge(let limit, let found):
      (
        "A predicate exceeds the limit on \(limit.rawValue): it has \(found), and the maximum is "
          + "\(limit.most).", "Split the predicate into several requests."
      )
    case .negativeBound("levelsOfUndo", let found):
      (
        "The number of levels of undo is \(found), which is negative.",
        "Use a number of at least 0; with 0, no edit can be undone."
      )
    case .negativeBound(let name, let found):
      (
        "The \(name) of a query is \(found), which is negative.",
        name == "limit" ? "Use a limit of at least 0, or nil for all objects." : "Use 0 or more."
      )
    case .notANumber(let entity, let attribute, let type):
      (
        "\(entity).\(attribute) has values of type \(type.rawValue), which have no sum or average.",
        "Use an attribute of type int or double, or ask for the count, minimum or maximum."
      )
    case .sumTooLarge(let entity, let attribute):
      (
        "The sum of \(entity).\(attribute) does not fit an integer of 64 bits.",
        "Sum fewer objects, or ask for the average."
      )
    case .unknownObject(let id):
      ("The object \(id) is not in the store; it may have been deleted.", nil)
    case .duplicate(let ids, let entity, let attributes):
      (
        (ids.isEmpty
          ? "Two objects of \(entity)"
          : ids.map { "\(entity)/\($0.key)" }.joined(separator: " and ")) + " would have the same "
          + "\(attributes.joined(separator: ", ")), which must be unique; nothing was written.",
        "Change or delete one of the objects with equal values, or choose a merge policy."
      )
    case .conflict(let ids):
      (
        "Another writer changed \(ids.count.counted("object")) since the context's last read "
          + "(\(ids.first.map { ids.count == 1 ? "\($0)" : "\($0)..." } ?? "none")).",
        "Merge the history and save again, or choose a merge policy."
      )
    case .deleteDenied(let object, let others):
      (
        "The object \(object) cannot be deleted: \(others.count.counted("object")) "
          + "\(others.count == 1 ? "refers" : "refer") to it with the delete rule \"deny\" "
          + "(\(others.named)).",
        "Delete these objects as well, or set their references to other objects."
      )
    case .danglingReference(let objects):
      (
        "\(objects.count.counted("object")) would refer to objects that do not exist "
          + "(\(objects.named)); nothing was written.",
        "Another writer may have deleted them: merge the history, and set the references again."
      )
    case .otherStore(let token, let store):
      (
        "The token \(token) is from another store than \(store).",
        "Start again without a token, or use the token with its own store."
      )
    case .expired(let token, let first):
      (
        "History after \(token) has been purged; "
          + (first.map { "the first remaining transaction is #\($0)." } ?? "none remains."),
        "Read the data again and continue from the current token."
      )
    case .rewound(let token, let head):
      (
        "The token \(token) is not from this file's history, which ends at #\(head): the file was "
          + "replaced or restored from a copy.",
        "Read the data again and continue from the current token."
      )
    case .superseded(let member):
      (
        "A later launch of \"\(member)\" has superseded this launch; nothing was written.",
        "Launch the member again."
      )
    case .inUse(let member, let processID):
      (
        "\"\(member)\" is already running\(processID.map { " in process \($0)" } ?? ""); nothing "
          + "was written.", "Stop the running member first, or use another member name."
      )
    case .notAMember(let member):
      ("\"\(member)\" is not a member of this store.", "Launch the member first.")
    case .lost(let member):
      (
        "\"\(member)\" was cut off: a purge may have deleted history that it had not merged.",
        "Resync: read the data again and continue from the current token."
      )
    case .unwatchable(let path, let why):
      (
        "Changes of \(path) cannot be watched: \(why).",
        "Close some files, or poll with fetch(_:) instead of watching."
      )
    case .badURL(let text):
      (
        "\"\(text)\" is not the URL of an object.",
        "Use the form x-history://STORE/ENTITY/pKEY."
      )
    case .otherStoreURL(let text, let store):
      (
        "\"\(text)\" identifies an object of another store than \(store).",
        "Request the object from its own store."
      )
    case .replaced(let path):
      (
        "\(path) was replaced after it was opened: it now contains another store.",
        "Open the store again, and read its data again."
      )
    case .severalStores(let paths):
      (
        "\(paths.joined(separator: ", ")) keep history, but a tracker tracks only one store.",
        "Make one tracker for each store, with the contexts of that store."
      )
    case .unknownHook(let hook): ("The tracker has no \(hook).", "Use the ID of a registered hook.")
    case .hookFailed(let name, let why):
      (
        "The hook for \(name) threw: \(why). The cursor and the history after it are unchanged.",
        "Fix or remove the hook, or register it with the policy `.skip`."
      )
    case .insideHook(let member):
      (
        "A hook of the tracker \"\(member)\" called a method that waits for the tracker, but the "
          + "tracker waits for the hook.",
        "Call the method after the hook returns, or in a task that the hook does not await."
      )
    case .stopped(let why):
      ("The request ended because code that it called, such as a closure, threw \"\(why)\".", nil)
    case .damaged(let path, let what):
      ("\(path) is damaged: \(what).", "Restore it from a copy.")
    case .damagedTransaction(let number):
      (
        "The changes of transaction #\(number) cannot be read: the file is damaged.",
        "Restore it from a copy, or purge through that transaction and resync."
      )
    case .changedSchema(let path, let missing):
      (
        "Another program has changed the schema of \(path): \(missing.joined(separator: ", ")) "
          + (missing.count == 1 ? "is missing." : "are missing."),
        "Restore missing tables and columns from a copy. To create triggers again, open the store once "
          + "with foreignWrites set; writes made without the triggers are not in history."
      )
    }
  }
}

extension HistoryError.Reason {
  /// Returns names in parentheses, after a space; empty if there are none.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", ..." : "")
    return names.isEmpty ? "" : " (\(shown))"
  }

  /// Returns `Did you mean "name"? ` with the nearest known name; empty if no known name is near.
  private static func hint(_ name: String, _ known: [String]) -> String {
    NearestWord.find(name, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
  }
}

extension AttributeType {
  /// The limits on values of the type, worded to follow the type's name in a message.
  fileprivate var limits: String {
    switch self {
    case .double, .date: " other than NaN"
    case .string, .data: " of at most 500 MB"
    case .int, .bool, .uuid: ""
    }
  }
}

extension HistoryError {
  package static func sqlite(_ error: SQLiteError) -> Self {
    Self(.sqlite(error))
  }

  package static func foreignFile(path: String) -> Self {
    Self(.foreignFile(path: path))
  }

  package static func newerFormat(path: String, found: Int64, known: Int64) -> Self {
    Self(.newerFormat(path: path, found: found, known: known))
  }

  package static func otherModel(path: String, _ conflict: ModelConflict) -> Self {
    Self(.otherModel(path: path, conflict))
  }

  package static func olderMembers(path: String, _ members: [OlderMember]) -> Self {
    Self(.olderMembers(path: path, members))
  }

  package static func untracked(path: String) -> Self {
    Self(.untracked(path: path))
  }

  package static func readOnly(path: String) -> Self {
    Self(.readOnly(path: path))
  }

  package static func suspended(path: String) -> Self {
    Self(.suspended(path: path))
  }

  package static func insideRequest(path: String) -> Self {
    Self(.insideRequest(path: path))
  }

  package static func storeInUse(path: String) -> Self {
    Self(.storeInUse(path: path))
  }

  package static func file(path: String, reason: String) -> Self {
    Self(.file(path: path, reason: reason))
  }

  package static func entityTwice(_ text: String) -> Self {
    Self(.entityTwice(text))
  }

  package static func openForReading(path: String) -> Self {
    Self(.openForReading(path: path))
  }

  package static func snapshotLost(path: String) -> Self {
    Self(.snapshotLost(path: path))
  }

  package static func unreadable(_ text: String) -> Self {
    Self(.unreadable(text))
  }

  package static func cannotCopy(path: String, folder: String, reason: String) -> Self {
    Self(.cannotCopy(path: path, folder: folder, reason: reason))
  }

  package static func unknownEntity(_ name: String, in model: Model) -> Self {
    unknownEntity(name, known: model.entities.filter(\.isDeclared).map(\.name))
  }

  package static func unknownEntity(_ name: String, known: [String]) -> Self {
    Self(.unknownEntity(name, known: known))
  }

  package static func unknownAttribute(_ name: String, of entity: Entity) -> Self {
    unknownAttribute(name, of: entity.name, known: entity.attributes.map(\.name))
  }

  package static func unknownAttribute(
    _ name: String,
    of entity: String,
    known: [String]
  ) -> Self {
    Self(.unknownAttribute(name, entity: entity, known: known))
  }

  package static func noLinkEntity(_ name: String, of entity: String, attribute: String?) -> Self {
    Self(.noLinkEntity(name, of: entity, attribute: attribute))
  }

  package static func unfitValue(entity: String, attribute: String, type: AttributeType) -> Self {
    Self(.unfitValue(entity: entity, attribute: attribute, type: type))
  }

  package static func unfitDestination(
    entity: String,
    attribute: String,
    wanted: String,
    found: String
  ) -> Self {
    Self(.unfitDestination(entity: entity, attribute: attribute, wanted: wanted, found: found))
  }

  package static func unorderedReference(entity: String, attribute: String) -> Self {
    Self(.unorderedReference(entity: entity, attribute: attribute))
  }

  package static func unfitMember(entity: String, attribute: String, found: String) -> Self {
    Self(.unfitMember(entity: entity, attribute: attribute, found: found))
  }

  package static func notReferring(
    _ object: ObjectID,
    to destination: ObjectID,
    attribute: String
  ) -> Self { Self(.notReferring(object, to: destination, attribute: attribute)) }

  package static func indexOutOfRange(_ index: Int, count: Int) -> Self {
    Self(.indexOutOfRange(index, count: count))
  }

  package static func missingValue(
    _ object: ObjectID?,
    entity: String,
    attribute: String
  ) -> Self {
    Self(.missingValue(object, entity: entity, attribute: attribute))
  }

  package static func unfitRecord(_ type: String) -> Self { Self(.unfitRecord(type)) }

  package static func predicateTooLarge(_ limit: PredicateLimit, found: Int) -> Self {
    Self(.predicateTooLarge(limit, found: found))
  }

  package static func negativeBound(_ name: String, _ found: Int) -> Self {
    Self(.negativeBound(name, found))
  }

  package static func notANumber(
    _ attribute: String,
    of entity: Entity,
    type: AttributeType
  ) -> Self {
    Self(.notANumber(entity: entity.name, attribute: attribute, type: type))
  }

  package static func sumTooLarge(_ attribute: String, of entity: Entity) -> Self {
    Self(.sumTooLarge(entity: entity.name, attribute: attribute))
  }

  package static func unknownObject(_ object: ObjectID) -> Self {
    Self(.unknownObject(object))
  }

  package static func deleteDenied(_ object: ObjectID, by others: [ObjectID]) -> Self {
    Self(.deleteDenied(object, by: others))
  }

  package static func danglingReference(_ objects: [ObjectID]) -> Self {
    Self(.danglingReference(objects))
  }

  package static func duplicate(
    _ objects: [ObjectID],
    entity: String,
    attributes: [String]
  ) -> Self {
    Self(.duplicate(objects, entity: entity, attributes: attributes))
  }

  package static func conflict(_ objects: [ObjectID]) -> Self {
    Self(.conflict(objects))
  }

  package static func otherStore(token: HistoryToken, store: StoreID) -> Self {
    Self(.otherStore(token: token, store: store))
  }

  package static func expired(token: HistoryToken, firstHeld: Int64?) -> Self {
    Self(.expired(token: token, firstHeld: firstHeld))
  }

  package static func rewound(token: HistoryToken, head: Int64) -> Self {
    Self(.rewound(token: token, head: head))
  }

  package static func superseded(_ member: MemberID) -> Self {
    Self(.superseded(member))
  }

  package static func inUse(_ member: MemberID, processID: Int32?) -> Self {
    Self(.inUse(member, processID: processID))
  }

  package static func notAMember(_ member: MemberID) -> Self {
    Self(.notAMember(member))
  }

  package static func lost(_ member: MemberID) -> Self {
    Self(.lost(member))
  }

  package static func unwatchable(path: String, why: String) -> Self {
    Self(.unwatchable(path: path, why: why))
  }

  package static func badURL(_ text: String) -> Self {
    Self(.badURL(text))
  }

  package static func otherStoreURL(_ text: String, store: StoreID) -> Self {
    Self(.otherStoreURL(text, store: store))
  }

  package static func replaced(path: String) -> Self {
    Self(.replaced(path: path))
  }

  package static func severalStores(_ texts: [String]) -> Self {
    Self(.severalStores(texts))
  }

  package static func unknownHook(_ text: String) -> Self {
    Self(.unknownHook(text))
  }

  package static func hookFailed(_ text: String, why: String) -> Self {
    Self(.hookFailed(text, why: why))
  }

  package static func insideHook(_ member: MemberID) -> Self {
    Self(.insideHook(member))
  }

  package static func stopped(_ text: String) -> Self {
    Self(.stopped(text))
  }

  package static func damaged(path: String, what: String) -> Self {
    Self(.damaged(path: path, what: what))
  }

  package static func changedSchema(path: String, _ missing: [String]) -> Self {
    Self(.changedSchema(path: path, missing))
  }

  package static func damagedTransaction(_ number: Int64) -> Self {
    Self(.damagedTransaction(number))
  }
}

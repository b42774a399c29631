package import HistoryTypes

/// A request for history, or a purge of a part of it, that an actor makes outside of its passes.
///
/// Positions are relative to the newest transaction or to the clock, because a plan does not know
/// the transaction numbers of its writes. The answer therefore also contains the newest transaction
/// and the clock value.
package struct PlannedQuery: Hashable, Sendable {
  /// The kind of request.
  ///
  /// Some kinds, such as ``large``, run a scripted test of the library instead (``isScript``).
  /// ``PlannedQuery/page`` is then the random seed of the test; for ``watch``, it selects a variant.
  package enum Form: String, Hashable, Sendable, CaseIterable {
    /// Requests the matching transactions with all of their changes, page by page.
    case transactions
    /// Requests the matching transactions without changes, page by page.
    case headers
    /// Requests the matching changes, page by page.
    case changes
    /// Requests the matching transactions with all of their changes, as an asynchronous sequence of
    /// pages.
    case stream
    /// Requests the number of matching transactions.
    case count
    /// Requests the number of matching changes.
    case changeCount
    /// Requests the objects that the matching changes inserted, updated or deleted.
    case objects
    /// Requests whether any transaction matches.
    case exists
    /// Requests the one transaction at the query's position; the query's filter does not apply.
    case transaction
    /// Requests the changes after the query's position with SQL; the query's filter does not apply.
    case sql
    /// Counts the rows of transactions in the store's file, with SQL.
    ///
    /// A purged transaction counts too if its row is still in the file.
    case rows
    /// Requests the registered members and their cursors.
    case members
    /// Requests the objects of an entity that match conditions on their values.
    case find
    /// Purges history before the query's position.
    ///
    /// The query's filter may limit the purge to authors and contexts.
    case purge
    /// Requests matching objects of an entity, sorted and limited, from a context with unsaved changes.
    case sorted
    /// Requests the objects of an entity by their URIs, and tests the errors for URIs without an
    /// object.
    case uris
    /// Requests the transaction of a token, and tests the errors for tokens of another history.
    case tokens
    /// Requests the size of history and of the file.
    case size
    /// Purges only if the given time has passed since the last purge.
    case due
    /// Requests the settings that differ between members.
    case differences
    /// Requests the registered members, and the number of transactions that each has not merged.
    case lags
    /// A test of one membership, from registration to retirement.
    ///
    /// The member registers. If the query has a date, the member starts at that date, as if
    /// imported from PersistentHistoryTrackingKit. A second process then tries to replace the
    /// member's process. At the end the member retires.
    case visit
    /// Requests the transactions that the store has signalled since the plan started.
    ///
    /// A signal is the store's notification of a commit.
    case signals
    /// Requests the inconsistencies that a verification of the store's file finds.
    case verify
    /// Requests the transactions after the query's position with an SQL query of every column.
    ///
    /// The query's filter does not apply.
    case table
    /// A test of SQL statements and edits that a store must refuse, and of values of every type.
    case refusals
    /// A test that copies the store to disk, and converts, replaces, reads and deletes the copies.
    case files
    /// A test of watching a store on disk: each watch must report the commits of the store.
    case watch
    /// A test of a tracker that runs only during the query.
    ///
    /// If the query has a date, the tracker starts at that date, as if imported from
    /// PersistentHistoryTrackingKit. The answer consists of the tracker's reports, hook calls, log
    /// messages and merged objects.
    case tour
    /// A test of batches and transactions with thousands of changes in a store on disk.
    case large
    /// A test of values, predicates, tokens and `Codable` records, with stores on disk.
    case values
    /// A test of purges before various positions of a short history, with stores on disk.
    case purges
    /// A test of damaged store files, and of files of other programs.
    case damage
    /// A test of trackers with hooks and consumers, with a store on disk.
    case passes
    /// A test of programs with several versions of a model, with stores on disk.
    case models
    /// A test of several stores on disk, with contexts, trackers and imported dates.
    ///
    /// The dates come from PersistentHistoryTrackingKit.
    case containers
    /// A test of a program that writes to a store with plain SQL, without the library.
    ///
    /// Other programs use the same store with the library.
    case foreign
    /// A test of programs that suspend and resume their stores on disk.
    case suspension
    /// A test of live queries, and of links between objects, with stores on disk.
    case lists
    /// A test of undo, pinned contexts and released objects, with stores on disk.
    case edits
    /// A test of ordered references and links, with stores on disk.
    case orders
    /// A test of saves with conflicts, duplicates and delete rules, with stores on disk.
    case conflicts
    /// A test of sums, averages, distinct values and queries, with stores on disk.
    case aggregates
    /// A test of upgrades of stores on disk to newer models.
    case upgrades
    /// A test of trackers that merge, and of deduplicators, which remove duplicate objects.
    ///
    /// The stores are on disk.
    case duplicates
    /// A test of triggers, locks, large files and rare states of a store on disk.
    case edges

    /// Whether the request runs scripted tests of stores on disk; the answer lists their failures.
    package var isScript: Bool {
      switch self {
      case .watch, .large, .values, .purges, .damage, .passes, .models, .containers, .foreign,
        .suspension, .lists, .edits, .orders, .conflicts, .aggregates, .upgrades, .duplicates,
        .edges:
        true
      default: false
      }
    }

    /// Whether the query is about the objects of one entity.
    package var isOfEntity: Bool {
      switch self {
      case .find, .sorted, .uris: true
      default: false
      }
    }
  }

  /// The position after which the query requests history, or before which it purges.
  package enum Start: Hashable, Sendable {
    /// The query starts at the beginning of history; a purge is not limited by a position.
    case beginning
    /// The position is a number of transactions before the newest one.
    case behind(Int)
    /// The position is a number of seconds before the current time.
    case ago(Double)
  }

  package var actor: ActorID
  package var form: Form
  package var start: Start
  /// The conditions of the filter; an empty list matches everything.
  package var terms: [QueryTerm]
  /// Whether one condition suffices for a match; if `false`, all conditions must hold.
  package var matchesAny: Bool
  /// The maximum number of transactions on a page.
  ///
  /// For queries that run a script, which have no pages, it is the script's random seed. For
  /// ``Form/sql`` and ``Form/watch``, it selects a variant of the test.
  package var page: Int
  /// The number of changes after which a page ends.
  package var changeLimit: Int
  /// The entity whose objects are requested; `nil` if the query requests none.
  package var entity: String?
  /// The conditions on the requested objects, all of which must hold.
  package var conditions: [PlannedCondition]
  /// The sort order of the form ``Form/sorted``.
  package var orders: [PlannedOrder]
  /// The unsaved changes in the context that runs a query of the form ``Form/sorted``.
  package var pending: [PlannedChange]

  package static let changeLimitDefault = 100_000

  package init(
    actor: ActorID,
    form: Form = .transactions,
    start: Start = .beginning,
    terms: [QueryTerm] = [],
    matchesAny: Bool = false,
    page: Int = 1000,
    changeLimit: Int = Self.changeLimitDefault,
    entity: String? = nil,
    conditions: [PlannedCondition] = [],
    orders: [PlannedOrder] = [],
    pending: [PlannedChange] = []
  ) {
    self.actor = actor
    self.form = form
    self.start = start
    self.terms = terms
    self.matchesAny = matchesAny
    self.page = page
    self.changeLimit = changeLimit
    self.entity = entity
    self.conditions = conditions
    self.orders = orders
    self.pending = pending
  }
}

/// An attribute to sort objects by.
package struct PlannedOrder: Hashable, Sendable {
  package var attribute: String
  package var isAscending: Bool

  package init(_ attribute: String, isAscending: Bool = true) {
    self.attribute = attribute
    self.isAscending = isAscending
  }
}

/// One condition of a query's filter.
package struct QueryTerm: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case author(String?)
    case context(String?)
    case entity(String)
    case type(ChangeType)
    case object(ObjectName)
    /// Matches the newest transactions, up to the given number.
    case newest(Int)
    /// Matches the transactions whose age is from 0 to the given number of seconds, inclusive.
    case recent(Double)
  }
  package var subject: Subject
  package var isNegated: Bool

  package init(_ subject: Subject, isNegated: Bool = false) {
    self.subject = subject
    self.isNegated = isNegated
  }
}

/// The answer to a query, with the newest transaction and the clock value at the time of the
/// answer.
package struct QueryAnswer: Hashable, Sendable {
  /// The newest transaction; `nil` if history is empty.
  package var head: TransactionName?
  /// The clock's value, in seconds since 2001-01-01 UTC.
  package var now: Double
  /// The answer, one line for each transaction, object or number.
  package var lines: [String]

  package init(head: TransactionName?, now: Double, lines: [String]) {
    self.head = head
    self.now = now
    self.lines = lines
  }
}

extension QueryAnswer {
  /// The answer to a query whose position has expired: transactions after the position were purged.
  package static let expired = ["expired"]

  /// Returns the line of an answer for an object: its name, then the given values.
  package static func line(_ object: ObjectName, _ values: [Value]) -> String {
    // A file does not keep the sign of zero, so a negative zero is shown as zero.
    let shown = values.map { $0 == .double(0) ? .double(0) : $0 }
    return ([object.description] + shown.map(\.description)).joined(separator: " ")
  }

  /// Returns the line of an answer for a setting: a group of members for each value of the setting.
  package static func line(_ setting: String, groups: [[String]]) -> String {
    let texts = groups.map { $0.sorted().joined(separator: "+") }.sorted()
    return "\(setting): " + texts.joined(separator: " | ")
  }

  /// Returns the line of an answer for a member, with its number of unmerged transactions.
  package static func line(
    _ member: ActorID,
    author: String?,
    behind count: Int,
    seconds: Double
  ) -> String {
    // The time is rounded, because the system computes it as a duration and not as a double.
    "\(member) by \(author ?? "-"), \(count) behind, \((seconds * 1000).rounded() / 1000) s"
  }

  /// Returns the line of an answer for a transaction: its number, author and context.
  package static func line(_ transaction: CommittedTransaction) -> String {
    "#\(transaction.name) \(transaction.author ?? "-") in \(transaction.context ?? "-")"
  }

  /// Returns the line of an answer for a transaction, with the given changes sorted by object.
  package static func line(
    _ transaction: CommittedTransaction,
    with changes: [CommittedChange]
  ) -> String {
    let sorted = changes.sorted {
      ($0.object, $0.type.rawValue) < ($1.object, $1.type.rawValue)
    }
    let texts = sorted.map { change in
      let columns =
        change.columns.isEmpty ? "" : " " + change.columns.sorted().joined(separator: "+")
      return "\(change.type.word) \(change.object)" + (change.type == .update ? columns : "")
    }
    return line(transaction) + ": " + texts.joined(separator: ", ")
  }
}

/// A command in which a consumer reads history page by page, through the library's
/// `HistoryConsumer`.
///
/// If ``steps`` is empty, the consumer passes every new page to a closure, and confirms the page
/// when the closure returns. Otherwise a process of the consumer starts, performs the steps and
/// ends.
package struct PlannedReading: Hashable, Sendable {
  package var consumer: ActorID
  /// The maximum number of transactions of a page.
  package var page: Int
  /// The entity filter: a transaction matches if it changes the entity; `nil` if all match.
  package var entity: String?
  /// The author filter: a transaction matches if it has the author; `nil` if all match.
  package var author: String?
  /// The page, counted from 1, at which the closure that receives the pages throws; `nil` for none.
  package var stopsAt: Int?
  /// The steps by which the consumer reads; if empty, it passes every new page to a closure.
  package var steps: [ReadingStep]

  package init(
    _ consumer: ActorID,
    page: Int = 1000,
    entity: String? = nil,
    author: String? = nil,
    stopsAt: Int? = nil,
    steps: [ReadingStep] = []
  ) {
    self.consumer = consumer
    self.page = page
    self.entity = entity
    self.author = author
    self.stopsAt = stopsAt
    self.steps = steps
  }
}

/// A step of a consumer that reads history page by page.
package enum ReadingStep: String, Hashable, Sendable, CaseIterable {
  /// The process requests the next page.
  case next
  /// The process confirms the last page that it received.
  case confirm
  /// The process requests all unconfirmed pages again.
  case startOver
  /// The process ends, and another one starts at the confirmed position.
  case restart
  /// A second process of the consumer starts while the first one runs.
  case overtake
  /// The process tries to confirm two positions that must be refused.
  ///
  /// One is after the newest transaction, the other is a position of another store.
  case misplace
  /// The process ends its membership, and a second process registers at the newest position.
  case retire
}

import DiskScripts
import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

extension PlanProcess {
  /// Answers a plan's query through the process's own connection, and logs the answer.
  ///
  /// The log entry contains the newest transaction and the time, from which checkers resolve
  /// relative positions.
  func query(
    _ query: PlannedQuery,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let now = store.configuration.clock()
    let head = try mappingErrors { () throws(HistoryError) in try store.currentToken() }
    var answer = QueryAnswer(
      head: head.number > 0 ? String(head.number) : nil,
      now: now.timeIntervalSinceReferenceDate,
      lines: []
    )
    let resolved = ResolvedQuery(query, head: head.number, now: answer.now, planStore.objects)
    // These requests report their errors as lines, because they use their own folder.
    if let lines = try diskLines(query, planStore) {
      answer.lines = lines
      return log.add(actor.id, .answered(answer))
    }
    do throws(SystemFailure) {
      try mappingErrors { () throws(HistoryError) in
        if query.form == .purge || query.form == .due {
          try planStore.purging(actor.id, &log) { _ throws(HistoryError) in
            answer.lines = try query.form == .due ? purgeIfDue(query) : purge(resolved)
          }
        } else {
          answer.lines = try lines(resolved, planStore)
        }
      }
    } catch  where error.code == .expired {
      answer.lines = QueryAnswer.expired
    }
    log.add(actor.id, .answered(answer))
  }

  /// Returns the answer to a request that uses its own stores on disk; `nil` for other requests.
  private func diskLines(
    _ query: PlannedQuery,
    _ planStore: PlanStore
  ) throws(SystemFailure) -> [String]? {
    guard query.form == .files else {
      return try query.diskFaults(beside: store, patience: planStore.environment.patience)
    }
    let folder = try ScratchFolder()
    var script = FileScript(store: store, seed: query.page)
    let names = try mappingErrors { () throws(HistoryError) in
      try script.fill(folder) { planStore.objects.name($0, in: store.model) }
    }
    return script.run(folder, names)
  }

  private func lines(
    _ query: ResolvedQuery,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    switch query.form {
    case .transaction:
      let found = try store.transaction(TransactionNumber(query.number ?? 0))
      return found.map { [line(planStore.committed($0))] } ?? []
    case .sql: return try sqlLines(query, planStore)
    case .rows: return try rowCount()
    case .find: return try found(query.planned, planStore)
    case .members: return try store.members().compactMap(Self.line) + registryFaults()
    case .sorted: return try sorted(query.planned, planStore)
    case .uris: return try uris(of: query.planned.entity ?? "", planStore)
    case .tokens: return try tokenLines(query.number, planStore)
    case .size: return try sizeLines()
    case .differences: return try differenceLines()
    case .lags: return try lagLines()
    case .visit: return try visit(importing: query.date)
    case .signals: return planStore.signals.reported.map { String($0) }
    case .verify: return try verificationLines()
    case .table: return try tableLines(after: query.number ?? 0, query.planned, planStore)
    case .refusals: return try refusalLines()
    case .tour: return try tour(query.planned, from: query.date, planStore)
    case .files, .watch, .large, .values, .purges, .damage, .passes, .models, .containers, .foreign,
      .suspension, .lists, .edits, .orders, .conflicts, .aggregates, .upgrades, .duplicates, .edges:
      return []
    case .exists: return [String(try store.hasHistory(try request(query)))]
    case .count, .changeCount, .objects:
      let request = try request(query)
      guard try advances(request) else {
        return ["a page of the request ends where the page before it ended"]
      }
      return query.form == .objects
        ? try objectLines(request, planStore) : [String(try store.count(request))]
    case .stream:
      let pages = try streamed(try request(query))
      return joined(pages.flatMap(\.transactions).map(planStore.committed)).map(line)
        + pages.flatMap { Self.pageFaults($0, query.planned, isSplit: true) }
    case .transactions, .headers, .changes, .purge, .due:
      let pages = try fetched(try request(query))
      return pages.flatMap { lines($0, query, planStore) }
        + pages.flatMap { Self.pageFaults($0, query.planned) }
    }
  }

  /// Returns whole transactions, joined from the parts that successive pages contain.
  private func joined(_ parts: [CommittedTransaction]) -> [CommittedTransaction] {
    var whole: [CommittedTransaction] = []
    for part in parts {
      if whole.last?.name == part.name {
        whole[whole.count - 1].changes += part.changes
      } else {
        whole.append(part)
      }
    }
    return whole
  }

  /// Returns a line about a page that ends at the wrong transaction; empty if the page is correct.
  ///
  /// A page of whole transactions must end with the transaction in which the change limit is
  /// reached.
  private static func pageFaults(
    _ page: HistoryPage,
    _ query: PlannedQuery,
    isSplit: Bool = false
  ) -> [String] {
    let counts = page.transactions.map(\.changes.count)
    let sum = counts.reduce(0, +)
    let isTooLarge =
      counts.count > query.page || sum - (counts.last ?? 0) >= query.changeLimit
    let isTooSmall =
      !isSplit && page.hasMore && counts.count < query.page && sum < query.changeLimit
    return isTooLarge || isTooSmall
      ? ["a page with \(counts.count) transactions and \(sum) changes ends at the wrong place"] : []
  }

  /// Finds objects through a separate context, so that the actor's own contexts stay unchanged.
  private func found(
    _ query: PlannedQuery,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    let predicate = ObjectPredicate.all(query.conditions.map(ObjectPredicate.init))
    return try context.objects(query.entity ?? "", where: predicate)
      .map { planStore.objects.name($0.id, in: store.model).description }.sorted()
  }

  private static func line(_ member: Member) -> String? {
    guard member.state == .active else { return nil }
    return "\(member.id) at \(member.cursor)" + (member.kind == .consumer ? ", consumer" : "")
  }

  private func rowCount() throws(HistoryError) -> [String] {
    let table = store.configuration.layout == .packed ? "history_transaction" : "ATRANSACTION"
    return try store.query("SELECT count(*) FROM \(table)").rows.flatMap { $0.map(\.description) }
  }

  /// Returns the rows of the table-valued function `history_changes` after the position of the query.
  private func sqlLines(
    _ query: ResolvedQuery,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    let limits = [
      "number > ?1", "number >= ?1 + 1", "number BETWEEN ?1 + 1 AND 1e9", "?1 < number",
    ]
    let sql =
      "SELECT number, type, entity, key FROM history_changes WHERE \(limits[query.page % limits.count])"
    return try store.query(sql, [.int(query.number ?? 0)]).rows.map { row in
      guard case .int(let number) = row[0], case .string(let type) = row[1],
        case .string(let entity) = row[2], case .int(let key) = row[3],
        let described = store.model.number(of: entity)
      else { return row.description }
      let name = planStore.objects.name(ObjectID(entity: described, key: key), in: store.model)
      return "#\(number) \(type) \(name)"
    }.sorted()
  }

  /// Returns the names of the objects that have changes in history.
  ///
  /// To test URIs, the identifier of each object is first converted to a URI and back. A name that
  /// denoted several objects, one after another, appears once.
  private func objectLines(
    _ request: HistoryRequest,
    _ planStore: PlanStore
  ) throws(HistoryError) -> [String] {
    let names = try store.objectIDs(request).map { (id) throws(HistoryError) in
      let same = try store.objectID(forURI: store.uri(of: id))
      return planStore.objects.name(same, in: store.model)
    }
    return Set(names).map(\.description).sorted()
  }

  private func lines(
    _ page: HistoryPage,
    _ query: ResolvedQuery,
    _ planStore: PlanStore
  ) -> [String] {
    page.transactions.map { transaction in
      let reported = planStore.committed(transaction)
      return query.form == .headers ? QueryAnswer.line(reported) : line(reported)
    }
  }

  func line(_ transaction: CommittedTransaction) -> String {
    QueryAnswer.line(transaction, with: transaction.changes)
  }

  /// The maximum number of pages that are read for an answer; a correct store never returns more.
  private static let pageCountMax = 1_000

  private func fetched(_ first: HistoryRequest) throws(HistoryError) -> [HistoryPage] {
    var pages: [HistoryPage] = []
    var request = first
    while pages.count < Self.pageCountMax {
      let page = try store.fetch(request)
      pages.append(page)
      guard page.hasMore else { break }
      request = request.next(after: page)
    }
    return pages
  }

  /// Returns whether each page of a request ends later than the page before.
  ///
  /// If pages did not advance, reading all of them would never end.
  private func advances(_ first: HistoryRequest) throws(HistoryError) -> Bool {
    var request = first
    var last: HistoryToken?
    while true {
      let page = try store.fetch(request)
      guard page.hasMore else { return true }
      guard page.scannedThrough != last else { return false }
      last = page.scannedThrough
      request = request.next(after: page)
    }
  }

  private func streamed(_ request: HistoryRequest) throws(HistoryError) -> [HistoryPage] {
    var reader = try store.reader(request)
    var pages: [HistoryPage] = []
    while pages.count < Self.pageCountMax, let page = try reader.next() { pages.append(page) }
    return pages
  }

  private func request(_ query: ResolvedQuery) throws(HistoryError) -> HistoryRequest {
    var request: HistoryRequest
    if let date = query.date {
      request = HistoryRequest(after: date, filter: query.filter, transactionCountMax: query.page)
    } else if let number = query.number,
      let transaction = try store.transaction(TransactionNumber(number))
    {
      request = HistoryRequest(
        after: transaction,
        filter: query.filter,
        transactionCountMax: query.page
      )
    } else {
      request = HistoryRequest(after: nil, filter: query.filter, transactionCountMax: query.page)
    }
    request.changeCountMax = query.planned.changeLimit
    switch query.form {
    case .headers: request.contents = .transactionsOnly
    case .changes, .changeCount: request.contents = .changesOnly
    default: break
    }
    return request
  }

  private func purge(_ query: ResolvedQuery) throws(HistoryError) -> [String] {
    let result: PurgeResult
    if let date = query.date {
      result = try store.purge(before: date, filter: query.purgeFilter)
    } else if let number = query.number,
      let transaction = try store.transaction(TransactionNumber(number))
    {
      result = try store.purge(before: transaction, filter: query.purgeFilter)
    } else {
      result = try store.purge(filter: query.purgeFilter)
    }
    return ["purged \(result.transactionCount), watermark \(result.watermark)"]
  }
}

/// A planned query whose relative positions are resolved to numbers and dates of the store.
private struct ResolvedQuery {
  let planned: PlannedQuery
  var form: PlannedQuery.Form { planned.form }
  var page: Int { planned.page }
  /// The transaction number of the position; `nil` if the position is a date or the beginning.
  var number: Int64?
  /// The date of the position; `nil` if the position is not a date.
  var date: Date?
  let filter: HistoryFilter?
  let purgeFilter: PurgeFilter

  init(_ query: PlannedQuery, head: Int64, now: Double, _ objects: PlanObjects) {
    planned = query
    switch query.start {
    case .beginning: break
    case .behind(let count): number = head - Int64(count)
    case .ago(let seconds): date = Date(timeIntervalSinceReferenceDate: now - seconds)
    }
    let terms = query.terms.map { HistoryFilter($0, head: head, now: now, objects) }
    filter = terms.isEmpty ? nil : query.matchesAny ? .any(terms) : .all(terms)
    var authors: Set<String?>?
    var contexts: Set<String?>?
    for term in query.terms {
      switch term.subject {
      case .author(let name): authors = (authors ?? []).union([name])
      case .context(let name): contexts = (contexts ?? []).union([name])
      default: break
      }
    }
    purgeFilter = PurgeFilter(authors: authors, contextNames: contexts)
  }
}

extension HistoryFilter {
  fileprivate init(_ term: QueryTerm, head: Int64, now: Double, _ objects: PlanObjects) {
    let filter: HistoryFilter
    switch term.subject {
    case .author(let name): filter = .author(name)
    case .context(let name): filter = .contextName(name)
    case .entity(let name): filter = .entity(name)
    case .type(let type): filter = .type(type)
    case .object(let name): filter = .any(objects.ids(name).map(HistoryFilter.object))
    case .newest(let count):
      let first = head - Int64(count) + 1
      filter = first > head ? .any([]) : .numbers(HistoryFilter.range(first...head))
    case .recent(let seconds):
      let first = Date(timeIntervalSinceReferenceDate: now - max(seconds, 0))
      filter = .timestamps(first...Date(timeIntervalSinceReferenceDate: now))
    }
    self = term.isNegated ? .not(filter) : filter
  }
}

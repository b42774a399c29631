import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The requests about objects, positions and the file.
extension PlanProcess {
  /// Returns objects in a requested order, from a separate context that is never saved.
  ///
  /// Each line contains an object and the values that determine its order.
  func sorted(_ query: PlannedQuery, _ bench: StoreBench) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    let inserted = try edit(query.pending, in: context, bench.objects).inserted
    let new = Dictionary(inserted.map { ($1, $0) }) { first, _ in first }
    var offset = 0
    if case .behind(let count) = query.start { offset = count }
    let found = try context.objects(
      query.entity ?? "",
      where: .all(query.conditions.map(ObjectPredicate.init)),
      sortedBy: query.orders.map { ObjectOrder($0.attribute, isAscending: $0.isAscending) },
      limit: query.page,
      offset: offset
    )
    return found.map { object in
      let name = new[object.id] ?? bench.objects.name(object.id, in: store.model)
      return QueryAnswer.line(name, query.orders.map { object[$0.attribute] ?? .null })
    }
  }

  /// Converts each object's ID to a URI and back; also returns the errors for invalid URIs.
  func uris(of entity: String, _ bench: StoreBench) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    let names = try context.objects(entity).map { (object) throws(HistoryError) in
      let same = try store.objectID(forURI: store.uri(of: object.id))
      return bench.objects.name(same, in: store.model).description
    }
    let none = StoreID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    let foreign = [
      ObjectURI(store: none, entity: entity, key: 1).description,
      ObjectURI(store: store.id, entity: "Nowhere", key: 1).description,
      "x-history://\(store.id)/\(entity)/1",
    ]
    return names.sorted()
      + foreign.map { uri in
        word { () throws(HistoryError) in
          _ = try store.objectID(forURI: uri)
        }
      }
  }

  /// Returns the transaction of a token, and the errors for tokens of other histories.
  func tokenLines(_ number: Int64?, _ bench: StoreBench) throws(HistoryError) -> [String] {
    let head = try store.currentToken()
    let token = try number.flatMap { (number) throws(HistoryError) in
      try store.transaction(TransactionNumber(number))?.token
    }
    let found = try store.transaction(at: token ?? head)
    var lines = [found.map { line(bench.committed($0)) } ?? "none"]
    let none = StoreID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    var foreign = [
      HistoryToken(store: head.store, number: head.number + 1, mark: head.mark),
      HistoryToken(store: none, number: head.number, mark: head.mark),
    ]
    if let found {
      let token = found.token
      foreign.append(
        HistoryToken(store: token.store, number: token.number, mark: token.mark &+ 1)
      )
    }
    for token in foreign {
      lines.append(word { () throws(HistoryError) in _ = try store.transaction(at: token) })
      lines.append(
        word { () throws(HistoryError) in _ = try store.fetch(HistoryRequest(after: token)) }
      )
    }
    return lines
  }

  /// Returns the sizes of history and of the file in bytes.
  func sizeLines() throws(HistoryError) -> [String] {
    let size = try store.historySize()
    return ["\(size.historyBytes) of \(size.storeBytes)"]
  }

  /// Returns one line for each `verify()` result that an intact store cannot have, and for number gaps.
  func verificationLines() throws(HistoryError) -> [String] {
    let findings = try store.verify().filter { $0.isWrong || $0.kind == .gaps }
    return findings.map { $0.kind.sentence(of: Int($0.count)) }
      + [try store.integrityProblem()].compactMap(\.self)
  }

  /// Returns the code of the error that a request throws; `accepted` if the request succeeds.
  func word(_ body: () throws(HistoryError) -> Void) -> String {
    do throws(HistoryError) { try body() } catch {
      return switch error.code {
      case .rewound: "rewound"
      case .expired: "expired"
      case .otherStore, .otherStoreURL: "other store"
      case .unknownEntity: "unknown entity"
      case .badURL: "bad URI"
      case .inUse: "in use"
      case .superseded: "superseded"
      case .notAMember: "not a member"
      default: error.description
      }
    }
    return "accepted"
  }
}

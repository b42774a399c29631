import HistoryTypes
package import Traces

/// At the end of a trace, each view equals the store's data, which equal the reference model.
///
/// A view consists of the objects in one context of a member.
///
/// Verifies: the changes that each write reports are the net effect that the reference model
/// computes from the plan, with the same objects and the same change types. A write commits at most
/// one transaction. A failed write commits none, and its failure needs a reason: a conflict, a
/// fault, or a store that is busy or full. Every reading of the data equals the model. At the end
/// the views of all running members equal the data, except those of members that were notified that
/// they miss history.
///
/// The comparison of a member's views leaves out some objects. These were changed by authors that
/// the member ignores, or in transactions for which a merge hook of the member has replaced the
/// default merge after its contexts were loaded. Objects and attributes that the member's older
/// model lacks are left out too. A partial member, which does not load all objects at its launch,
/// is compared only in the objects that its contexts contain.
///
/// Does not verify: columns, values and tombstones in history (HistoryExplainsData,
/// TombstoneFidelity); views before the end, which may lack transactions. After a write of
/// unknown outcome every possible state is accepted until a later event shows the outcome.
package struct Convergence: Invariant {
  package static let name = "Convergence"
  package static let sentence =
    "At the end each view equals the data, and the data equal what the plan wrote."
  package private(set) var violation: Violation?
  private var views: [FinalView] = []
  private var data: Objects?

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    if let mismatch = timeline.ledger.mismatch {
      violation = Self.violation(mismatch, event, on: timeline)
      return
    }
    guard !timeline.command.isInPlan else { return }
    switch event.kind {
    case .data(let objects): data = objects
    case .viewed(let context, let objects):
      guard let member = timeline.actor else { return }
      views.removeAll { $0.member == member && $0.context == context }
      views.append(FinalView(member: member, context: context, objects: objects, at: event.at))
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    if let undecided = timeline.ledger.undecided { return .unknown(undecided) }
    guard let data else { return .unknown("The trace ends without the store's data.") }
    let watched = timeline.members { $0.mustMerge && !$0.isConsumer }
    var unseen = watched
    for view in views where watched.contains(timeline.everyone[view.member].bit) {
      unseen.subtract(timeline.everyone[view.member].bit)
      if let violation = view.violation(against: data, on: timeline) { return .invalid(violation) }
    }
    if let member = unseen.first {
      return .unknown("The trace ends without the view of \(timeline.everyone[member].id).")
    }
    guard timeline.hasForeignWork(for: watched) else {
      return .unknown("No running member had to merge a change of another member.")
    }
    return .valid
  }

  private static func violation(
    _ mismatch: Mismatch,
    _ event: Event,
    on timeline: Timeline
  ) -> Violation {
    var transaction: TransactionName?
    if case .committed(let reported) = event.kind { transaction = reported.name }
    if case .data(let difference) = mismatch {
      transaction = timeline.lastWrite(of: difference.object).map {
        timeline.log.transactions[$0].commit.name
      }
    }
    return Self.violation(
      at: event,
      because: mismatch.sentence(event.who, transaction),
      transaction: transaction
    )
  }
}

/// The objects of one context at the end of the trace.
private struct FinalView: Sendable {
  let member: Int
  let context: String
  let objects: Objects
  let at: Int

  func violation(against data: Objects, on timeline: Timeline) -> Violation? {
    let leftOut = objectsLeftOut(on: timeline)
    let id = timeline.everyone[member].id
    var data = Self.data(data, knownTo: id, timeline.plan.header)
    if timeline.plan.header.actor(id)?.isPartial == true {
      data = data.filter { objects[$0.key] != nil }
    }
    guard let difference = Difference(from: data, to: objects, except: leftOut) else { return nil }
    let last = timeline.lastWrite(of: difference.object)
    let cause = last.map { " (\(timeline.writer(of: $0)) last wrote it in \(timeline.label($0)))" }
    let owner = context == "view" ? "\(id)'s view" : "\(id)'s context \(context)"
    return Violation(
      checker: Convergence.name,
      at: at,
      because: difference.sentence(of: owner, against: "the store") + (cause ?? ""),
      transaction: last.map { timeline.log.transactions[$0].commit.name }
    )
  }

  /// Returns the part of the data that an actor's model version contains.
  private static func data(_ data: Objects, knownTo id: ActorID, _ header: PlanHeader) -> Objects {
    guard header.isOlder(id) else { return data }
    var known: Objects = [:]
    for entity in header.olderModel.entities {
      let names = Set(entity.attributes.map(\.name))
      for (object, values) in data where object.entity == entity.name {
        known[object] = values.filter { names.contains($0.key) }
      }
    }
    return known
  }

  /// Returns the names that a view may use for outdated objects that had this object's name.
  ///
  /// A view that has merged an insert, but not the earlier delete of the same name, contains two
  /// objects of that name. The older object then gets one of the returned names instead; these have
  /// negative keys.
  private static func aliases(of object: ObjectName) -> [ObjectName] {
    (0..<aliasCountMax).map { ObjectName(object.entity, -object.key - 1000 * Int64($0)) }
  }

  /// The number of names that ``aliases(of:)`` returns.
  ///
  /// Plans rarely delete and insert an object more often than this.
  private static let aliasCountMax = 32

  /// Returns the objects in transactions that the member ignores or that its merge hooks handled.
  private func objectsLeftOut(on timeline: Timeline) -> Set<ObjectName> {
    let (id, bit) = (timeline.everyone[member].id, timeline.everyone[member].bit)
    let authors = timeline.plan.header.actor(id)?.ignores ?? []
    var objects: Set<ObjectName> = []
    for position in timeline.log.transactions.indices.dropFirst(
      timeline.everyone[member].registeredFrom
    ) {
      let commit = timeline.log.transactions[position].commit
      let isIgnored = commit.author.map(authors.contains) ?? false
      guard isIgnored || timeline.log.statuses[position].finished.contains(bit) else { continue }
      for change in commit.changes {
        objects.formUnion([change.object] + Self.aliases(of: change.object))
      }
    }
    return objects
  }
}

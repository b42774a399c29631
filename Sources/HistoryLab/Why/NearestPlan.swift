import Traces

/// One edit of a plan's commands, with the edited plan.
struct PlanEdit: Hashable, Sendable {
  /// The kind of edit; the associated values are indices of commands in a plan, from 0.
  enum Kind: Hashable, Sendable {
    /// A command moves from an index in the original plan to an index in the edited plan.
    case moved(from: Int, to: Int)
    /// The edited plan has, at an index, a command that the original plan lacks.
    case added(at: Int)
    /// The edited plan lacks the command at an index of the original plan.
    case leftOut(Int)
  }
  let kind: Kind
  let plan: Plan

  /// Returns rows that align both plans: the index of a command in the original and in the edited plan.
  func rows(of count: Int) -> [(original: Int?, edited: Int?)] {
    switch kind {
    case .leftOut(let left):
      return (0..<count).map { ($0, $0 == left ? nil : $0 < left ? $0 : $0 - 1) }
    case .added(let place):
      let before: [(Int?, Int?)] = (0..<place).map { ($0, $0) }
      return before + [(nil, place)] + (place..<count).map { ($0, $0 + 1) }
    case .moved(let from, let to):
      var rows: [(Int?, Int?)] = []
      let others = (0..<count).filter { $0 != from }
      for place in 0...others.count {
        if place == to { rows.append((nil, to)) }
        if place == from { rows.append((from, nil)) }
        if place < others.count { rows.append((others[place], place < to ? place : place + 1)) }
      }
      return rows
    }
  }
}

/// A search for plans that break no invariant but differ from a failing plan in only one command.
struct NearestPlans {
  let plan: Plan
  /// The maximum number of plans that are run for each kind of edit.
  var runCountMax = 1_000

  /// Returns, for each kind of edit, the nearest edited plan for which `holds` returns `true`.
  ///
  /// In the result, a move comes before an addition, and an addition before a removal, because a move
  /// keeps every command. Among moves, a shorter distance is nearer. Of equally near plans, the plan
  /// with the later edit is returned.
  func all<Failure: Error>(
    holds: (Plan) throws(Failure) -> Bool
  ) throws(Failure) -> [PlanEdit] {
    var found: [PlanEdit] = []
    for kinds in [moves, additions, omissions] {
      for (kind, command) in kinds.prefix(runCountMax) {
        let edit = PlanEdit(kind: kind, plan: edited(kind, command))
        guard edit.plan != plan, try holds(edit.plan) else { continue }
        found.append(edit)
        break
      }
    }
    return found
  }

  private typealias Candidate = (kind: PlanEdit.Kind, command: Command?)

  private func edited(_ kind: PlanEdit.Kind, _ command: Command?) -> Plan {
    var plan = plan
    switch kind {
    case .moved(let from, let to): plan = plan.moving(from, to: to)
    case .added(let place): if let command { plan.commands.insert(command, at: place) }
    case .leftOut(let index): plan = plan.leavingOut(index)
    }
    return plan
  }

  private var moves: [Candidate] {
    let count = plan.commands.count
    var moves: [Candidate] = []
    for distance in 1..<max(count, 1) where moves.count < runCountMax {
      for from in (0..<count).reversed() {
        // Two neighbors are exchanged only once: moving either of them gives the same plan.
        let places = distance == 1 ? [from - 1] : [from - distance, from + distance]
        for to in places where (0..<count).contains(to) {
          moves.append((.moved(from: from, to: to), nil))
        }
      }
    }
    return moves
  }

  private var additions: [Candidate] {
    let actors = plan.header.actors.map(\.id)
    let isSignalled = plan.header.drive == .signals
    let passes = actors.map { isSignalled ? Action.poll($0, .delivered) : .pass($0) }
    let actions =
      passes + plan.header.consumers.map { .consume($0) } + actors.map { .launch($0) }
      + actors.map { .stop($0) }
    return (0...plan.commands.count).reversed().flatMap { place in
      actions.map { (.added(at: place), Command($0)) }
    }
  }

  private var omissions: [Candidate] {
    plan.commands.indices.reversed().map { (.leftOut($0), nil) }
  }
}

import Commands

/// The search for the smallest sets of changes to a design with which no plan breaks it.
///
/// A tracking design has one choice for each decision, such as where positions are stored. A change
/// replaces one choice. A plan breaks a design if the design violates an invariant in the plan.
///
/// A set of changes *holds* if no plan breaks the changed design. A plan *rejects* a set if the plan
/// breaks the changed design; ``proofs`` contains all such plans that are known. Sets are tried in
/// the order of their size. Each set is first tested with ``proofs``, because one plan often rejects
/// many sets. Only a set that no known plan rejects is verified. Supersets of a set that holds are
/// left out. The result depends on neither time nor the number of workers.
///
/// The design may also have to purge. As long as no set that holds also purges, the search tries
/// supersets of the sets that hold, and keeps the first superset that holds and purges. Whether the
/// changed design purges is measured only if no known plan rejects the set. A superset is verified
/// only if the changed design purges.
struct MinimalSets<Change: Hashable & Sendable, Proof: Sendable> {
  typealias Changes = Set<Change>

  /// For each decision of the design, such as where positions are stored, the possible changes.
  ///
  /// A set of changes contains at most one change for each decision.
  let alternatives: [[Change]]
  /// Returns, for each set of changes, the index of the first plan that breaks the changed design.
  ///
  /// The plans are those in `proofs`. The index is `nil` if none of the plans breaks the design.
  let reject: (_ sets: [Changes], _ proofs: ArraySlice<Proof>) async throws(LabError) -> [Int?]
  /// Returns plans that break the design with a set of changes; empty if a search finds none.
  let verify: (_ set: Changes) async throws(LabError) -> [Proof]
  /// Returns, for each set of changes, whether the changed design ever purges history.
  ///
  /// The closure is `nil` if the design need not purge.
  var purges: ((_ sets: [Changes]) async throws(LabError) -> [Bool])?
  /// A closure that receives the number of sets of changes decided so far: rejected, or minimal.
  var progress: (Int) -> Void = { _ in }

  /// All known plans, each of which breaks the design with some set of changes.
  private(set) var proofs: [Proof] = []
  /// For each rejected set of changes, the index of a plan in ``proofs`` that breaks the design.
  private(set) var rejections: [Changes: Int] = [:]
  /// The minimal sets of changes found so far: no plan breaks the design with all changes of a set.
  ///
  /// With the changes of any proper subset, some plan breaks the design.
  private(set) var minimal: [Changes] = []
  /// The first superset of a minimal set with which no plan breaks the design and it also purges.
  ///
  /// `nil` if the design need not purge, if it purges with the changes of a minimal set found
  /// before, or if no such superset was found.
  private(set) var purging: Changes?
  /// The sets of changes with which the design never purges: ``purges`` returned `false` for them.
  private(set) var idle: Swift.Set<Changes> = []
  /// The number of sets of changes for which ``verify`` searched for plans that break the design.
  private(set) var verifiedCount = 0
  private var holding: Swift.Set<Changes> = []

  init(
    alternatives: [[Change]],
    reject:
      @escaping (_ sets: [Changes], _ proofs: ArraySlice<Proof>) async throws(LabError) -> [Int?],
    verify: @escaping (_ set: Changes) async throws(LabError) -> [Proof]
  ) {
    self.alternatives = alternatives
    self.reject = reject
    self.verify = verify
  }

  /// Whether a set of changes was found that repairs the design.
  ///
  /// With a repair, no plan breaks the design. If the design must purge, it also purges.
  var isSolved: Bool { purging != nil || minimal.contains { !idle.contains($0) } }

  /// Finds every minimal set of at most `countMax` changes with which no plan breaks the design.
  ///
  /// If the design must purge but does not purge with any minimal set found so far, the search
  /// also tries supersets of the minimal sets.
  mutating func search(upTo countMax: Int) async throws(LabError) {
    for count in 0...max(0, min(countMax, alternatives.count)) {
      let (known, sets) = (minimal, sets(of: count))
      func isLarger(_ set: Changes) -> Bool { known.contains { $0.isSubset(of: set) } }
      try await searchMinimal(among: sets.filter { !isLarger($0) })
      if !isSolved { try await searchPurging(among: sets.filter(isLarger)) }
      if minimal.first?.isEmpty == true, isSolved { return }
    }
  }

  private mutating func searchMinimal(among sets: [Changes]) async throws(LabError) {
    try await rejectAll(sets)
    var found: [Changes] = []
    for set in sets where rejections[set] == nil {
      if try await holds(set) { found.append(set) }
      progress(rejections.count + minimal.count + found.count)
    }
    minimal += found
    _ = try await purging(found)
  }

  /// Sets ``purging`` to the first of `sets` with which the design purges and no plan breaks it.
  ///
  /// Each of `sets` is a superset of one of ``minimal``.
  private mutating func searchPurging(among sets: [Changes]) async throws(LabError) {
    guard purges != nil else { return }
    try await rejectAll(sets)
    for set in try await purging(sets.filter { rejections[$0] == nil }) {
      let isFound = try await holds(set)
      progress(rejections.count + minimal.count)
      guard isFound else { continue }
      purging = set
      return
    }
  }

  private mutating func rejectAll(_ sets: [Changes]) async throws(LabError) {
    for (set, proof) in zip(sets, try await reject(sets, proofs[...])) {
      if let proof { rejections[set] = proof }
    }
    progress(rejections.count + minimal.count)
  }

  /// Returns those of `sets` with which the design purges, and adds the others to ``idle``.
  ///
  /// If the design need not purge, returns all sets without measuring.
  private mutating func purging(_ sets: [Changes]) async throws(LabError) -> [Changes] {
    guard let purges, !sets.isEmpty else { return sets }
    let answers = try await purges(sets)
    idle.formUnion(zip(sets, answers).filter { !$0.1 }.map(\.0))
    return sets.filter { !idle.contains($0) }
  }

  /// Finds a minimal repair within a larger set of changes.
  ///
  /// With a repair, no plan breaks the design, and the design purges if it must. No proper subset
  /// of the result is a repair. Changes are removed as long as none of the plans in ``proofs``
  /// breaks the design with the remaining changes, and the design purges if it must. ``verify`` then
  /// searches for other plans that break the design with the remaining changes. If it finds any,
  /// they are added to ``proofs``, and the reduction starts again.
  ///
  /// - Returns: The minimal repair; `nil` if the larger set itself is no repair.
  mutating func reduce(_ whole: [Change]) async throws(LabError) -> Changes? {
    while try await !isRuledOut(Changes(whole)) {
      var set = Changes(whole)
      for change in whole where try await !isRuledOut(set.subtracting([change])) {
        set.remove(change)
      }
      // Removing several changes at once may be possible even if no single change can be removed.
      let subsets = Self.properSubsets(of: set, in: whole)
      for (subset, proof) in zip(subsets, try await reject(subsets, proofs[...])) {
        rejections[subset] = proof
        guard proof == nil, subset.count < set.count else { continue }
        if try await !purging([subset]).isEmpty { set = subset }
      }
      if try await holds(set) { return set }
    }
    return nil
  }

  /// Returns whether a set of changes is known to be no repair.
  ///
  /// A set is no repair if a plan breaks the changed design, or if the design must purge and the
  /// changed design never purges. Only the plans in ``proofs`` are tried.
  private mutating func isRuledOut(_ set: Changes) async throws(LabError) -> Bool {
    if try await isRejected(set) { return true }
    return try await purging([set]).isEmpty
  }

  /// Returns whether a plan in ``proofs`` breaks the design with a set of changes.
  private mutating func isRejected(_ set: Changes) async throws(LabError) -> Bool {
    if rejections[set] == nil { rejections[set] = try await reject([set], proofs[...])[0] }
    return rejections[set] != nil
  }

  /// Returns a plan that breaks the design if all changes of a set are made except `change`.
  ///
  /// The result is `nil` if no such plan is known.
  func proof(without change: Change, of set: Changes) -> Proof? {
    rejections[set.subtracting([change])].map { proofs[$0] }
  }

  /// Returns whether no plan breaks the design with a set of changes.
  ///
  /// The known plans in ``proofs`` are tried first. If none of them breaks the changed design,
  /// ``verify`` searches for other plans that do.
  private mutating func holds(_ set: Changes) async throws(LabError) -> Bool {
    if holding.contains(set) { return true }
    if try await isRejected(set) { return false }
    verifiedCount += 1
    let found = try await verify(set)
    guard !found.isEmpty else {
      holding.insert(set)
      return true
    }
    rejections[set] = proofs.count
    proofs += found
    return false
  }

  /// Returns all sets of `count` changes, with at most one change for each decision of the design.
  ///
  /// Each array in ``alternatives`` contains the changes for one decision. The sets have the order
  /// of ``alternatives``; decisions before the index `first` are left out.
  private func sets(of count: Int, from first: Int = 0) -> [Changes] {
    guard count > 0 else { return [[]] }
    return alternatives.indices.dropFirst(first).flatMap { index in
      let rest = sets(of: count - 1, from: index + 1)
      return alternatives[index].flatMap { change in rest.map { $0.union([change]) } }
    }
  }

  private static func properSubsets(of set: Changes, in order: [Change]) -> [Changes] {
    let all = order.filter(set.contains)
    return properSubsets(of: all.count).map { places in Changes(places.map { all[$0] }) }
  }

  /// Returns the proper subsets of the numbers from 0 to `count` - 1, the smallest first.
  ///
  /// The result is empty if `count` is above 20, because the subsets are too many.
  static func properSubsets(of count: Int) -> [[Int]] {
    guard count <= 20 else { return [] }
    let subsets: [[Int]] = (0..<(1 << count) - 1).map { bits in
      (0..<count).filter { bits >> $0 & 1 == 1 }
    }
    return subsets.sorted { one, other in
      one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
  }
}

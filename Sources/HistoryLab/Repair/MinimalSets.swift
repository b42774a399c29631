import Commands

/// The search for the smallest sets of changes after which no plan breaks the design.
///
/// A set of changes *holds* if no plan breaks the changed design. A plan *rejects* a set if the plan
/// breaks the changed design; ``proofs`` contains all such plans that are known. Sets are tried in
/// the order of their size. Each set is first tested with ``proofs``, because one plan often rejects
/// many sets. Only a set that no known plan rejects is verified. Supersets of a set that holds are
/// left out. The result depends on neither time nor the number of workers.
///
/// The design may also have to purge. As long as no set that holds also purges, the search tries
/// supersets of the sets that hold, and keeps the first superset that holds and purges. Whether the
/// design purges with a set is measured only if no known plan rejects the set. A superset is verified
/// only if the design purges with it.
struct MinimalSets<Change: Hashable & Sendable, Proof: Sendable> {
  typealias Changes = Set<Change>

  /// The possible changes for each decision; a set contains at most one change for each decision.
  let alternatives: [[Change]]
  /// Returns, for each set, the index of the first of `proofs` that breaks the changed design.
  ///
  /// The index is `nil` if none of them does.
  let reject: (_ sets: [Changes], _ proofs: ArraySlice<Proof>) async throws(LabError) -> [Int?]
  /// Searches for plans that break the design with a set of changes; returns none if the set holds.
  let verify: (_ set: Changes) async throws(LabError) -> [Proof]
  /// Returns, for each set, whether the design purges with it; `nil` if the design need not purge.
  var purges: ((_ sets: [Changes]) async throws(LabError) -> [Bool])?
  /// Called with the number of sets that are rejected or accepted so far.
  var progress: (Int) -> Void = { _ in }

  /// All known plans that break the design with some set of changes.
  private(set) var proofs: [Proof] = []
  /// For each rejected set, the index in ``proofs`` of a plan that rejects the set.
  private(set) var rejections: [Changes: Int] = [:]
  /// The minimal sets: no plan breaks the changed design, but one does for every proper subset.
  private(set) var minimal: [Changes] = []
  /// The first superset of a minimal set with which the design holds and also purges.
  ///
  /// The design holds if no plan breaks it. `nil` if the design need not purge, if a minimal set
  /// found earlier purges, or if no such superset was found.
  private(set) var purging: Changes?
  /// The measured sets with which the design never purges.
  private(set) var idle: Swift.Set<Changes> = []
  /// The number of sets that were verified.
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

  /// Whether a set was found with which no plan breaks the design.
  ///
  /// If the design must purge, it must also purge with the set.
  var isSolved: Bool { purging != nil || minimal.contains { !idle.contains($0) } }

  /// Finds every minimal set with at most `countMax` changes.
  ///
  /// If the design must purge but does not purge with any minimal set found so far, the search also
  /// tries supersets of the minimal sets.
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

  /// Sets ``purging`` to the first of `sets` with which the design holds and also purges.
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

  /// Measures whether the design purges with each set, and returns the sets with which it purges.
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
  /// No proper subset of the result is a repair: a plan breaks the design with the subset, or the
  /// design must purge and never purges with the subset. Changes are removed as long as the
  /// remaining set is not ruled out. The remaining set is then verified. If this finds plans that
  /// break the design, they are added to ``proofs``, and the reduction starts again.
  ///
  /// - Returns: The minimal repair; `nil` if a plan breaks the design with the larger set itself, or
  ///   if the design must purge and never purges with the larger set.
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
  /// A set is no repair if a plan breaks the design with the set, or if the design must purge and
  /// never purges with the set. Only the plans in ``proofs`` are tried.
  private mutating func isRuledOut(_ set: Changes) async throws(LabError) -> Bool {
    if try await isRejected(set) { return true }
    return try await purging([set]).isEmpty
  }

  /// Returns whether a plan in ``proofs`` breaks the design with a set of changes.
  private mutating func isRejected(_ set: Changes) async throws(LabError) -> Bool {
    if rejections[set] == nil { rejections[set] = try await reject([set], proofs[...])[0] }
    return rejections[set] != nil
  }

  /// Returns a plan that breaks the design with all changes of a set except `change`.
  ///
  /// The result is `nil` if no such plan is known.
  func proof(without change: Change, of set: Changes) -> Proof? {
    rejections[set.subtracting([change])].map { proofs[$0] }
  }

  /// Returns whether no plan breaks the design with a set of changes.
  ///
  /// The plans in ``proofs`` are tried first. If none breaks the design, the set is verified.
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

  /// Returns all sets with a given number of changes, at most one for each decision, in order.
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

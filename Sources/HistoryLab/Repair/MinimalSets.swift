import Commands

/// The search for the smallest sets of changes that no plan breaks.
///
/// Sets are tried by size. A set is first tried on the proofs found so far, each of which rejects
/// many sets; only those that none rejects are verified. Sets that contain a found one are left out.
/// The result depends on neither time nor the number of workers.
struct MinimalSets<Change: Hashable & Sendable, Proof: Sendable> {
  typealias Changes = Set<Change>

  /// The possible changes of each decision, of which a set contains at most one.
  let alternatives: [[Change]]
  /// Returns, for each set, the position of the first proof from a position on that rejects it.
  let reject: (_ sets: [Changes], _ proofs: ArraySlice<Proof>) async throws(LabError) -> [Int?]
  /// Returns new proofs that a set breaks, or none if it holds.
  let verify: (_ set: Changes) async throws(LabError) -> [Proof]
  /// Called with the number of sets that are decided so far.
  var progress: (Int) -> Void = { _ in }

  private(set) var proofs: [Proof] = []
  /// The position of a proof for each rejected set.
  private(set) var rejections: [Changes: Int] = [:]
  /// The sets that hold and of which no proper subset holds.
  private(set) var minimal: [Changes] = []
  /// The number of sets that were verified.
  private(set) var verifiedCount = 0
  /// The sets that hold.
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

  /// Finds every minimal set with at most `countMax` changes.
  mutating func search(upTo countMax: Int) async throws(LabError) {
    for count in 0...max(0, min(countMax, alternatives.count)) {
      let sets = sets(of: count).filter { set in !minimal.contains { $0.isSubset(of: set) } }
      for (set, proof) in zip(sets, try await reject(sets, proofs[...])) {
        if let proof { rejections[set] = proof }
      }
      progress(rejections.count)
      for set in sets where rejections[set] == nil {
        if try await holds(set) { minimal.append(set) }
        progress(rejections.count + minimal.count)
      }
      if count == 0, !minimal.isEmpty { return }
    }
  }

  /// Finds one minimal set within a larger one, of which every proper subset is rejected by a proof.
  ///
  /// A set that no proof rejects is reduced by the proofs alone, and only then verified. If it
  /// breaks, there is one proof more, and the search starts again.
  ///
  /// - Returns: `nil` if the larger set itself breaks.
  mutating func reduce(_ whole: [Change]) async throws(LabError) -> Changes? {
    while try await !isRejected(Changes(whole)) {
      var set = Changes(whole)
      for change in whole where try await !isRejected(set.subtracting([change])) {
        set.remove(change)
      }
      // Leaving out several changes may hold where leaving out each of them does not.
      let subsets = Self.properSubsets(of: set, in: whole)
      for (subset, proof) in zip(subsets, try await reject(subsets, proofs[...])) {
        rejections[subset] = proof
        if proof == nil, subset.count < set.count { set = subset }
      }
      if try await holds(set) { return set }
    }
    return nil
  }

  /// Returns whether a known proof rejects a set.
  private mutating func isRejected(_ set: Changes) async throws(LabError) -> Bool {
    if rejections[set] == nil { rejections[set] = try await reject([set], proofs[...])[0] }
    return rejections[set] != nil
  }

  /// Returns the proof by which a set without one of its changes breaks.
  func proof(without change: Change, of set: Changes) -> Proof? {
    rejections[set.subtracting([change])].map { proofs[$0] }
  }

  /// Decides a set by the proofs, then by verifying it.
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

  /// Returns all sets with a number of changes, at most one for each decision, in their order.
  private func sets(of count: Int, from first: Int = 0) -> [Changes] {
    guard count > 0 else { return [[]] }
    return alternatives.indices.dropFirst(first).flatMap { index in
      let rest = sets(of: count - 1, from: index + 1)
      return alternatives[index].flatMap { change in rest.map { $0.union([change]) } }
    }
  }

  private static func properSubsets(of set: Changes, in order: [Change]) -> [Changes] {
    let all = order.filter(set.contains)
    guard all.count <= 20 else { return [] }
    return (0..<(1 << all.count) - 1).map { bits in
      Changes(all.indices.filter { bits >> $0 & 1 == 1 }.map { all[$0] })
    }
  }
}

/// The decisions of the store and the tracker that a seeded bug may replace: the one seam of the
/// mutants.
///
/// Each is asked once a statement, page or transaction, never once a change.
package struct HistoryRules: Sendable {
  /// What a save or batch request writes.
  package var writing = WritingRules()
  /// What a page of history holds.
  package var fetching = FetchingRules()
  /// What a merge brings into contexts.
  package var merging = MergingRules()
  /// How far a member has merged.
  package var recording = RecordingRules()
  /// What a purge removes.
  package var purging = PurgingRules()
  /// Who is a member, and from where on.
  package var registry = RegistryRules()

  /// Whether a hook that throws fails the pass, where its policy says so.
  package var hooksFailPasses = true
  /// Whether a tracker begins a pass while another of its passes waits for a hook.
  package var passesOverlap = false
  /// The steps of a pass, in order.
  package var passSteps: [PassStep] = [.fetch, .merge, .record, .purge]
  /// Whether a tracker that starts makes a pass first.
  package var catchesUp = true
  /// Whether a commit is told to other processes; asked at the moment of telling it.
  package var signals: @Sendable (_ number: Int64) -> Bool = { _ in true }
  /// When a commit is told to other processes.
  package var signalMoment = SignalMoment.afterCommit

  package init() {}

  /// The rules as they should be.
  package static let standard = HistoryRules()
}

/// One step of a pass.
package enum PassStep: Sendable, Hashable {
  case fetch
  case merge
  case record
  case purge
}

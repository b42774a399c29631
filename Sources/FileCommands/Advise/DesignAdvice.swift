import Basics
package import Commands
import HistoryInspection
import HistoryStore
import Reporting

/// The behavior of a tracking design under those test conditions that occur in a history.
///
/// A tracking design is a way to track history, such as that of a published library. The lab runs
/// plans, which are lists of commands, and checks whether they break invariants.
package struct DesignAdvice: Sendable, Hashable {
  /// The rule by which the design purges.
  package enum Purging: Sendable, Hashable {
    /// The design never deletes transactions.
    case never
    /// The design deletes all transactions older than `days` days.
    ///
    /// Some designs always do so, others only if a consumer's position is missing or old.
    case byAge(days: Double)
    /// The design deletes only transactions that are known to be merged.
    case byPosition
  }

  /// A short plan that breaks an invariant when it runs under one of the test conditions.
  package struct Break: Sendable, Hashable {
    let condition: String
    package let invariant: String
    /// The commands of the plan, and the reason why it breaks the invariant.
    let sentence: String

    package init(condition: String, invariant: String, sentence: String) {
      self.condition = condition
      self.invariant = invariant
      self.sentence = sentence
    }
  }

  let name: String
  let sentence: String
  let purging: Purging
  /// A clause about the design's purges, such as "purges what is older than seven days".
  let purges: String
  /// The names of the test conditions under which the design was run.
  let conditions: [String]
  /// The test conditions that the design does not support; no plan was run under them.
  let unsupported: [String]
  /// The plans that were run, such as "2 actors to depth 4".
  let scope: String
  /// For each condition and invariant, the shortest plan that breaks the invariant.
  let breaks: [Break]

  package init(
    name: String,
    sentence: String,
    purging: Purging,
    purges: String,
    conditions: [String],
    unsupported: [String],
    scope: String,
    breaks: [Break]
  ) {
    self.name = name
    self.sentence = sentence
    self.purging = purging
    self.purges = purges
    self.conditions = conditions
    self.unsupported = unsupported
    self.scope = scope
    self.breaks = breaks
  }

  /// The age in days of the design's purges; `nil` if it does not purge by age.
  var ageDays: Double? { if case .byAge(let days) = purging { days } else { nil } }
}

extension DesignAdvice {
  /// Sentences about the design: its purges, and the plans and conditions that were run.
  var sentences: [String] {
    let run = "Run: every plan of \(scope), under \(conditions.joinedWithAnd)."
    let left =
      unsupported.isEmpty
      ? [] : ["Not run, because the design does not support it: \(unsupported.joinedWithAnd)."]
    return ["\(name): \(sentence)", "It \(purges).", run] + left
      + (breaks.isEmpty ? ["No plan breaks an invariant."] : [])
  }

  /// The broken invariants, with the conditions and the shortest plans.
  var table: ReportTable {
    var table = ReportTable(
      caption: "What breaks \(name)",
      columns: [.text("condition"), .text("invariant"), .prose("shortest plan")]
    )
    for one in breaks { table.append([one.condition, one.invariant, one.sentence]) }
    return table
  }

  /// The reasons why the design loses history or lets history grow, one for each broken invariant.
  var reasons: [String] {
    let invariants = breaks.map(\.invariant).uniqued
    let broken = invariants.map { invariant in
      let all = breaks.filter { $0.invariant == invariant }
      return
        "The design \(name) breaks \(invariant) under \(all.map(\.condition).uniqued.joinedWithAnd): "
        + all[0].sentence
    }
    return purging == .never
      ? ["The design \(name) never purges: history grows without bound."] + broken : broken
  }
}

/// The function with which `advise` runs tracking designs.
///
/// The default function throws for every design. A module with designs replaces the function.
package struct DesignReader: CompositionPart {
  /// The closure that runs a design, given by its name or file, under the named conditions.
  package var read:
    @Sendable (
      _ name: String,
      _ conditions: [String],
      _ jobs: Int
    ) async throws(LabError) -> DesignAdvice

  /// Creates the default reader, whose ``read`` throws a usage error for every design.
  package init() {
    read = { name, _, _ throws(LabError) in
      throw .usage("--design: this build has no design \(name.quoted). Leave the option out.")
    }
  }
}

/// The test conditions, such as equal timestamps, that occur in the history of a store file.
package enum SeenConditions {
  /// Returns `steady`, followed by the names of the test conditions that occur in a file's history.
  ///
  /// The condition `steady`, in which nothing goes wrong, applies to every history.
  ///
  /// - Throws: a usage error for a file without a readable history.
  package static func names(in path: String) throws(LabError) -> [String] {
    let outline: HistoryOutline
    do throws(InspectionError) {
      outline = try StoreInspector(stopCheck: Interruption.stopCheck).outline(of: path)
    } catch {
      throw .inspection(error)
    }
    return names(in: PastHistory(outline))
  }

  static func names(in history: PastHistory) -> [String] {
    ["steady"] + HistoryCondition.all(in: history).map(\.name)
  }
}

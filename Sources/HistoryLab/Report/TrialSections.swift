import PersistentHistory
import Reporting

/// The results of a stress run and of the mutants, as tiles and sections of a page.
struct TrialSections {
  let stress: StressDocument?
  let mutants: MutantDocument?

  /// One tile for each of the two that ran.
  var tiles: [VerdictTile] { [stressTile, mutantTile].compactMap { $0 } }

  /// One section for each of the two that ran.
  var sections: [PageSection] { [stressSection, mutantSection].compactMap { $0 } }

  private var stressTile: VerdictTile? {
    stress.map { stress in
      let count = stress.result.participants.count
      return VerdictTile(
        subject: "Real processes on one store",
        state: Self.state(stress.verdict),
        answer: Int(stress.result.committed).counted("transaction"),
        detail: "\(max(count, stress.result.processes).counted("process", "processes")) for "
          + "\(Int(stress.result.seconds.rounded())) s, "
          + "\(stress.result.counts.kills.counted("kill")); history held "
          + "\(stress.result.heldMax.grouped) at most and \(stress.result.heldAtEnd.grouped) at the "
          + "end.",
        anchor: "stress"
      )
    }
  }

  private var stressSection: PageSection? {
    guard let stress else { return nil }
    var table = ReportTable(
      caption: "What each process did",
      columns: [
        .text("process"), .number("lives"), .number("written"), .number("pages merged"),
        .number("transactions merged"), .number("purged"), .number("errors"), .prose("first error"),
      ]
    )
    for participant in stress.result.participants {
      let counts = [
        participant.lives, participant.written, participant.merges, participant.merged,
        participant.purged, participant.errors.values.reduce(0, +),
      ]
      table.append(
        ReportTable.Row(
          [participant.name] + counts.map(\.grouped) + [participant.firstError ?? ""],
          mark: participant.firstError == nil || stress.result.disk != nil ? nil : .bad,
          anchor: PageSection.anchor(from: "process \(participant.name)")
        )
      )
    }
    return PageSection(
      "Real processes on one store",
      anchor: "stress",
      [
        .paragraph(stress.because.capitalizedFirst + " Seed \(stress.result.seed)."),
        .table(table),
      ]
    )
  }

  private var mutantTile: VerdictTile? {
    mutants.map { mutants in
      let bugs = mutants.outcomes.filter { $0.equivalence == nil }.count
      return VerdictTile(
        subject: "Seeded bugs",
        state: Self.state(mutants.verdict),
        word: mutants.verdict == "valid" ? "found" : nil,
        answer: "\(mutants.killed) of \(bugs)",
        detail: "\(mutants.seeds.counted("seed")) each; "
          + "\(Int(mutants.leastShare * 100)) % came to the least length that is known.",
        anchor: "seeded-bugs"
      )
    }
  }

  private var mutantSection: PageSection? {
    guard let mutants else { return nil }
    var table = ReportTable(
      caption: "Each bug, and what it took to find it",
      columns: [
        .text("bug"), .text("outcome"), .number("killed"), .text("by"), .number("plans"),
        .number("shortest"), .number("least"),
      ]
    )
    for outcome in mutants.outcomes {
      let isWrong = outcome.outcome == "survived" || outcome.outcome == "not equivalent"
      let checkers = outcome.checkers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      table.append(
        ReportTable.Row(
          [
            outcome.mutant, outcome.outcome,
            outcome.seeds > 0 ? "\(outcome.killed)/\(outcome.seeds)" : "",
            checkers.first?.key ?? "", outcome.seeds > 0 ? outcome.casesMedian.short : "",
            outcome.killed > 0 ? outcome.commandsShortest.short : "",
            outcome.commandsLeast > 0 ? String(outcome.commandsLeast) : "",
          ],
          mark: isWrong ? .bad : nil,
          anchor: PageSection.anchor(from: "bug \(outcome.mutant)")
        )
      )
    }
    return PageSection(
      "Seeded bugs",
      anchor: "seeded-bugs",
      [.paragraph(mutants.because.capitalizedFirst), .table(table)]
    )
  }

  private static func state(_ verdict: String) -> VerdictState {
    switch verdict {
    case "valid": .good
    case "invalid": .bad
    default: .unknown
    }
  }
}

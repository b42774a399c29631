import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether the consumers of a plan read page by page, and inserts such commands.
  ///
  /// They are drawn after the other commands, so that those of a seed stay the same without them.
  /// A consumer that keeps its own token continues there after a power-off; it only consumes.
  func addReadings(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasReadings, !draft.header.consumers.isEmpty, draft.header.tokens == .store,
      source.bool(probability: 0.4, label: "readings")
    else { return }
    var repetition = Repetition("reading", 0...Self.readingCountMax, length: .average(4))
    while repetition.next(&source) {
      let position = source.index(below: commands.count + 1)
      commands.insert(Command(.read(reading(draft.header, &source))), at: position)
    }
  }

  private static let readingCountMax = 12

  private func reading(_ header: PlanHeader, _ source: inout ChoiceSource) -> PlannedReading {
    let consumer = header.consumers[source.index(below: header.consumers.count)]
    var reading = PlannedReading(consumer, page: [1000, 1, 2, 3][source.index(below: 4)])
    if source.bool(probability: 0.25) {
      let entities = header.model.entities
      reading.entity = entities[source.index(below: entities.count)].name
    }
    if source.bool(probability: 0.3) {
      let authors = header.actors.compactMap(\.author)
      if !authors.isEmpty { reading.author = authors[source.index(below: authors.count)] }
    }
    guard source.bool(probability: 0.7) else {
      if source.bool(probability: 0.4) { reading.stopsAt = 1 + source.index(below: 3) }
      return reading
    }
    var steps = Repetition("step", 1...Self.readingCountMax, length: .average(5))
    while steps.next(&source) {
      reading.steps.append(ReadingStep.allCases[source.weighted([12, 8, 2, 2, 1, 1, 1])])
    }
    return reading
  }
}

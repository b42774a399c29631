import Measuring
import Testing

@testable import HistoryBenchmarks

@Suite struct `The table of goals` {
  @Test func `Each measure is in the list of goals once`() {
    #expect(Set(Goals.all.map(\.measure)).count == Goals.all.count)
  }

  @Test func `Each goal names exactly one benchmark`() {
    for goal in Goals.all {
      #expect(Subjects.all.filter { $0.title == goal.benchmark }.count == 1, "\(goal.measure)")
    }
  }

  @Test func `No benchmark title is another's title with conditions`() {
    for subject in Subjects.all {
      #expect(!Subjects.all.contains { $0.title.hasPrefix(subject.title + ", ") })
    }
  }

  @Test func `Limits are above zero, except for events that must never happen`() {
    for goal in Goals.all {
      guard let limit = goal.limit else { continue }
      if case .quantile(_, .missed) = goal.figure {
        #expect(limit == 0)
      } else {
        #expect(limit > 0, "\(goal.measure)")
      }
    }
  }

  @Test func `Each obstacle belongs to a goal, and names a contender of the goal's benchmark`() {
    let goals = Dictionary(uniqueKeysWithValues: Goals.all.map { ($0.measure, $0) })
    for (measure, obstacle) in Obstacles.all {
      #expect(goals[measure]?.obstacle == obstacle, "\(measure)")
      guard let contender = obstacle.contender else { continue }
      #expect(contender == MeasuredWork.trackedFloor)
      #expect(measure.contains(", tracked / "), "\(measure)")
    }
  }

  @Test func `Every peer has goals in batches of a hundred and more`() {
    for verb in ["insert", "update", "delete"] {
      for size in ["100 rows", "1000 rows"] {
        let goals = Goals.all.filter { $0.measure.hasPrefix("batch \(verb) of \(size) / ") }
        #expect(goals.compactMap(\.limit).count == 3, "\(verb) \(size)")
      }
    }
  }
}

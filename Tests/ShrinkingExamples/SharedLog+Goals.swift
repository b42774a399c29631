extension SharedLog.Mistake {
  /// The short name of the same bug in the measurements of other engines.
  package var code: String {
    switch self {
    case .greatest: "B1"
    case .offByOne: "B2"
    case .lateJoiner: "B3"
    case .shortPage: "B4"
    case .rareData: "B5"
    case .rareState: "B6"
    case .longRun: "B7"
    }
  }

  /// The goal: the greatest median number of cases to the first failure.
  package var casesMax: Int {
    switch self {
    case .greatest: 2
    case .offByOne: 1
    case .lateJoiner: 4
    case .shortPage: 3
    case .rareData: 180
    case .rareState: 12
    case .longRun: 20
    }
  }

  /// The goal: the greatest median number of evaluations of shrinking.
  package var evaluationsMax: Int {
    switch self {
    case .greatest: 25
    case .offByOne: 15
    case .lateJoiner: 120
    case .shortPage, .rareData, .rareState: 60
    case .longRun: 110
    }
  }

  /// For each failure of the bug, the least number of steps that shows it.
  package var leastLengths: [SharedLog.Loss: Int] {
    switch self {
    case .greatest: [.purged: 3]
    case .offByOne: [.purged: 2]
    case .lateJoiner: [.purged: 6]
    case .shortPage: [.missing: 9, .purged: 12]
    case .rareData: [.missing: 3, .purged: 6]
    case .rareState: [.purged: 7]
    case .longRun: [.missing: 30]
    }
  }
}

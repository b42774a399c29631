/// A decision in which designs differ: its choices, and how a design has made it.
package struct DesignDecision: Sendable {
  /// The choice's word in files, and a clause about a design that made it.
  package struct Choice: Hashable, Sendable {
    package let word: String
    package let sentence: String
  }

  /// The decision's key in files.
  package let name: String
  /// The question that it answers.
  package let question: String
  package let choices: [Choice]
  /// Whether a repair may change it; otherwise it is what the app asks for.
  package let mayChange: Bool
  private let read: @Sendable (TrackingDesign) -> String
  private let write: @Sendable (inout TrackingDesign, String) -> Void

  private init<Value: DesignChoice>(
    _ name: String,
    _ question: String,
    mayChange: Bool = true,
    _ path: any WritableKeyPath<TrackingDesign, Value> & Sendable
  ) {
    self.name = name
    self.question = question
    self.mayChange = mayChange
    choices = Value.allCases.map { Choice(word: $0.rawValue, sentence: $0.sentence) }
    read = { $0[keyPath: path].rawValue }
    write = { design, word in
      if let value = Value(rawValue: word) { design[keyPath: path] = value }
    }
  }

  /// Returns the word of a design's choice.
  package func choice(of design: TrackingDesign) -> String { read(design) }

  /// Changes a design's choice; a word that is no choice changes nothing.
  ///
  /// The bound of a manual cleaner follows a change of the bound.
  package func set(_ word: String, in design: inout TrackingDesign) { write(&design, word) }

  /// Returns the clause about a choice.
  package func sentence(of word: String) -> String {
    choices.first { $0.word == word }?.sentence ?? word
  }

  /// Every decision, those about reading first.
  package static let all = [
    DesignDecision("position", "What is stored as the position?", \.position),
    DesignDecision("comparison", "Where does a fetch start?", \.comparison),
    DesignDecision("reads", "Whose transactions are read?", \.reads),
    DesignDecision("records", "When is the position stored?", \.records),
    DesignDecision("wakes", "What leads to a pass?", \.wakes),
    DesignDecision("ifExpired", "What does a lost history lead to?", \.ifExpired),
    DesignDecision("positionsIn", "Where are positions stored?", \.positionsIn),
    DesignDecision("positionOf", "Who has a position?", \.positionOf),
    DesignDecision("startsAt", "Where does a new process start?", \.startsAt),
    DesignDecision("waitsFor", "Whom does a purge wait for?", \.waitsFor),
    DesignDecision("bound", "What may a purge delete?", \.boundOfAll),
    DesignDecision("deletes", "Whose history does a purge delete?", \.deletes),
    DesignDecision("afterPurge", "What happens to positions after a purge?", \.afterPurge),
    DesignDecision("purgeTurn", "Which pass of a round purges?", mayChange: false, \.purgeTurn),
    DesignDecision("hooks", "When are hooks called?", mayChange: false, \.hooks),
    DesignDecision("mirror", "Are a mirror's imports merged?", mayChange: false, \.mirror),
    DesignDecision(
      "contexts",
      "How many contexts does it merge into?",
      mayChange: false,
      \.contexts
    ),
  ]

  /// Returns the decision with a name, or `nil`.
  package static func named(_ name: String) -> DesignDecision? { all.first { $0.name == name } }
}

extension TrackingDesign {
  /// The bound of every cleaner that the design has.
  ///
  /// The one in use comes first: that of the manual cleaner, unless a strategy purges after passes.
  fileprivate var boundOfAll: PurgeBound {
    get { strategy == .none ? boundByCommand ?? bound : bound }
    set {
      bound = newValue
      if boundByCommand != nil { boundByCommand = newValue }
    }
  }

  /// The decisions that a repair may change, each with the design's choice.
  package var choices: [(decision: DesignDecision, word: String)] {
    DesignDecision.all.map { ($0, $0.choice(of: self)) }
  }

  /// The corner of the space at which every decision is made as this project's tracker makes it.
  package static let corner = TrackingDesign(
    name: "corner",
    sentence: "The decisions of this project's tracker, on Core Data's tables.",
    position: .number,
    reads: .everything,
    wakes: .onSignalLaunchAndTimer,
    ifExpired: .reloads,
    positionsIn: .store,
    positionOf: .process,
    startsAt: .newest,
    waitsFor: .registeredAndConsumers,
    bound: .everyone,
    boundByCommand: .everyone,
    deletes: .allButProtected,
    strategy: .none,
    hooks: .beforeMerge,
    mirror: .merged,
    contexts: .several
  )
}

/// A decision in which tracking designs differ, such as when positions are stored, and its choices.
///
/// A decision can read and change the choice that a design has made.
package struct DesignDecision: Sendable {
  /// A possible choice: its name in design files, and a clause such as "has no hooks".
  package struct Choice: Hashable, Sendable {
    package let word: String
    package let sentence: String
  }

  /// The key of this decision in the JSON files of designs, such as `records` (``DesignCodec``).
  package let name: String
  /// The question that the decision answers.
  package let question: String
  package let choices: [Choice]
  /// Whether the command `repair` may change this decision.
  ///
  /// If `false`, the choice is a requirement of the app.
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

  /// Returns a design's choice for this decision, as the word that design files use for it.
  package func choice(of design: TrackingDesign) -> String { read(design) }

  /// Changes a design's choice for this decision; does nothing if no choice has the given word.
  ///
  /// A change of the purge bound applies to purges after a pass and to purges by command.
  package func set(_ word: String, in design: inout TrackingDesign) { write(&design, word) }

  /// Returns the clause that describes one of this decision's choices, which `word` names.
  ///
  /// If no choice has this name, the result is `word`.
  package func sentence(of word: String) -> String {
    choices.first { $0.word == word }?.sentence ?? word
  }

  /// All decisions: about reading, then positions, then purges, then requirements of the app.
  package static let all = [
    DesignDecision("position", "What is stored as the position?", \.position),
    DesignDecision("comparison", "Where does a fetch start?", \.comparison),
    DesignDecision("reads", "Whose transactions are read?", \.reads),
    DesignDecision("records", "When is the position stored?", \.records),
    DesignDecision("wakes", "What leads to a pass?", \.wakes),
    DesignDecision("ifExpired", "What if history after the position was purged?", \.ifExpired),
    DesignDecision("positionsIn", "Where are positions stored?", \.positionsIn),
    DesignDecision("positionOf", "Does each author or each process have a position?", \.positionOf),
    DesignDecision("startsAt", "Where does a new process start?", \.startsAt),
    DesignDecision("waitsFor", "Which positions does a purge wait for?", \.waitsFor),
    DesignDecision("bound", "How far does a purge delete?", \.boundOfAll),
    DesignDecision("deletes", "Whose history does a purge delete?", \.deletes),
    DesignDecision("afterPurge", "What happens to positions after a purge?", \.afterPurge),
    DesignDecision("purgeTurn", "Which pass of a round purges?", mayChange: false, \.purgeTurn),
    DesignDecision("hooks", "When are hooks called?", mayChange: false, \.hooks),
    DesignDecision("mirror", "Are a mirror's imports merged?", mayChange: false, \.mirror),
    DesignDecision(
      "contexts",
      "How many contexts does a process merge into?",
      mayChange: false,
      \.contexts
    ),
  ]

  /// Returns the decision with a name; `nil` if no decision has it.
  package static func named(_ name: String) -> DesignDecision? { all.first { $0.name == name } }
}

extension TrackingDesign {
  /// The rule for how far all purges delete, after a pass or by command: the decision `bound`.
  ///
  /// If passes never purge, the getter returns the rule of purges by command, if there is one. The
  /// setter changes both rules, but a design without purges by command stays without them.
  fileprivate var boundOfAll: PurgeBound {
    get { strategy == .none ? boundByCommand ?? bound : bound }
    set {
      bound = newValue
      if boundByCommand != nil { boundByCommand = newValue }
    }
  }

  /// All decisions, each with the word that the design has chosen.
  package var choices: [(decision: DesignDecision, word: String)] {
    DesignDecision.all.map { ($0, $0.choice(of: self)) }
  }

  /// The design that makes the same choices as this project's tracker, on Core Data's tables.
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

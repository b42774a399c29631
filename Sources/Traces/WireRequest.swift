/// What the lab asks of a program under test.
package enum WireRequest: Hashable, Sendable {
  /// Who are you, and what can you do?
  case hello
  /// Start over with an empty store.
  case reset(PlanHeader)
  case command(Action)
  /// Nothing is to go wrong any more: hooks stop throwing.
  case heal
  /// The program is to end.
  case bye

  /// The word under the key `do`.
  package var word: String {
    switch self {
    case .hello: "hello"
    case .reset: "reset"
    case .command(let action): action.word
    case .heal: "heal"
    case .bye: "bye"
    }
  }

  /// Every word that a program may be asked with.
  package static var words: [String] {
    ["hello", "reset", "heal", "bye"] + CommandWord.allCases.map(\.rawValue)
  }
}

/// A request as it came over the wire.
package struct WireMessage: Hashable, Sendable {
  /// What the answer is to repeat.
  package var id: Int
  package var request: WireRequest
  /// What the plan's clock reads, if the lab says so.
  package var now: Double?

  package init(id: Int, request: WireRequest, now: Double? = nil) {
    self.id = id
    self.request = request
    self.now = now
  }
}

/// What is wrong with a request, with its number if that could be read.
package struct WireRefusal: Error, Hashable, Sendable {
  package var id: Int?
  package var failure: SystemFailure
}

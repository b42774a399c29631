/// A request from the lab to a program under test.
package enum WireRequest: Hashable, Sendable {
  /// Asks for the program's name and capabilities.
  case hello
  /// Starts over with an empty store.
  case reset(PlanHeader)
  case command(Action)
  /// Disables all faults: hooks stop throwing.
  case recover
  /// Ends the program.
  case bye

  /// The word under the key `do`.
  package var word: String {
    switch self {
    case .hello: "hello"
    case .reset: "reset"
    case .command(let action): action.word
    case .recover: "heal"
    case .bye: "bye"
    }
  }

  /// The words of all requests.
  package static var words: [String] {
    ["hello", "reset", "heal", "bye"] + CommandWord.allCases.map(\.rawValue)
  }
}

/// A request as received over the wire.
package struct WireMessage: Hashable, Sendable {
  /// The id that the answer must repeat.
  package var id: Int
  package var request: WireRequest
  /// The clock value of the plan, if the lab sends it.
  package var now: Double?

  package init(id: Int, request: WireRequest, now: Double? = nil) {
    self.id = id
    self.request = request
    self.now = now
  }
}

/// The reason for refusing a request, with the request's id if it was readable.
package struct WireRefusal: Error, Hashable, Sendable {
  package var id: Int?
  package var failure: SystemFailure
}

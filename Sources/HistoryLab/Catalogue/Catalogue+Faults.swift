import Traces

extension Catalogue {
  /// The kinds of fault that the lab can inject into a command of a plan.
  static let faults = PlannedFault.Kind.allCases.map { Entry($0.rawValue, $0.sentence) }
}

extension PlannedFault.Kind {
  /// The effect on the k-th call, or on that call and every later one.
  fileprivate var sentence: String {
    switch self {
    case .ioError: "A call fails with an input or output error and does nothing."
    case .full: "A write finds the disk full and does nothing."
    case .busy: "A lock is refused, as if another process held it."
    case .shortRead: "A read gets the first half of its bytes and then zeros."
    case .memory: "SQLite asks for memory and gets none."
    case .delay: "A sync is acknowledged and takes place with the file's next one only."
    case .powerOff: "The power goes: what was not synced is lost."
    case .torn: "The power goes: of what was not synced any sectors are left."
    }
  }
}

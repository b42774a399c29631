import Faults

extension Catalogue {
  /// What the file system under a store can do to it; tests arm it, plans do not yet.
  static let faults = FileFault.Kind.allCases.map { Entry($0.rawValue, $0.sentence) }
}

extension FileFault.Kind {
  /// What happens to the k-th call, or to every one from there on.
  fileprivate var sentence: String {
    switch self {
    case .ioError: "A call fails with an input or output error and does nothing."
    case .full: "A write finds the disk full and does nothing."
    case .busy: "A lock is refused, as if another process held it."
    case .shortRead: "A read gets the first half of its bytes and then zeros."
    }
  }
}

import Commands
import Workloads

// The options of a history file are declared once, because `check` and `explore` both accept them.

extension Option<String?> {
  /// The store file whose transactions become the writes of plans; `nil` generates the writes.
  ///
  /// A random plan repeats up to ``PlanStyle/pastCountMax`` transactions.
  static var pastHistory: Option {
    Option(
      "history",
      .path("FILE"),
      shown: "generated writes",
      "A store file. Each plan repeats consecutive transactions of it, instead of generated writes."
    )
  }
}

extension Flag {
  static var anonymous: Flag {
    Flag(
      "anonymous",
      "Replaces the names of authors and entities of --history with numbered names, and hashes values."
    )
  }
}

extension Option<PastValueChoice?> {
  /// Whether plans copy the values of the history's objects as they are, hashed, or not at all; `nil`
  /// uses ``PastValueChoice/usual(anonymous:)``.
  static var objectValues: Option {
    Option(
      "object-values",
      .choice("WHICH"),
      shown: "none; hashed with --anonymous",
      "The values of objects in --history: kept copies them, hashed hides them, none leaves them out."
    )
  }
}

extension PastHistoryFile {
  /// Checks that the options for a history file do not contradict each other.
  ///
  /// `others` contains the names of the given options that need `--history`, except `--anonymous`
  /// and `--object-values`.
  ///
  /// - Throws: A usage error if the file cannot be read, if `--anonymous` is combined with
  ///   `--object-values kept`, or if an option that needs `--history` is given without it.
  static func check(
    _ history: String?,
    anonymous: Bool,
    values: PastValueChoice?,
    others: [String] = []
  ) throws(LabError) {
    if let history {
      try FilePath.checkReadable(history, for: "--history")
      try values?.check(anonymous: anonymous)
      return
    }
    let given = (anonymous ? ["anonymous"] : []) + (values == nil ? [] : ["object-values"]) + others
    guard let option = given.first else { return }
    throw .usage("--\(option) has no effect without --history: pass a file with --history too.")
  }
}

import Basics
import Commands
import HistorySystems
import PropertyTesting
import Systems
import Traces
import Workloads

/// A choice of the conditions that the plans of a check may contain.
enum ConditionChoice: Hashable, Sendable {
  /// The default conditions.
  case everyday
  /// Every condition that the system supports.
  case all
  /// The named conditions; `added` contains the names of conditions that other packages have added.
  case named([Condition], added: [String] = [])

  /// The names of the default conditions, as a phrase.
  static let everydayNames = Condition.allCases.filter(Condition.everyday.contains)
    .map(\.rawValue).joinedWithAnd

  /// The value of `--conditions` that selects every condition.
  static let everything = "all"

  static let reader = ValueReader(
    placeholder: "LIST",
    expectation: "names from `list conditions` separated by commas, or all",
    suggestions: Condition.allCases.map(\.rawValue)
      + LabAdditions.currentConditions.map { $0.name } + [everything],
    show: { $0 == .everyday ? everydayNames : $0.text },
    read: { ConditionChoice($0) }
  )

  /// Parses condition names separated by commas; returns `nil` if a name is unknown.
  init?(_ text: String) {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if words.contains(Self.everything) {
      guard words.allSatisfy({ $0 == Self.everything || Condition(rawValue: $0) != nil }) else {
        return nil
      }
      self = .all
      return
    }
    let conditions = words.compactMap(Condition.init)
    let added = words.filter { Condition(rawValue: $0) == nil }
    guard added.allSatisfy({ LabAdditions.change($0) != nil }) else { return nil }
    self = .named(Condition.allCases.filter(conditions.contains), added: added)
  }

  /// Returns whether the choice lists a condition by name; `false` for `all` and for the default.
  func names(_ condition: Condition) -> Bool {
    if case .named(let conditions, _) = self { conditions.contains(condition) } else { false }
  }

  /// The command-line value that selects this choice.
  var text: String {
    switch self {
    case .everyday: "everyday"
    case .all: Self.everything
    case .named(let conditions, let added):
      (conditions.map(\.rawValue) + added).joined(separator: ",")
    }
  }

  /// The changes that the selected conditions of other packages make to each plan.
  var changes: [@Sendable (inout Plan, inout ChoiceSource) -> Void] {
    guard case .named(_, let added) = self else { return [] }
    return added.compactMap(LabAdditions.change)
  }

  /// Returns the conditions that the plans for a system may contain.
  ///
  /// - Throws: A usage error if a named condition is not supported by the system.
  func conditions(for system: LabSystem) throws(LabError) -> Set<Condition> {
    let possible = system.conditions
    switch self {
    case .everyday: return Condition.everyday.intersection(possible)
    case .all: return possible
    case .named(let named, _):
      guard let refused = named.first(where: { !possible.contains($0) }) else { return Set(named) }
      throw .usage(
        "--conditions: \(system.name) does not support \(refused.rawValue): it does "
          + "not have the capability \((refused.need?.rawValue ?? "").quoted). Leave out the condition or the system."
      )
    }
  }
}

/// The source of the workload that generated plans resemble: a built-in profile, or a store file.
enum ProfileSource: Hashable, Sendable {
  /// The built-in profile of the workload of the app Photos.
  case photos
  /// The built-in profile of the workload of the app Notes.
  case notes
  /// The history of a store file.
  case file(String)

  /// The names of the built-in profiles.
  static let profiles = ["photos", "notes"]

  static let reader = ValueReader(
    placeholder: "photos|notes|FILE",
    expectation: "photos, notes or a store file",
    show: { $0.text },
    read: { ProfileSource($0) }
  )

  /// Parses a profile's name or a path; a file with the name of a profile needs a path like `./photos`.
  init?(_ text: String) {
    switch text {
    case "": return nil
    case "photos": self = .photos
    case "notes": self = .notes
    default: self = .file(text)
    }
  }

  /// The command-line value that selects this choice.
  var text: String {
    switch self {
    case .photos: "photos"
    case .notes: "notes"
    case .file(let path): path
    }
  }

  /// Checks that the source's file, if there is one, can be read.
  ///
  /// - Throws: A usage error, which suggests a profile if a missing file has a similar name.
  func check() throws(LabError) {
    guard case .file(let path) = self else { return }
    guard FilePath.state(of: path) != .absent else {
      let hint = NearestWord.hint(for: path, among: Self.profiles)
      let profiles = Self.profiles.joinedWithAnd
      throw .usage("--like: there is no file \(path.quoted); \(profiles) need no file.\(hint)")
    }
    try FilePath.checkReadable(path, for: "--like")
  }
}

/// The rule by which the plans of a check choose the actor of the next step.
enum ScheduleChoice: Hashable, Sendable {
  case random
  /// Of the actors that can act, the one with the highest random priority acts next (PCT).
  ///
  /// At up to `depth` - 1 random points of a plan, this actor first gets the lowest priority.
  case pct(depth: Int)
  /// Every order of the actors' steps; only `explore` supports this choice, and `check()` throws for it.
  case exhaustive

  /// The default of `depth`, the number of steps whose order must be right for a bug to appear.
  private static let usualDepth = 3
  private static let depths = 1...10

  static let reader = ValueReader(
    placeholder: "WORD",
    expectation: "random, pct or pct/D with D from 1 to 10",
    suggestions: ["random", "pct", "exhaustive"],
    show: { $0.text },
    read: { ScheduleChoice($0) }
  )

  /// Parses the value of `--schedule`.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    switch (parts[0], parts.count == 2 ? Int(parts[1]) : nil) {
    case ("random", nil) where parts.count == 1: self = .random
    case ("exhaustive", nil) where parts.count == 1: self = .exhaustive
    case ("pct", nil) where parts.count == 1: self = .pct(depth: Self.usualDepth)
    case ("pct", let depth?) where Self.depths.contains(depth): self = .pct(depth: depth)
    default: return nil
    }
  }

  /// The command-line value that selects this choice.
  var text: String {
    switch self {
    case .random: "random"
    case .pct(let depth): "pct/\(depth)"
    case .exhaustive: "exhaustive"
    }
  }

  /// Checks that random plans can use the schedule.
  ///
  /// - Throws: A usage error for `exhaustive`.
  func check() throws(LabError) {
    guard self == .exhaustive else { return }
    throw .usage(
      "--schedule: random plans cannot use `exhaustive`. The verb explore runs every order of steps.",
      try: "explore"
    )
  }

  var schedule: PlanSchedule {
    if case .pct(let depth) = self { .pct(depth: depth) } else { .random }
  }
}

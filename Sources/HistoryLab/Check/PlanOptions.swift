import Basics
import Commands
import Foundation
import HistoryTracking
import PropertyTesting
import Systems
import Traces
import Workloads

/// The options that, with the seed and the system, determine every generated plan.
struct PlanOptions: VerbOptions, Hashable {
  @Option("commands", .commands, "Generates plans of at most N commands.")
  var commands = 40
  /// The number of actors of every plan; `nil` chooses a random number for each plan.
  @Option(
    "actors",
    .actors,
    shown: "random for each plan",
    "Generates plans with N actors, 1 to 8."
  )
  var actors: Int?
  @Option(
    "like",
    ProfileSource.reader,
    "Generates plans that resemble a workload: photos, notes, or the history of a store file."
  )
  var like = ProfileSource.photos
  @Option(
    "conditions",
    ConditionChoice.reader,
    "The kinds of faults that plans may contain, or all; list conditions explains them."
  )
  var conditions = ConditionChoice.everyday
  /// The file of a custom configuration; `nil` generates random actors for each plan.
  @Option(
    "config",
    .path("FILE"),
    shown: "random for each plan",
    "A JSON file with the actors of every plan, their settings, and the limits."
  )
  var config: String?
  @Option(.pastHistory) var history: String?
  @Flag(.anonymous) var anonymous
  @Option(.objectValues) var values: PastValueChoice?
  @Option(
    "schedule",
    ScheduleChoice.reader,
    "The choice of the next step's actor: random, or by priorities that change D - 1 times (pct/D)."
  )
  var schedule = ScheduleChoice.random
  /// The percentage of plans that test stores on disk; `nil` uses the default of ``PlanStyle``.
  @Option(
    "disk-share",
    .integer("PERCENT", 0...100),
    shown: "0.6",
    "The percentage of plans that also test stores on disk; each such test takes milliseconds."
  )
  var diskShare: Int?

  init() {}

  init(
    commands: Int = 40,
    actors: Int? = nil,
    like: ProfileSource = .photos,
    conditions: ConditionChoice = .everyday,
    config: String? = nil,
    schedule: ScheduleChoice = .random
  ) {
    self.commands = commands
    self.actors = actors
    self.like = like
    self.conditions = conditions
    self.config = config
    self.schedule = schedule
  }

  /// - Throws: A usage error if a file cannot be read, the schedule is `exhaustive`, or both
  ///   `--config` and `--actors` are given.
  func validate(in composition: Composition) throws(LabError) {
    try like.check()
    try schedule.check()
    if let config { try FilePath.checkReadable(config, for: "--config") }
    guard config == nil || actors == nil else {
      throw .usage("--config already names every actor. Leave out --actors.")
    }
    try PastHistoryFile.check(history, anonymous: anonymous, values: values)
  }

  /// The command-line options that generate the same plans again, without default values.
  var arguments: [String] {
    var words: [String] = []
    if like != .photos { words += ["--like", like.text] }
    if commands != 40 { words += ["--commands", String(commands)] }
    if let actors { words += ["--actors", String(actors)] }
    if conditions != .everyday { words += ["--conditions", conditions.text] }
    if let config { words += ["--config", config] }
    if let history { words += ["--history", history] }
    if anonymous { words.append("--anonymous") }
    if let values { words += ["--object-values", values.rawValue] }
    if schedule != .random { words += ["--schedule", schedule.text] }
    if let diskShare { words += ["--disk-share", String(diskShare)] }
    return words
  }
}

extension ValueReader where Value == Int {
  /// The value parser of `--actors`: an integer from 1 to 8.
  static let actors = integer("N", 1...8)
}

extension PlanOptions {
  /// Returns the generator settings for a system's plans.
  ///
  /// - Throws: a usage error when the file of `--like` has no readable history, when the configuration is
  ///   invalid, or when the system does not support a named condition.
  func style(for system: LabSystem) throws(LabError) -> PlanStyle {
    var style = PlanStyle(try Profiles.profile(like: like))
    style.commandCountMax = commands
    style.schedule = schedule.schedule
    style.actions = system.actions
    style.conditions = try conditions.conditions(for: system)
    if system.hasSchedules {
      style.changes.append { plan, source in
        plan.header.seed = UInt64(source.int(in: 0...0xFFFF, label: "schedule"))
      }
    }
    style.changes += conditions.changes
    style.hasContexts = system.capabilities.contains(.contexts)
    style.hasPages = system.capabilities.contains(.pages)
    style.hasPolicies = system.capabilities.contains(.policies)
    style.hasDrivers = system.hasDrivers
    style.hasQueries = system.capabilities.contains(.queries)
    style.hasReadings = system.capabilities.contains(.readings)
    style.hasHooks = system.capabilities.contains(.hooks)
    if let diskShare { style.diskShare = Double(diskShare) / 100 }
    if let actors { style.actorCounts = actors...actors }
    if let config { style.setup = try Self.setup(config, for: system) }
    if let history {
      let past = try PastHistoryFile.read(
        history,
        isAnonymous: anonymous,
        values: values ?? .usual(anonymous: anonymous)
      )
      style.repeat(past, actors: actors)
    }
    return style
  }

  private static func setup(
    _ path: String,
    for system: LabSystem
  ) throws(LabError) -> PlanSetup {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("--config: \(path.quoted) cannot be read. Pass a JSON file that you may read.")
    }
    var setup: PlanSetup
    do throws(FormatError) {
      setup = try SetupCodec.decode(String(decoding: data, as: UTF8.self))
    } catch {
      throw .usage("--config: \(path): \(error.description)")
    }
    if let lacking = system.lacks(setup) {
      throw .usage("--config: \(path): \(lacking)")
    }
    if setup.hasKitDefaults, let strategy = system.kitStrategy {
      for index in setup.actors.indices where setup.actors[index].strategy == nil {
        setup.actors[index].strategy = strategy
      }
    }
    return setup
  }
}

extension LabSystem {
  /// The default of `cleanStrategy` in PersistentHistoryTrackingKit 2: never purge automatically.
  ///
  /// `nil` for every system except `kit-2`, which models this kit. By default, `kit-2` purges after
  /// every pass, unlike the kit. In configurations with `hasKitDefaults`, its actors without a
  /// strategy get the kit's default.
  fileprivate var kitStrategy: String? {
    name == TrackingDesign.kit2.name ? TrackingDesign.kit2Strategy : nil
  }

  /// Returns a sentence about the first setting that the system does not support.
  ///
  /// The result is `nil` if the system supports all settings.
  fileprivate func lacks(_ setup: PlanSetup) -> String? {
    let needs: [(Capability, String, Bool)] = [
      (.consume, "consumers", !setup.consumers.isEmpty),
      (.retention, "retention", setup.retention != nil),
      (.signals, "drive", setup.drive == .signals),
      (.hooks, "hooks", setup.actors.contains { $0.hooks != nil }),
      (.contexts, "contexts", setup.actors.contains { $0.contexts != nil }),
      (.pages, "page", setup.actors.contains { $0.page != nil }),
    ]
    for (capability, key, isAsked) in needs where isAsked && !capabilities.contains(capability) {
      return "\(name) does not support \(key.quoted). Leave it out, or check another system."
    }
    if design == nil, setup.actors.contains(where: { $0.maximumDuration != nil }) {
      let advice =
        capabilities.contains(.retention)
        ? "Limit the age of history with \("retention".quoted), or check another system."
        : "Leave it out, or check another system."
      return "\(name) does not support \("maximumDuration".quoted). \(advice)"
    }
    let strategies = setup.actors.compactMap(\.strategy)
    if let strategy = strategies.first(where: { !knows($0) }) {
      return "there is no strategy \(strategy.quoted). Use one of these, with any numbers: "
        + "\(strategyWords.joinedWithAnd)."
    }
    let hooks = setup.actors.flatMap { $0.hooks ?? [] }
    return hooks.first { PlannedHook(rawValue: $0) == nil }.map { hook in
      let known = PlannedHook.allCases.map(\.rawValue)
      return
        "there is no hook \(hook.quoted).\(NearestWord.hint(for: hook, among: known)) The hooks are "
        + "\(known.joinedWithAnd)."
    }
  }
}

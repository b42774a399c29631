import Foundation
import HistoryTracking
import Systems
import Traces
import Workloads

/// The options of generated plans; with the seed and the system they determine every plan.
struct PlanOptions: Hashable, Sendable {
  /// The maximum number of commands of a plan.
  var commands = 40
  /// The number of actors of every plan; `nil` lets each plan draw a number.
  var actors: Int?
  /// The model for the plans.
  var like: Likeness = .photos
  /// The conditions that the plans may contain.
  var conditions: ConditionChoice = .everyday
  /// The file of a custom configuration; `nil` lets each plan draw its actors.
  var config: String?
  /// The rule by which plans choose the actor of the next step.
  var schedule = ScheduleChoice.random

  static let commandsOption = Option(
    "commands",
    "N",
    in: 1...100_000,
    default: 40,
    "The most commands that a plan may have."
  )
  static let actorsOption = Option(
    "actors",
    .integer("N", 1...8),
    defaultText: "each plan draws its own",
    "How many actors take part in every plan, 1 to 8."
  )
  static let likeOption = Option(
    "like",
    Likeness.reader,
    default: .photos,
    defaultText: "photos",
    "What the plans resemble: photos, notes, or the history of a store file."
  )
  static let conditionsOption = Option(
    "conditions",
    ConditionChoice.reader,
    default: .everyday,
    defaultText: ConditionChoice.everydayNames,
    "The kinds of trouble that plans may contain, or all; list conditions explains them."
  )
  static let configOption = Option(
    "config",
    .path("FILE"),
    defaultText: "each plan draws its own",
    "Who takes part in every plan, how it is configured and which limits hold: a JSON file."
  )

  static let specs = [
    commandsOption.spec, actorsOption.spec, likeOption.spec, conditionsOption.spec,
    configOption.spec, ScheduleChoice.option.spec,
  ]

  init(
    commands: Int = 40,
    actors: Int? = nil,
    like: Likeness = .photos,
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
  init(_ arguments: ParsedArguments) throws(LabError) {
    commands = try arguments.required(Self.commandsOption)
    actors = arguments.value(Self.actorsOption)
    like = try arguments.required(Self.likeOption).checked()
    conditions = try arguments.required(Self.conditionsOption)
    config = arguments.value(Self.configOption)
    schedule = try arguments.required(ScheduleChoice.option).checked()
    if let config { try FilePath.checkReadable(config, for: "--config") }
    guard config == nil || actors == nil else {
      throw .usage("--config names every actor: leave out --actors.")
    }
  }

  /// The command-line options that produce these plans again, without defaults.
  var arguments: [String] {
    var words: [String] = []
    if like != .photos { words += ["--like", like.text] }
    if commands != 40 { words += ["--commands", String(commands)] }
    if let actors { words += ["--actors", String(actors)] }
    if conditions != .everyday { words += ["--conditions", conditions.text] }
    if let config { words += ["--config", config] }
    if schedule != .random { words += ["--schedule", schedule.text] }
    return words
  }
}

extension PlanOptions {
  /// Returns the style of the plans for a system.
  ///
  /// - Throws: a usage error when the file to resemble has no history or cannot be read, when the
  ///   configuration is invalid, or when the system does not support a named condition.
  func style(for system: LabSystem) throws(LabError) -> PlanStyle {
    var style = PlanStyle(try Profiles.profile(like: like))
    style.commandCountMax = commands
    style.schedule = schedule.schedule
    style.actions = system.actions
    style.conditions = try conditions.conditions(for: system)
    style.hasContexts = system.capabilities.contains(.contexts)
    style.hasPages = system.capabilities.contains(.pages)
    style.hasPolicies = system.capabilities.contains(.policies)
    style.hasDrivers = system.hasDrivers
    style.hasQueries = system.capabilities.contains(.queries)
    style.hasHooks = system.capabilities.contains(.hooks)
    if let actors { style.actorCounts = actors...actors }
    if let config { style.setup = try Self.setup(config, for: system) }
    return style
  }

  private static func setup(
    _ path: String,
    for system: LabSystem
  ) throws(LabError) -> PlanSetup {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw .usage("--config: \(path.quoted) cannot be read.")
    }
    let setup: PlanSetup
    do throws(FormatError) {
      setup = try SetupCodec.decode(String(decoding: data, as: UTF8.self))
    } catch {
      throw .usage("--config: \(path): \(error.description)")
    }
    if let lacking = system.lacks(setup) {
      throw .usage("--config: \(path): \(lacking)")
    }
    return setup
  }
}

extension LabSystem {
  /// Returns a sentence about the first unsupported or unknown item of a configuration, or `nil`.
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
      return "\(name) knows nothing of \(key.quoted). Leave it out, or check another system."
    }
    let strategies = setup.actors.compactMap(\.strategy)
    if let strategy = strategies.first(where: { !knows($0) }) {
      return "there is no strategy \(strategy.quoted). Known are, with numbers of one's own, "
        + "\(strategyWords.joinedWithAnd)."
    }
    let hooks = setup.actors.flatMap { $0.hooks ?? [] }
    return hooks.first { PlannedHook(rawValue: $0) == nil }.map { hook in
      let known = PlannedHook.allCases.map(\.rawValue)
      return
        "there is no hook \(hook.quoted).\(NearestWord.hint(for: hook, among: known)) Known are "
        + "\(known.joinedWithAnd)."
    }
  }
}

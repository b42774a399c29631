/// What plans look like: with the seed and the system, all that a plan is made from.
struct PlanOptions: Hashable, Sendable {
  /// The most commands that a plan may have.
  var commands = 40
  /// The actors of every plan, or nothing if each plan draws how many.
  var actors: Int?
  /// What the plans resemble.
  var like: Likeness = .photos
  /// The kinds of trouble that they may contain.
  var conditions: ConditionChoice = .everyday
  /// The file with a configuration of one's own, or nothing if each plan draws who takes part.
  var config: String?
  /// How plans choose whose step comes next.
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

  /// - Throws: a usage error if a file cannot be read, or no plans are made of a condition.
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

  /// The options that bring these plans about again; defaults are left out.
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

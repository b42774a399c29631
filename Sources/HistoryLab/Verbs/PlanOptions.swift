/// What plans look like: with the seed and the system, all that a plan is made from.
struct PlanOptions: Hashable, Sendable {
  /// The most commands that a plan may have.
  var steps = 40
  /// The actors of every plan, or nothing if each plan draws how many.
  var actors: Int?
  /// What the plans resemble.
  var like: Likeness = .photos

  static let stepsOption = Option(
    "steps",
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

  static let specs = [stepsOption.spec, actorsOption.spec, likeOption.spec]

  init(steps: Int = 40, actors: Int? = nil, like: Likeness = .photos) {
    self.steps = steps
    self.actors = actors
    self.like = like
  }

  /// - Throws: a usage error if the file to resemble cannot be read.
  init(_ arguments: ParsedArguments) throws(LabError) {
    steps = try arguments.required(Self.stepsOption)
    actors = arguments.value(Self.actorsOption)
    like = try arguments.required(Self.likeOption).checked()
  }

  /// The options that bring these plans about again; defaults are left out.
  var arguments: [String] {
    var words: [String] = []
    if like != .photos { words += ["--like", like.text] }
    if steps != 40 { words += ["--steps", String(steps)] }
    if let actors { words += ["--actors", String(actors)] }
    return words
  }
}

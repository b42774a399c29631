import Basics
import Campaigns
import Commands
import HistoryTypes
import Simulation
import Traces
import Workloads

/// The first line of a ``SliceFile``, as JSON: everything except the columns of numbers that follow.
struct SliceFacts: Codable {
  /// The results of one slice (a part of the work on plans of one length) for one task.
  struct Content: Codable {
    let known: Int
    let states: Int
    let moves: Int
    let moveCount: Int
    let exercised: UInt64
    let isOutOfStates: Bool
    var foreseen: Int?
    /// For each broken invariant, by its number, the lines of a shortest plan that breaks it.
    let broken: [Int: String]
    /// The commands that lead to the new states: the states that no shorter plan reaches.
    ///
    /// A later column of the file has a number for each new state: the index, among all these
    /// commands, of the command that led to the state, or -1 if no command led to it.
    let commands: [Commands]

    /// Commands of plans that all have the same header, as lines of a plan file.
    struct Commands: Codable {
      /// The index of the header of these plans in the exploration task's list of headers.
      let root: Int
      var lines: String
    }
  }

  /// The results of one task: of one system under one condition within one ``ExploreScope``.
  struct Piece: Codable {
    let seconds: Double
    /// The results of the file's slice for this task; `nil` if the task ended with shorter plans.
    var content: Content?
  }

  static let version = 1

  /// The version of the format.
  let explorationSlice: Int
  let place: SlicePlace
  let program: CampaignProgram
  /// The properties of the whole exploration, which must be equal in all of its slices.
  let exploration: ExplorationIdentity
  /// The hashes of the files that this slice continues, in the order of their slices' numbers.
  ///
  /// These are the files of all slices of plans with one command less; none for plans without
  /// commands.
  let after: [String]
  let pieces: [Piece]
  /// The number of bytes in the file after its first line.
  let byteCount: Int
  /// The hash of the bytes in the file after its first line.
  let hash: String
}

/// One slice of an exploration: the plan length, the slice's number, and the number of slices.
///
/// A slice is a part of the work on plans of one length, so that several processes can share the
/// work. A plan of n commands continues a state that plans of n - 1 commands reach and shorter plans
/// do not. These states are divided among the slices.
struct SlicePlace: Codable, Hashable, Sendable {
  let length: Int
  /// The number of this slice among the slices of the same plan length, from 1.
  let index: Int
  let count: Int

  var file: String { "slice-\(length)-\(index)-of-\(count).bin" }

  /// The slice as a phrase: `slice 2/4 of length 3` is part 2 of 4 of the plans of 3 commands.
  var sentence: String { "slice \(index)/\(count) of length \(length)" }

  init(length: Int, index: Int, count: Int) {
    (self.length, self.index, self.count) = (length, index, count)
  }

  /// Parses the name of a slice's file; returns `nil` if the name has another form.
  init?(file: String) {
    let parts = file.split(whereSeparator: { "-.".contains($0) })
    guard parts.count == 6, let length = Int(parts[1]), let index = Int(parts[2]),
      let count = Int(parts[4])
    else { return nil }
    self.init(length: length, index: index, count: count)
    guard count > 0, (1...count).contains(index), self.file == file else { return nil }
  }
}

/// The properties of an exploration that must be equal in all processes that share its work.
struct ExplorationIdentity: Codable, Hashable, Sendable {
  /// The tasks as phrases, such as `article under ties, 2 actors to depth 5`.
  let pieces: [String]
  /// The maximum number of states of a task.
  let states: Int
  /// For each task, a hash of the data that determines its plans.
  ///
  /// The data (``ExploreTask/alphabetText``) are the design, the plan headers, the possible first
  /// commands, and the parts of a store file's history that the plans' writes repeat, if any.
  let alphabets: [String]

  /// Reads the properties from the tasks of the exploration.
  init(_ tasks: [ExploreTask]) {
    pieces = tasks.map { "\($0.system.name) under \($0.condition.rawValue), \($0.scope.sentence)" }
    states = tasks.first?.stateCountMax ?? 0
    alphabets = tasks.map { $0.alphabetText.utf8.stableHash.digits }
  }

  /// Returns a clause about the first difference from another exploration; `nil` if there is none.
  func difference(from other: ExplorationIdentity) -> String? {
    if pieces != other.pieces {
      let (ours, theirs) = (Set(pieces), Set(other.pieces))
      let lists = [theirs.subtracting(ours), ours.subtracting(theirs)].map {
        $0.sorted().first ?? "the same in another order"
      }
      return "it explores other tasks (in the file: \(lists[0]); now: \(lists[1]))"
    }
    if states != other.states {
      return "--states was \(other.states.grouped) for the file and is \(states.grouped) now"
    }
    let piece = zip(pieces, zip(alphabets, other.alphabets)).first { $0.1.0 != $0.1.1 }
    return piece.map { "the design or history of \($0.0) has changed since the file was written" }
  }
}

extension SliceFacts.Content {
  init(_ slice: ExplorationSlice, _ headers: [PlanHeader]) {
    known = slice.knownCount
    states = slice.states.count
    moves = slice.moves.count
    moveCount = slice.exploration.moveCount
    exercised = slice.exploration.exercised
    isOutOfStates = slice.exploration.ending == .outOfStates
    foreseen = slice.exploration.foreseenStateCount
    broken = slice.exploration.broken.mapValues(PlanCodec.encode)
    commands = Self.lines(slice.commands, headers)
  }

  /// Returns commands as lines of plan files.
  ///
  /// Consecutive commands share an element of the result if their plans have the same header.
  private static func lines(
    _ commands: [ExplorationSlice.RootCommand],
    _ headers: [PlanHeader]
  ) -> [Commands] {
    var parts: [Commands] = []
    for one in commands {
      let plan = Plan(header: headers[one.root], commands: [one.command])
      let line = (PlanCodec.encode(plan).split(separator: "\n").last ?? "") + "\n"
      if parts.last?.root != one.root { parts.append(Commands(root: one.root, lines: "")) }
      parts[parts.count - 1].lines += line
    }
    return parts
  }

  /// The number of bytes that the columns of numbers for these results have in the file.
  ///
  /// They have 20 bytes for each new state, and 8 for each move from one state to another.
  var byteCount: Int { 20 * states + 8 * moves }
}

extension UInt64 {
  /// The number as 16 hexadecimal digits.
  var digits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

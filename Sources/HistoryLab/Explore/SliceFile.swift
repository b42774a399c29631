import Basics
import Campaigns
import Commands
import Foundation
import Measuring
import Reporting
import Simulation
import Traces

/// A file with one slice of an exploration: a line of JSON, then columns of numbers.
///
/// A slice is a part of the work on plans of one length, for all tasks of the exploration. A task
/// (``ExploreTask``) explores one system under one condition within one scope. Each task with results
/// has separate columns after the line (``SliceFacts``). They have 20 bytes for each new state: its
/// hash, the index of the plan's header, the number of the previous state, and the index of the last
/// command. They have 8 bytes for each move, which is a command that leads from one state to another.
/// All numbers are little-endian.
struct SliceFile: Sendable {
  let path: String
  let facts: SliceFacts
  /// The hash of the file's first line; the slices of plans with one more command refer to it.
  let hash: String
  private let bytes: Data

  /// Writes the file of one slice (a part of the work on plans of one length) into a folder.
  ///
  /// For each task of the exploration, `pieces` contains the results (`nil` if the task ended with
  /// shorter plans), the plan headers to which the results refer by index, and the duration.
  ///
  /// - Throws: A lab error if the file cannot be written.
  static func write(
    _ place: SlicePlace,
    to folder: String,
    of exploration: ExplorationIdentity,
    by program: CampaignProgram,
    after: [String],
    _ pieces: [(slice: ExplorationSlice?, headers: [PlanHeader], seconds: Double)]
  ) throws(LabError) {
    var bytes: [UInt8] = []
    for slice in pieces.compactMap(\.slice) {
      append(slice.states.map(\.equivalence), to: &bytes)
      for column in [\ExplorationSlice.State.root, \.parent, \.command] {
        append(slice.states.map { $0[keyPath: column] }, to: &bytes)
      }
      append(slice.moves.map(\.from), to: &bytes)
      append(slice.moves.map(\.to), to: &bytes)
    }
    let facts = SliceFacts(
      explorationSlice: SliceFacts.version,
      place: place,
      program: program,
      exploration: exploration,
      after: after,
      pieces: pieces.map { piece in
        let content = piece.slice.map { SliceFacts.Content($0, piece.headers) }
        return SliceFacts.Piece(seconds: piece.seconds, content: content)
      },
      byteCount: bytes.count,
      hash: bytes.withUnsafeBytes { CampaignProgram.hash(of: $0) }.digits
    )
    let file = "\(folder)/\(place.file)"
    do {
      let line = try JSONText.line(facts) + "\n"
      try Data(line.utf8 + bytes).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw .lab("\(file.quoted) cannot be written: \(error.localizedDescription)")
    }
  }

  /// Reads a slice's file, and verifies that it is complete and belongs to the given exploration.
  ///
  /// A slice is a part of the work on plans of one length.
  ///
  /// - Throws: A usage error that names the file and the reason why it cannot be used.
  init(
    _ path: String,
    _ place: SlicePlace,
    of exploration: ExplorationIdentity,
    by program: CampaignProgram,
    after: [String]
  ) throws(LabError) {
    self.path = path
    func refuse(_ reason: String) -> LabError {
      .usage("\(path.quoted) cannot be continued: \(reason).")
    }
    let data: Data
    do { data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) } catch {
      throw refuse("it cannot be read. Check its permissions")
    }
    guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { throw refuse(Self.damage) }
    let line = data[..<end]
    hash = line.stableHash.digits
    bytes = data[(end + 1)...]
    guard let version = (try? JSONDecoder().decode(Version.self, from: line))?.explorationSlice
    else { throw refuse(Self.damage) }
    if let refusal = FormatVersion.refusal(of: "it is a slice", version, newest: SliceFacts.version)
    {
      throw refuse(refusal)
    }
    guard let facts = try? JSONDecoder().decode(SliceFacts.self, from: line) else {
      throw refuse(Self.damage)
    }
    self.facts = facts
    let differences = program.differences(from: facts.program)
    guard differences.isEmpty else {
      throw refuse(
        "another build of history-lab wrote it (\(differences.joined(separator: "; "))). Use one build for all slices"
      )
    }
    if let difference = exploration.difference(from: facts.exploration) {
      throw refuse("\(difference). Use the same options for all slices")
    }
    guard facts.place == place, facts.pieces.count == exploration.pieces.count else {
      throw refuse(
        "it contains \(facts.place.sentence), and was renamed or damaged. Remove it and run "
          + "explore again"
      )
    }
    guard bytes.count == facts.byteCount,
      bytes.withUnsafeBytes({ CampaignProgram.hash(of: $0) }).digits == facts.hash
    else { throw refuse(Self.damage) }
    guard facts.after == after else {
      throw refuse(
        "it was made from slices of length \(place.length - 1) that differ from those in the "
          + "folder. Run explore again"
      )
    }
  }

  private static let damage =
    "it is not a whole slice of an exploration. Remove it and explore it again"

  /// The format version in the file's first line, which is decoded before the rest of the line.
  private struct Version: Decodable {
    let explorationSlice: Int
  }

  /// Returns the results in this file for one task of the exploration, given by the task's index.
  ///
  /// They are `nil` if the task ended with shorter plans than those of this file. If `hasMoves` is
  /// `false`, the moves from state to state are not read.
  ///
  /// - Throws: A usage error if a command or plan cannot be read.
  func slice(
    ofPiece piece: Int,
    headers: [PlanHeader],
    hasMoves: Bool
  ) throws(LabError) -> ExplorationSlice? {
    guard let content = facts.pieces[piece].content else { return nil }
    var place = facts.pieces[..<piece].compactMap(\.content).map(\.byteCount).reduce(0, +)
    guard content.states >= 0, content.moves >= 0, place + content.byteCount <= bytes.count else {
      throw unreadable("it is too short")
    }
    func column<Number: FixedWidthInteger>(_ count: Int, _: Number.Type) -> [Number] {
      let start = bytes.startIndex + place
      place += count * MemoryLayout<Number>.size
      return [Number](unsafeUninitializedCapacity: count) { buffer, size in
        size =
          bytes.copyBytes(to: buffer, from: start..<bytes.startIndex + place)
          / MemoryLayout<Number>.size
      }.map(Number.init(littleEndian:))
    }
    let hashes = column(content.states, UInt64.self)
    let roots = column(content.states, Int32.self)
    let parents = column(content.states, Int32.self)
    let commands = column(content.states, Int32.self)
    let moves = hasMoves ? content.moves : 0
    let from = column(moves, Int32.self)
    let to = hasMoves ? column(moves, Int32.self) : []
    return ExplorationSlice(
      knownCount: content.known,
      states: hashes.indices.map {
        ExplorationSlice.State(
          root: roots[$0],
          parent: parents[$0],
          command: commands[$0],
          equivalence: hashes[$0]
        )
      },
      moves: zip(from, to).map(StateMove.init),
      commands: try self.commands(content, headers),
      exploration: try exploration(content)
    )
  }

  private func commands(
    _ content: SliceFacts.Content,
    _ headers: [PlanHeader]
  ) throws(LabError) -> [ExplorationSlice.RootCommand] {
    var commands: [ExplorationSlice.RootCommand] = []
    for part in content.commands {
      guard headers.indices.contains(part.root) else { throw unreadable("a header is missing") }
      let header = PlanCodec.encode(Plan(header: headers[part.root], commands: []))
      commands += try plan(header + part.lines).commands.map {
        ExplorationSlice.RootCommand(root: part.root, command: $0)
      }
    }
    return commands
  }

  private func exploration(_ content: SliceFacts.Content) throws(LabError) -> Exploration {
    var exploration = Exploration()
    for (invariant, text) in content.broken { exploration.broken[invariant] = try plan(text) }
    exploration.exercised = content.exercised
    exploration.moveCount = content.moveCount
    exploration.ending = content.isOutOfStates ? .outOfStates : .complete
    exploration.foreseenStateCount = content.foreseen
    return exploration
  }

  private func plan(_ text: String) throws(LabError) -> Plan {
    do throws(FormatError) { return try PlanCodec.decode(text) } catch {
      throw unreadable(error.description)
    }
  }

  private func unreadable(_ reason: String) -> LabError {
    .usage("\(path.quoted) cannot be continued: \(reason). Run explore again.")
  }

  private static func append(_ column: [some FixedWidthInteger], to bytes: inout [UInt8]) {
    column.map(\.littleEndian).withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

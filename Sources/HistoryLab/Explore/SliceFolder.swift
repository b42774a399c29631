import Basics
import Campaigns
import Commands
import Foundation
import Simulation
import Traces

/// The slice files of an exploration in a folder.
///
/// A slice is a part of the work on plans of one length (number of commands). Lengths are read in
/// ascending order from 0. The first length with a missing slice and all greater lengths are left
/// out.
struct SliceFolder: Sendable {
  /// The slice files of each complete plan length, from length 0; within a length in slice order.
  ///
  /// A plan length is complete if all slices of this length and of all shorter lengths exist.
  private let lengths: [[SliceFile]]

  /// The number of complete plan lengths: all slices of these and of all shorter lengths exist.
  var lengthCount: Int { lengths.count }

  /// The hashes of the slice files of the last length in `lengths`; empty if no length is complete.
  var hashes: [String] { lengths.last?.map(\.hash) ?? [] }

  /// Reads the slice files for plan lengths less than `end`, at any depth below a folder.
  ///
  /// - Throws: A usage error if a file does not belong to the exploration, or if a slice has two files.
  init(
    _ folder: String,
    before end: Int,
    of exploration: ExplorationIdentity,
    by program: CampaignProgram
  ) throws(LabError) {
    let found = try Self.files(in: folder)
    var lengths: [[SliceFile]] = []
    for length in 0..<end {
      let places = found.keys.filter { $0.length == length }.sorted { $0.index < $1.index }
      let counts = Set(places.map(\.count))
      if counts.count > 1 {
        let list = counts.sorted().map(String.init).joinedWithAnd
        throw .usage(
          "--slices: length \(length) is divided into \(list) slices in \(folder.quoted). Remove the "
            + "files of one division."
        )
      }
      guard let count = counts.first, places.map(\.index) == Array(1...count) else { break }
      let after = lengths.last?.map(\.hash) ?? []
      var slices: [SliceFile] = []
      for place in places {
        guard let file = found[place] else { continue }
        let path = "\(folder)/\(file)"
        slices.append(try SliceFile(path, place, of: exploration, by: program, after: after))
      }
      lengths.append(slices)
    }
    self.lengths = lengths
  }

  /// Returns the files with slices below a folder, as paths within the folder.
  private static func files(in folder: String) throws(LabError) -> [SlicePlace: String] {
    var found: [SlicePlace: String] = [:]
    // The folder does not exist before the first result of a campaign.
    let walker = FileManager.default.enumerator(atPath: folder)
    for file in (walker?.compactMap { $0 as? String } ?? []).sorted() {
      guard let name = file.split(separator: "/").last,
        let place = SlicePlace(file: String(name))
      else { continue }
      if let other = found[place] {
        throw .usage(
          "--slices: \(place.sentence) has two files in \(folder.quoted): \(other) and \(file). Remove "
            + "one of them."
        )
      }
      found[place] = file
    }
    return found
  }

  /// Returns the results of all slices for one task of the exploration, given by the task's index.
  ///
  /// If `hasMoves` is `false`, the moves from state to state are not read, so that plans cannot be
  /// counted.
  ///
  /// - Throws: A usage error that names a file which cannot be read.
  func rounds(
    ofPiece piece: Int,
    headers: [PlanHeader],
    hasMoves: Bool
  ) throws(LabError) -> ExplorationRounds {
    var rounds = ExplorationRounds()
    for files in lengths {
      var slices: [ExplorationSlice] = []
      for file in files {
        let slice = try file.slice(ofPiece: piece, headers: headers, hasMoves: hasMoves)
        if let slice { slices.append(slice) }
      }
      if slices.isEmpty { break }
      guard slices.count == files.count, rounds.add(slices) else {
        throw .usage(
          "\(files[0].path.quoted) cannot be continued: the slices of its plan length do not match "
            + "each other or the slices of shorter plans. Explore that plan length again."
        )
      }
    }
    return rounds
  }

  /// Returns the total duration of one task in all slices, in seconds.
  func seconds(ofPiece piece: Int) -> Double {
    lengths.joined().map { $0.facts.pieces[piece].seconds }.reduce(0, +)
  }
}

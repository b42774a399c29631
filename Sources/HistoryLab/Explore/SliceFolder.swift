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
  /// For each complete plan length, from 0, the files of its slices in the order of their numbers.
  ///
  /// A length is complete if all slices (parts of the work) of it and of shorter lengths exist.
  private let lengths: [[SliceFile]]

  /// The number of complete plan lengths; it is also the first length whose slices were not read.
  var lengthCount: Int { lengths.count }

  /// The hashes (``SliceFile/hash``) of the files for the greatest complete plan length, or empty.
  var hashes: [String] { lengths.last?.map(\.hash) ?? [] }

  /// Reads the files with parts (slices) of an exploration, at any depth below a folder.
  ///
  /// Only parts with plans of fewer than `end` commands are read.
  ///
  /// - Throws: A usage error if a file is damaged or does not belong to the exploration, if a slice
  ///   has two files, or if a plan length is divided into different numbers of slices.
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
          "--slices: the work on plans of length \(length) is divided into \(list) slices in "
            + "\(folder.quoted). Keep the files slice-\(length)-*-of-N.bin of only one number N."
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

  /// Returns the files with parts (slices) of an exploration below a folder, as relative paths.
  ///
  /// - Throws: A usage error if two files have the name of the same slice.
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
          "--slices: \(place.sentence) has two files in \(folder.quoted): \(other) and \(file). "
            + "Remove the copy, or the file of another exploration."
        )
      }
      found[place] = file
    }
    return found
  }

  /// Returns the results of all parts (slices) of the work on one task of the exploration.
  ///
  /// A task is one system under one condition; `piece` is its index. If `hasMoves` is `false`, the
  /// moves (commands that lead from state to state) are not read, so that plans cannot be counted.
  ///
  /// - Throws: A usage error that names a file which cannot be read or does not match the others.
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
          "\(files[0].path.quoted) cannot be continued: it and the other slices of the same plan "
            + "length do not come from one exploration of the same shorter plans. Explore all "
            + "slices of that plan length again."
        )
      }
    }
    return rounds
  }

  /// Returns the duration of one task in seconds, summed over all parts (slices) of the work.
  ///
  /// `piece` is the index of the task (one system under one condition).
  func seconds(ofPiece piece: Int) -> Double {
    lengths.joined().map { $0.facts.pieces[piece].seconds }.reduce(0, +)
  }
}

import Basics
import Commands
import HistoryInspection
import HistoryStore
import Workloads

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds a workload profile by name or in a file, or fits one to the histories of store files.
enum Profiles {
  /// Returns the profile for a name, a profile file (one that ends in `.json`) or a store file.
  ///
  /// - Throws: a usage error that states the problem with the name or the file.
  static func profile(like source: ProfileSource) throws(LabError) -> WorkloadProfile {
    do {
      switch source {
      case .photos, .notes: return try WorkloadProfile.named(source.text)
      case .file(let path) where path.hasSuffix(".json"):
        let json = try Data(contentsOf: URL(fileURLWithPath: path))
        return try WorkloadProfile(json: json, source: path)
      case .file(let path): return try fitted(to: [path])
      }
    } catch let error as LabError {
      throw error
    } catch let error as ProfileError {
      throw .usage(error.description)
    } catch {
      throw .usage("\(source.text.quoted) cannot be read: \(error). Choose another profile.")
    }
  }

  /// Fits a profile to the combined histories of store files.
  ///
  /// Authors and entities with the same name in several files count as one.
  ///
  /// - Throws: a usage error that names the file whose history is missing, unreadable or too short.
  /// - Complexity: one pass over every history.
  static func fitted(
    to paths: [String],
    name: String? = nil,
    notes: [String] = [],
    date: Date = Date()
  ) throws(LabError) -> WorkloadProfile {
    do {
      let inspector = StoreInspector(stopCheck: Interruption.stopCheck)
      let files = try paths.map { (name: fileName($0), census: try inspector.census(of: $0)) }
      let tally = ProfileTally(files.map(\.census))
      let provenance = ProfileProvenance(
        source: files.count == 1 ? paths[0] : "\(files.count) store files",
        date: date.formatted(.iso8601.year().month().day()),
        transactions: tally.transactions,
        changes: tally.inserts + tally.updates + tally.deletes,
        files: files.map { file in
          ProfileProvenance.File(
            name: file.name,
            transactions: file.census.transactions,
            changes: file.census.changes
          )
        },
        notes: notes
      )
      return try WorkloadProfile(
        name: name ?? files.map(\.name).joined(separator: " "),
        provenance: provenance,
        tally: tally
      )
    } catch let error as InspectionError {
      throw .inspection(error)
    } catch let error as ProfileError {
      throw .usage(error.description)
    } catch {
      throw .lab("no profile could be made from the store files: \(error).")
    }
  }

  private static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

extension ProfileTally {
  /// Adds up the censuses of several histories, to make one workload profile of them.
  ///
  /// A census counts what a history contains. Authors with the same name count as one, and so do
  /// entities.
  init(_ histories: [HistoryCensus]) {
    self.init()
    var sizes = ValueHistogram()
    var microseconds = ValueHistogram()
    var authors: [CensusName: Int] = [:]
    var entities: [CensusName: Int] = [:]
    for census in histories {
      add(census)
      sizes.add(census.changesPerTransaction)
      microseconds.add(census.gaps)
      for author in census.authors where author.name != .absent {
        authors[author.name, default: 0] += author.transactions
      }
      for entity in census.entities { entities[entity.name, default: 0] += entity.changes.all }
    }
    let filled = sizes.buckets(perOctave: 8).filter { $0.to > 0 }
    changes = ProfileDistribution(filled, scale: 1)
    gaps = ProfileDistribution(microseconds.buckets(perOctave: 2), scale: 1e6)
    self.authors = Array(authors.values)
    self.entities = Array(entities.values)
  }

  private mutating func add(_ census: HistoryCensus) {
    transactions += census.transactions
    transactionsWithoutAuthor += census.transactionsWithoutAuthor
    transactionsWithoutChanges += census.transactionsWithoutChanges
    inserts += census.types.inserts
    updates += census.types.updates
    deletes += census.types.deletes
    ties += census.ties
    stepsBack += census.stepsBack
  }
}

extension ProfileDistribution {
  /// Divides the bounds of a histogram's buckets by a scale, to convert them to another unit.
  fileprivate init(_ buckets: [ValueHistogram.Bucket], scale: Double) {
    self.init(
      buckets.map { bucket in
        Bucket(
          from: Double(bucket.from) / scale,
          to: Double(bucket.to) / scale,
          count: bucket.count
        )
      }
    )
  }
}

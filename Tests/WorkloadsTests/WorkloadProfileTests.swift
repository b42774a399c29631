import Foundation
import HistoryTypes
import Testing

@testable import Workloads

@Suite struct WorkloadProfileTests {
  private typealias Bucket = ProfileDistribution.Bucket

  private static var tally: ProfileTally {
    var tally = ProfileTally()
    tally.transactions = 100
    tally.transactionsWithoutAuthor = 20
    tally.transactionsWithoutChanges = 10
    tally.inserts = 50
    tally.updates = 120
    tally.deletes = 30
    tally.ties = 9
    tally.changes = ProfileDistribution([
      Bucket(from: 1, to: 1, count: 70), Bucket(from: 4, to: 7, count: 20),
    ])
    tally.gaps = ProfileDistribution([
      Bucket(from: 0.000_316, to: 0.000_316, count: 60), Bucket(from: 1, to: 60, count: 39),
    ])
    tally.authors = [20, 60]
    tally.entities = [50, 150]
    return tally
  }

  private static let provenance = ProfileProvenance(
    source: "counts",
    date: "2001-12-31",
    transactions: 100,
    changes: 200
  )

  private static func profile(
    _ change: (inout ProfileTally) -> Void = { _ in }
  ) throws -> WorkloadProfile {
    var tally = tally
    change(&tally)
    return try WorkloadProfile(name: "made", provenance: provenance, tally: tally)
  }

  // MARK: Fitting

  @Test func `Shares are fractions of their totals`() throws {
    let profile = try Self.profile()
    #expect(profile.operations == .init(insert: 0.25, update: 0.6, delete: 0.15))
    #expect(profile.withoutAuthor == 0.2)
    #expect(profile.withoutChanges == 0.1)
    #expect(profile.ties == 0.090909)
    #expect(profile.stepsBack == 0)
  }

  @Test func `Authors and entities lose their names and keep their shares, largest first`() throws {
    let profile = try Self.profile()
    #expect(
      profile.authors
        == [.init(name: "author-1", share: 0.75), .init(name: "author-2", share: 0.25)]
    )
    #expect(
      profile.entities
        == [.init(name: "entity-1", share: 0.75), .init(name: "entity-2", share: 0.25)]
    )
  }

  @Test func `Too little history is reported`() {
    func error(_ change: (inout ProfileTally) -> Void) -> ProfileError? {
      #expect(throws: ProfileError.self) { try Self.profile(change) }
    }
    #expect(
      error { $0.transactions = 1 }
        == .tooLittle(source: "counts", reason: "it has 1 transaction")
    )
    #expect(
      error { ($0.inserts, $0.updates, $0.deletes) = (0, 0, 0) }
        == .tooLittle(source: "counts", reason: "no transaction has a change")
    )
    #expect(
      error { $0.gaps = ProfileDistribution() }
        == .tooLittle(source: "counts", reason: "no transaction is later than the one before it")
    )
  }

  // MARK: Sampling

  @Test func `A lower quantile gives a simpler value`() throws {
    let profile = try Self.profile()
    #expect(profile.changesPerTransaction(at: 0) == 1)
    #expect(profile.changesPerTransaction(at: 0.999) == 7)
    #expect(profile.gap(at: 0) == 0.000_316)
    #expect(profile.operation(at: 0) == .insert)
    #expect(profile.author(at: 0, among: 4) == 0)
    #expect(profile.author(at: 1, among: 4) == nil)
  }

  @Test func `Samples occur in the shares of the profile`() throws {
    let profile = try Self.profile()
    let quantiles = (0..<1000).map { (Double($0) + 0.5) / 1000 }
    func count(_ condition: (Double) -> Bool) -> Int { quantiles.count(where: condition) }
    #expect(count { profile.operation(at: $0) == .insert } == 250)
    #expect(count { profile.operation(at: $0) == .update } == 600)
    #expect(count { profile.operation(at: $0) == .delete } == 150)
    #expect(count { profile.author(at: $0, among: 2) == nil } == 200)
    #expect(count { profile.author(at: $0, among: 2) == 0 } == 600)
    #expect(count { profile.author(at: $0, among: 1) == 0 } == 800)
    #expect(count { profile.entity(at: $0, among: 2) == 1 } == 250)
  }

  @Test func `Authors beyond the profile's write as rarely as its rarest`() throws {
    let profile = try Self.profile()
    let quantiles = (0..<1500).map { (Double($0) + 0.5) / 1500 }
    let counts = (0..<4).map { author in
      quantiles.count { profile.author(at: $0, among: 4) == author }
    }
    #expect(counts == [600, 200, 200, 200])
    #expect(profile.author(at: 0.5, among: 0) == nil)
  }

  @Test func `Summaries match the distributions`() throws {
    let profile = try Self.profile()
    #expect(profile.meanChangesPerTransaction == 2.0)
    #expect(profile.mostChangesPerTransaction == 7)
    let gaps = profile.gaps(5)
    #expect(gaps.count == 5)
    #expect(gaps.prefix(3) == [0.000_316, 0.000_316, 0.000_316])
    #expect(gaps == gaps.sorted())
    #expect(gaps.allSatisfy { $0 * 1e6 == ($0 * 1e6).rounded() })
  }

  // MARK: JSON

  @Test func `A profile is read back from JSON, which has a line for each part`() throws {
    let profile = try Self.profile()
    let json = try profile.json()
    #expect(try WorkloadProfile(json: Data(json.utf8), source: "here") == profile)
    let keys = json.split(separator: "\n").dropFirst().dropLast()
      .map { $0.drop { " \"".contains($0) }.prefix { $0 != "\"" } }
    #expect(keys == keys.sorted())
    #expect(keys.count == 12)
  }

  static let broken: [(old: String, new: String, reason: String)] = [
    ("\"ties\":", "\"tied\":", "it has no \"ties\""),
    ("\"withoutAuthor\": 0.2", "\"withoutAuthor\": \"a\"", "\"withoutAuthor\" has the wrong type"),
    ("\"withoutAuthor\": 0.2", "\"withoutAuthor\": 1.2", "a share is not from 0 to 1"),
    (
      "\"update\":0.6", "\"update\":0.5",
      "the shares of operations, authors or entities do not add up to 1"
    ),
    ("\"count\":70", "\"count\":0", "changesPerTransaction: a bucket has the count 0"),
    ("\"count\":60", "\"count\":-1", "gapSeconds: a bucket has the count -1"),
    (
      "\"from\":1,\"to\":1}", "\"from\":0,\"to\":1}",
      "changesPerTransaction has a bucket that starts below 1; omit transactions without changes"
    ),
    ("{", "", "it is not JSON"),
  ]

  @Test(arguments: broken)
  func `JSON that is not a profile is refused with a reason`(
    old: String,
    new: String,
    reason: String
  ) throws {
    let json = try Self.profile().json()
    let place = try #require(json.range(of: old))
    let error = #expect(throws: ProfileError.self) {
      try WorkloadProfile(
        json: Data(json.replacingCharacters(in: place, with: new).utf8),
        source: "my.json"
      )
    }
    #expect(error == .unreadable(source: "my.json", reason: reason))
  }

  @Test func `A newer version is refused before its parts are read`() {
    let error = #expect(throws: ProfileError.self) {
      try WorkloadProfile(json: Data(#"{"profile": 2}"#.utf8), source: "my.json")
    }
    #expect(error == .newerVersion(source: "my.json", found: 2, known: 1))
  }

  // MARK: Committed profiles

  @Test(arguments: WorkloadProfile.names)
  func `A committed profile can be read and states its source`(name: String) throws {
    let profile = try WorkloadProfile.named(name)
    #expect(profile.name == name)
    #expect(profile.provenance.transactions > 1000)
    #expect(!profile.provenance.source.isEmpty)
    #expect(!profile.provenance.notes.isEmpty)
    let filled = profile.changesPerTransaction.count
    let share = 1 - Double(filled) / Double(profile.provenance.transactions)
    #expect(abs(share - profile.withoutChanges) < 1e-6)
  }

  @Test func `The profile of Photos matches its files`() throws {
    let profile = try WorkloadProfile.named("photos")
    let files = profile.provenance.files
    #expect(files.reduce(0) { $0 + $1.transactions } == profile.provenance.transactions)
    #expect(files.reduce(0) { $0 + $1.changes } == profile.provenance.changes)
    #expect(profile.gapSeconds.count == profile.provenance.transactions - files.count)
    #expect(profile.mostChangesPerTransaction == 141)
  }

  @Test func `The profile of Notes has its known values`() throws {
    let profile = try WorkloadProfile.named("notes")
    #expect(profile.withoutAuthor == 0.55)
    #expect(profile.operations == .init(insert: 0.19, update: 0.78, delete: 0.03))
    #expect(profile.mostChangesPerTransaction == 25)
    let mean = profile.meanChangesPerTransaction * (1 - profile.withoutChanges)
    #expect(abs(mean - 2.2) < 0.05)
    #expect(
      profile.gapSeconds.buckets.map(\.count)
        == [13, 973, 331, 2171, 4497, 447, 307, 52, 37, 9]
    )
    #expect(
      profile.gapSeconds.buckets.dropLast().map(\.to)
        == [0.002, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400]
    )
  }

  @Test func `The error for an unknown name lists the existing ones`() {
    let error = #expect(throws: ProfileError.self) { try WorkloadProfile.named("fotos") }
    #expect(
      error?.description
        == "There is no profile \"fotos\". Profiles that need no file: notes, photos."
    )
  }

  static let sentences: [(ProfileError, String)] = [
    (
      .unreadable(source: "my.json", reason: "it is not JSON"),
      "my.json is not a workload profile: it is not JSON."
    ),
    (
      .newerVersion(source: "my.json", found: 2, known: 1),
      "my.json is a workload profile of version 2; this lab reads up to 1. Update history-lab."
    ),
    (
      .tooLittle(source: "a.sqlite", reason: "no transaction has a change"),
      "a.sqlite has too little history for a profile: no transaction has a change."
    ),
  ]

  @Test(arguments: sentences)
  func `Each error is a sentence with the existing choices`(error: ProfileError, sentence: String) {
    #expect(error.description == sentence + " Profiles that need no file: notes, photos.")
  }
}

import Foundation
import HistoryStore
import HistoryTypes
import LabFixtures
import Testing
import Workloads

@testable import Commands
@testable import HistoryLab

@Suite struct ProfilesTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("profiles-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Runs a closure, and removes the files that it created.
  private func tidily(_ body: () throws -> Void) throws {
    defer { remove() }
    try body()
  }

  private func remove() {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("left behind: \(folder.path): \(error)")
    }
  }

  /// A store in which each author wrote transactions of some sizes, ten seconds apart.
  private func store(
    _ name: String,
    _ transactions: [(author: String?, count: Int)]
  ) throws -> String {
    let path = folder.appendingPathComponent(name).path
    let clock = TestClock()
    var configuration = StoreConfiguration()
    configuration.clock = {
      Date(timeIntervalSinceReferenceDate: Double(clock.now.components.seconds))
    }
    let store = try Store(
      path: path,
      model: Model([Entity("Note", [])]),
      configuration: configuration
    )
    for transaction in transactions {
      clock.move(by: .seconds(10))
      var rest = transaction.count
      _ = try store.batchInsert(into: "Note", by: BatchAuthor(transaction.author)) { _ in
        rest -= 1
        return rest >= 0
      }
    }
    return path
  }

  @Test func `A profile is fitted to all files together`() throws {
    try tidily {
      let first = try store("first", [("app", 1), (nil, 3), ("app", 40)])
      let second = try store("second", [("widget", 1), ("app", 1)])
      let profile = try Profiles.fitted(
        to: [first, second],
        name: "both",
        date: Date(timeIntervalSinceReferenceDate: 0)
      )
      #expect(profile.name == "both")
      #expect(profile.provenance.date == "2001-01-01")
      #expect(profile.provenance.files.map(\.name) == ["first", "second"])
      #expect(profile.provenance.files.map(\.changes) == [44, 2])
      #expect(profile.operations == .init(insert: 1, update: 0, delete: 0))
      #expect(profile.withoutAuthor == 0.2)
      #expect(profile.authors.map(\.share) == [0.75, 0.25])
      #expect(profile.entities.map(\.share) == [1])
      #expect(
        profile.changesPerTransaction.buckets
          == [
            .init(from: 1, to: 1, count: 3), .init(from: 3, to: 3, count: 1),
            .init(from: 40, to: 40, count: 1),
          ]
      )
      #expect(profile.gapSeconds.buckets.map(\.count) == [3])
      #expect(profile.gap(at: 0.5) == 10)
    }
  }

  @Test func `A name, a store file or a file with a profile gives a profile`() throws {
    try tidily {
      #expect(try Profiles.profile(like: .photos).name == "photos")
      #expect(try Profiles.profile(like: .notes).name == "notes")
      let file = try store("a.sqlite", [("app", 1), ("app", 2)])
      let fitted = try Profiles.profile(like: .file(file))
      #expect(fitted.provenance.transactions == 2)
      let json = folder.appendingPathComponent("a.json")
      try Data(fitted.json().utf8).write(to: json)
      #expect(try Profiles.profile(like: .file(json.path)) == fitted)
    }
  }

  @Test func `An invalid profile is a usage error with a one-line message`() throws {
    try tidily {
      func error(_ path: String) throws -> String {
        let error = #expect(throws: LabError.self) { try Profiles.profile(like: .file(path)) }
        #expect(error?.exitCode == .usage)
        return error?.sentence ?? ""
      }
      let readme = folder.appendingPathComponent("README.md")
      try Data("# Read me, I am not a database at all\n".utf8).write(to: readme)
      #expect(try error(readme.path).hasPrefix("\(readme.path) is not an SQLite database"))
      let json = folder.appendingPathComponent("a.json")
      try Data("[]".utf8).write(to: json)
      #expect(try error(json.path).hasPrefix("\(json.path) is not a workload profile: "))
      let empty = try store("empty.sqlite", [])
      #expect(try error(empty).hasPrefix("\(empty) has too little history for a profile: "))
    }
  }

  /// If a folder `shared/stores` exists above the package, the committed profile is computed again
  /// from the files that it names; otherwise it is compared with its own sums.
  @Test func `The committed profile of Photos matches its source files`() throws {
    defer { remove() }
    let committed = try WorkloadProfile.named("photos")
    let files = committed.provenance.files
    #expect(files.reduce(0) { $0 + $1.transactions } == committed.provenance.transactions)
    guard let stores = Self.stores else { return }
    // Copies: the code under test may have bugs and must never reach a file outside the test.
    let copies = try files.map { file in
      let copy = folder.appendingPathComponent(file.name)
      try Data(contentsOf: URL(fileURLWithPath: "\(stores)/\(file.name)")).write(to: copy)
      return copy.path
    }
    var fitted = try Profiles.fitted(to: copies, name: "photos")
    fitted.provenance.date = committed.provenance.date
    fitted.provenance.notes = committed.provenance.notes
    #expect(fitted == committed)
  }

  private static var stores: String? {
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let stores = folder.path + "/shared/stores"
      if FileManager.default.fileExists(atPath: stores) { return stores }
    }
    return nil
  }
}

import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// Processes that disagree about the configuration of the store.
@Suite(.inEveryLayout) struct ConfigurationTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.memberLocks = .none
    self.fixture = fixture
    store = try fixture.open()
  }

  private func configuration(
    _ change: (inout MemberConfiguration) -> Void
  ) -> MemberConfiguration {
    var configuration = MemberConfiguration()
    change(&configuration)
    return configuration
  }

  @Test func `Members that agree, or state no configuration, do not differ`() throws {
    let same = configuration {
      $0.authors = ["widget", "app"]
      $0.batchAuthors = []
      $0.strategy = "whenMerged"
      $0.retention = RetentionLimits(age: .seconds(60))
    }
    var ignoring = same
    ignoring.ignoredAuthors = ["app"]
    _ = try store.join("app", author: "app", declaring: same)
    _ = try store.join("widget", author: "widget", declaring: ignoring)
    _ = try store.join("silent", author: nil)
    #expect(try store.configurationDifferences().isEmpty)
    #expect(
      try store.members().map(\.configuration.authors) == [
        ["app", "widget"], nil, ["app", "widget"],
      ]
    )
  }

  @Test func `Each difference between members is described in a sentence`() throws {
    _ = try store.join(
      "app",
      author: "app",
      declaring: configuration {
        $0.authors = ["app", "widget"]
        $0.batchAuthors = ["import"]
        $0.strategy = "whenMerged"
        $0.retention = RetentionLimits()
      }
    )
    var careless = fixture
    careless.configuration.protectedAuthors = []
    _ = try careless.open().join(
      "widget",
      author: "widget",
      declaring: configuration {
        $0.authors = ["widget"]
        $0.batchAuthors = []
        $0.strategy = "none"
        $0.retention = RetentionLimits(age: .seconds(60), transactionCount: 5, byteCount: 7)
      }
    )
    let differences = try store.configurationDifferences()
    #expect(
      differences.map(\.subject) == [
        .authors, .batchAuthors, .strategy, .retention, .protectedAuthors,
      ]
    )
    try #require(differences.count == 5)
    #expect(differences[0].statements == ["app": "app, widget", "widget": "widget"])
    #expect(
      differences[3].description
        == "The members differ in their retention limits: app says no limit; widget says at most 60.0 "
        + "s, 5 transactions, 7 bytes. The loosest limits apply until all members have the same "
        + "limits. Use the same limits in all processes, or forget members that never run again."
    )
    #expect(differences[4].statements["widget"] == "none")
    for difference in differences { #expect(difference.description.hasSuffix(".")) }
  }

  @Test func `A member whose author is another's batch author is reported`() throws {
    let wrong = configuration { $0.batchAuthors = ["widget", "import"] }
    _ = try store.join("app", author: "app", declaring: wrong)
    _ = try store.join("widget", author: "widget", declaring: wrong)
    let difference = try #require(try store.configurationDifferences().first)
    #expect(difference.subject == .batchAuthorIsMember)
    #expect(difference.description.contains("app says that \"widget\" only writes"))
    #expect(try store.configurationDifferences().count == 1)
  }

  @Test func `Only members that retain history are compared`() throws {
    let one = configuration { $0.strategy = "none" }
    let other = try store.join("app", declaring: configuration { $0.strategy = "whenMerged" })
    _ = try store.join("widget", declaring: one)
    #expect(try store.configurationDifferences().count == 1)
    try store.retire(other)
    #expect(try store.configurationDifferences().isEmpty)
    _ = try store.join("app", declaring: one)
    #expect(try store.configurationDifferences().isEmpty)
  }

  @Test func `An author that any active member protects is never purged`() throws {
    var careful = fixture
    careful.configuration.protectedAuthors = ["sync.*"]
    let app = try careful.open().join("app")
    for author in ["sync.a", "app", "sync.b", "app"] { try store.add("a", by: author) }
    try store.record(app, through: try store.currentToken())
    try store.purge()
    #expect(try store.heldNumbers() == [1, 3, 4])
    try store.purge(before: .distantFuture, filter: PurgeFilter(contextNames: [nil]))
    #expect(try store.heldNumbers() == [1, 3, 4])
    try store.retire(app)
    try store.purge()
    #expect(try store.heldNumbers() == [4])
  }

  @Test func `Wrong lists of authors never make a purge earlier`() throws {
    let wrong = configuration {
      $0.authors = ["app"]
      $0.batchAuthors = ["widget"]
    }
    let app = try store.join("app", author: "app", declaring: wrong)
    _ = try store.join("widget", author: "widget", declaring: wrong)
    for _ in 0..<3 { try store.add("a") }
    #expect(try store.purge(by: app, recording: try store.currentToken()).purgedThrough == 0)
  }
}

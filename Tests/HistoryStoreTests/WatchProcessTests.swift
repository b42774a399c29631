import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@Suite(.blocksItsThread) struct WatchProcessTests {
  @Test func `A thousand commits of another process are all reported`() async throws {
    let fixture = try StoreFixture.withoutPoll()
    let store = try fixture.open()
    let reported = ReportedTokens()
    let watch = try store.watch(reported.note)
    let path = fixture.path
    let changes = try store.changes
    let follower = Task {
      var numbers: [Int64] = []
      for await _ in changes {
        let last = numbers.last ?? 0
        numbers += try store.numbers().filter { $0 > last }
        if numbers.last == 1000 { break }
      }
      return numbers
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try Store(path: path)
      for index in 1...1000 { try store.add("\(index)") }
    }
    #expect(try await follower.value == Array(1...1000))
    reported.wait(for: 1000)
    #expect(reported.numbers == Set(reported.numbers).sorted())
    withExtendedLifetime(watch) {}
  }

  @Test func `A writer that is killed before its signal delays a reader by one poll at most`()
    async throws
  {
    var fixture = try StoreFixture.withoutPoll()
    let patient = try fixture.open()
    fixture.configuration.changePollInterval = .milliseconds(20)
    let polling = try fixture.open()
    let toldPatient = ReportedTokens()
    let toldPolling = ReportedTokens()
    let watches = [
      try patient.watch(toldPatient.note), try polling.watch(toldPolling.note),
    ]
    let path = fixture.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      var configuration = StoreConfiguration()
      configuration.actionObserver = StoreActionObserver(begins: { _ in }, ends: { _ in })
      configuration.actionObserver?.signals = { _ in kill(getpid(), SIGKILL) }
      try Store(path: path, configuration: configuration).add("committed")
    }
    toldPolling.wait(for: 1)
    #expect(try patient.numbers() == [1])
    #expect(toldPatient.numbers == [])
    try polling.add("after it")
    toldPatient.wait(for: 2)
    #expect(toldPatient.numbers == [2])
    withExtendedLifetime(watches) {}
  }
}

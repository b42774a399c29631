import PropertyTesting
import PropertyTraits
import Synchronization
import Testing

@Suite(.property(cases: 50, seed: 1)) struct KnownIssueTests {
  private let digits = Generator<Int>.ints(in: 0...99)

  @Test func `A property inside a known issue fails, is shrunk, and stays known`() async throws {
    let shrunk = Mutex("")
    let found = try await recordedIssues { [digits] in
      await withKnownIssue {
        let result = try await property(digits) { #expect($0 < 10) }
        #expect(result.outcome == .failed)
        shrunk.withLock { $0 = result.failure?.shrunk.message ?? "" }
      }
    }
    #expect(shrunk.withLock { $0 }.hasPrefix("10\n"))
    #expect(found.isEmpty)
  }

  @Test func `Known issues of a body do not fail its cases`() async throws {
    let result = try await property(digits) { number in
      withKnownIssue(isIntermittent: true) { #expect(number < 10) }
    }
    #expect(result.counts.passed == 50)
  }

  @Test func `A failure next to a known issue fails the case`() async throws {
    let shrunk = Mutex("")
    let found = try await recordedIssues { [digits] in
      let result = try await property(digits) { number in
        withKnownIssue { Issue.record("known") }
        #expect(number < 20)
      }
      shrunk.withLock { $0 = result.failure?.shrunk.message ?? "" }
    }
    #expect(shrunk.withLock { $0 }.hasPrefix("20\n") && found.count == 2)
  }

  @Test func `A known issue that no case shows is reported as missing`() async throws {
    let found = try await recordedIssues { [digits] in
      await withKnownIssue { try await property(digits) { #expect($0 < 100) } }
    }
    #expect(found.count == 1 && "\(found[0])".contains("was not recorded"))
  }
}

import Foundation
import TestSupport
import Testing

/// `scripts/lock-witness`, on programs that do and do not hold a lock.
@Suite(.needs(.processFiles)) struct `The witness of locks` {
  private func answer(_ words: [String]) async throws -> ProcessAnswer {
    try await ProcessAnswer(of: Repository.path("scripts/lock-witness"), words)
  }

  @Test func `A lock that is held in every stop is named with its file`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("locked")
    let program = "exec 9>'\(file)'; flock 9; exec sleep 600"
    let answer = try await answer(["--stops", "2", "--seed", "1", "/bin/sh", "-c", program])
    #expect(answer.code == 1)
    #expect(answer.said.contains("the whole file, exclusive") && answer.said.contains(file))
  }

  @Test func `A program without locks passes, and one that is gone is an error`() async throws {
    let idle = try await answer(["--stops", "1", "sleep", "600"])
    #expect(idle.code == 0)
    #expect(idle.said.contains("Locks were held in 0 of 1 stops"))
    let gone = try await answer(["--stops", "2", "true"])
    #expect(gone.code == 2 && gone.said.contains("ended before it was stopped"))
    #expect(try await answer(["--stops", "none", "true"]).code == 64)
  }
}

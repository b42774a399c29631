import LabFixtures
import Testing

@testable import Commands
@testable import HistoryLab

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct Interruptions {
  @Test func `The first signal requests the end`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Interruption.install()
      guard !Interruption.isRequested else { exit(1) }
      raiseHere(SIGTERM)
      exit(Interruption.isRequested ? 7 : 2)
    }
  }

  @Test func `The second signal ends the process at once`() async {
    await #expect(processExitsWith: .exitCode(130)) {
      Interruption.install()
      raiseHere(SIGINT)
      raiseHere(SIGTERM)
      exit(0)
    }
  }
}

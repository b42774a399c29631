import HistoryStore
import HistoryTracking
import Synchronization

/// Counts what a process of a stress run does, from any of its threads.
final class StressTally: Sendable {
  private let state = Mutex(StressReport())

  var report: StressReport { state.withLock { $0 } }

  func noteWrite() { state.withLock { $0.written += 1 } }

  func note(_ pass: PassReport) {
    state.withLock { report in
      report.passes += 1
      report.merged += pass.transactionCount
      report.purged += pass.purgedCount
    }
    if let failure = pass.failure { note(failure) }
  }

  func note(_ error: any Error) {
    let isBusy = (error as? HistoryError)?.isBusy ?? false
    state.withLock { report in
      if isBusy { report.busyErrors += 1 } else { report.otherErrors += 1 }
      report.firstError = report.firstError ?? "\(error)"
    }
  }
}

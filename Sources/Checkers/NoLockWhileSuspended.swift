package import Traces

/// A suspended process holds no lock on a file.
///
/// Verifies: from the end of the command that suspends a process until that process resumes or
/// ends, the disk under test has no lock of a connection that this process opened.
///
/// Does not verify: locks that a command takes and releases, stores on disks that do not report
/// locks, and the lock files of running members, which are not SQLite locks.
package struct NoLockWhileSuspended: Invariant {
  package static let name = "NoLockWhileSuspended"
  package static let sentence = "A process that is suspended holds no lock on a file."
  package private(set) var violation: Violation?
  private var wasLookedFor = false

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil, case .locks(let held) = event.kind else { return }
    wasLookedFor = true
    guard !held.isEmpty else { return }
    violation = Self.violation(
      at: event,
      because: "\(event.who) is suspended and holds \(held.joined(separator: ", "))"
    )
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return wasLookedFor
      ? .valid
      : .unknown("Not checked: no plan suspended a process on a disk that reports its locks.")
  }
}

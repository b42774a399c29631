import Foundation
import Synchronization

/// The places in its own code where a process of a stress run can be ordered to die.
enum StressPlace: String, Codable, Hashable, Sendable, CaseIterable {
  /// After a commit, before it is signalled.
  case signal
  /// After a merge, before it is recorded.
  case record
  /// Between two chunks of a purge, or within one.
  case purge
  /// While the log is copied into the file.
  case checkpoint

  /// The place in words.
  var sentence: String {
    switch self {
    case .signal: "between commit and signal"
    case .record: "between merge and record"
    case .purge: "inside a purge"
    case .checkpoint: "inside a checkpoint"
    }
  }
}

/// Kills its own process at the n-th visit of a place after it was armed.
final class StressDeath: Sendable {
  /// The place's position and the number of visits left, packed in one word; 0 if not armed.
  private let armed = Atomic<Int>(0)
  private static let places = StressPlace.allCases.count + 1

  /// Arms the switch to kill the process at the n-th visit of a place from now on.
  func arm(_ place: StressPlace, visit: Int) {
    let position = (StressPlace.allCases.firstIndex(of: place) ?? 0) + 1
    armed.store(max(visit, 1) * Self.places + position, ordering: .relaxed)
  }

  /// Counts a visit of a place; it costs one atomic load unless that place is armed.
  func meet(_ place: StressPlace) {
    let word = armed.load(ordering: .relaxed)
    guard word > 0, StressPlace.allCases[word % Self.places - 1] == place else { return }
    let left = armed.subtract(Self.places, ordering: .relaxed).newValue
    guard left < Self.places else { return }
    kill(getpid(), SIGKILL)
    // The signal may still be on its way, delivered to another thread.
    while true { pause() }
  }
}

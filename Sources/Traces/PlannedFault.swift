/// A fault injected while one command runs, at the k-th call of one kind on one file.
package struct PlannedFault: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The call fails without effect.
    case ioError
    /// The disk is full.
    case full
    /// The call fails because another process holds the lock.
    case busy
    /// The file appears to end in the middle of the range that is read.
    case shortRead
    /// An allocation fails.
    case memory
    /// A sync is acknowledged, but the disk executes it only with the file's next sync.
    case delay
    /// The power fails: all unsynced data is lost.
    case powerOff
    /// The power fails: each sector of unsynced data is either kept or lost.
    case torn

    /// Whether the fault is a power-off, in which all actors lose their in-memory state.
    package var isPowerOff: Bool { self == .powerOff || self == .torn }

    /// The calls at which the fault can be injected.
    package var calls: [Call] {
      switch self {
      case .ioError: [.read, .write, .sync, .truncate, .lock]
      case .full: [.write]
      case .busy: [.lock]
      case .shortRead: [.read]
      case .memory: [.allocate]
      case .delay: [.sync]
      case .powerOff, .torn: [.read, .write, .sync, .truncate, .lock]
      }
    }
  }
  package enum File: String, Hashable, Sendable, CaseIterable {
    case main
    case wal
    case shm
  }
  package enum Call: String, Hashable, Sendable, CaseIterable {
    case read
    case write
    case sync
    case truncate
    case lock
    /// SQLite allocates memory, for any purpose; the file is ignored.
    case allocate
  }
  package var kind: Kind
  package var file: File
  package var call: Call
  /// The number of the call with the fault, among the command's calls of this kind on this file.
  ///
  /// Calls are counted from 1. If the command makes fewer such calls, a power-off occurs after the
  /// command, and a fault of any other kind does not occur.
  package var k: Int
  /// Whether every later call of the same kind on the file fails too; the default is `false`.
  package var from: Bool
  /// The seed that selects the sectors that a power-off of the kind `torn` keeps.
  package var seed: Int

  package init(kind: Kind, file: File, call: Call, k: Int, from: Bool = false, seed: Int = 0) {
    self.kind = kind
    self.file = file
    self.call = call
    self.k = k
    self.from = from
    self.seed = seed
  }

  /// A power-off at the first sync of the write-ahead log; all unsynced data is lost.
  ///
  /// If the command does not sync the log, the power fails after the command.
  package static let powerOff = PlannedFault(kind: .powerOff, file: .wal, call: .sync, k: 1)
}

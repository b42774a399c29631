/// Trouble that strikes the k-th call of a kind on a file within one command.
package struct PlannedFault: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The call fails and does nothing.
    case ioError
    /// The disk is full.
    case full
    /// Somebody else holds the lock.
    case busy
    /// The file seems to end in the middle of what is read.
    case shortRead
    /// There is no memory.
    case memory
    /// A sync is acknowledged, and takes place only with the file's next one: the disk lies.
    case delay
    /// The power goes: what was not synced is lost.
    case powerOff
    /// The power goes: what was not synced is there or not, sector by sector.
    case torn

    /// Whether everyone loses what they had in memory.
    package var isPowerOff: Bool { self == .powerOff || self == .torn }

    /// The calls that it can strike.
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
    /// SQLite asks for memory, whatever for: the file does not matter.
    case allocate
  }
  package var kind: Kind
  package var file: File
  package var call: Call
  /// Which such call within the command, from 1; a power-off whose call does not come strikes when
  /// the command has ended.
  package var k: Int
  /// Whether every later call fails too.
  package var from: Bool
  /// Which sectors a torn file keeps.
  package var seed: Int

  package init(kind: Kind, file: File, call: Call, k: Int, from: Bool = false, seed: Int = 0) {
    self.kind = kind
    self.file = file
    self.call = call
    self.k = k
    self.from = from
    self.seed = seed
  }

  /// The power goes, and all is lost that was not synced: at a sync of the log, or when the command has
  /// ended if there is none.
  package static let powerOff = PlannedFault(kind: .powerOff, file: .wal, call: .sync, k: 1)
}

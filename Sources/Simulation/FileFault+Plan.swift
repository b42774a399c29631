import Faults
import Traces

extension FileFault {
  /// Creates the file fault of a planned fault, or `nil` if it does not affect the file system.
  init?(_ fault: PlannedFault) {
    guard let kind = Kind(fault.kind), let call = FileCall(fault.call),
      let file = FileKind(name: fault.file.rawValue)
    else { return nil }
    self.init(kind, file: file, call: call, k: fault.k, from: fault.from, loss: fault.loss)
  }
}

extension PlannedFault {
  /// The effect of this power-off on writes that were not synced.
  var loss: PowerLoss {
    PowerLoss(seed: kind == .torn ? UInt64(truncatingIfNeeded: seed) : nil)
  }
}

extension FileFault.Kind {
  fileprivate init?(_ kind: PlannedFault.Kind) {
    switch kind {
    case .ioError: self = .ioError
    case .full: self = .full
    case .busy: self = .busy
    case .shortRead: self = .shortRead
    case .delay: self = .delay
    case .powerOff, .torn: self = .powerOff
    case .memory: return nil
    }
  }
}

extension FileCall {
  fileprivate init?(_ call: PlannedFault.Call) {
    switch call {
    case .read: self = .read
    case .write: self = .write
    case .sync: self = .sync
    case .truncate: self = .truncate
    case .lock: self = .lock
    case .allocate: return nil
    }
  }
}

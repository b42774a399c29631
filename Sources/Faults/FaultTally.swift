/// A fault that a file system is armed with, and what it has done so far.
package struct FaultTally: Sendable, Hashable {
  package let fault: FileFault
  /// Calls that the fault counted.
  package private(set) var countedCalls = 0
  /// Calls that it made fail.
  package private(set) var failedCalls = 0

  init(_ fault: FileFault) {
    self.fault = fault
  }

  /// Counts a call; the code that it fails with, nil if this fault lets it pass.
  mutating func strike(_ call: FileCall, on file: FileKind) -> Int32? {
    guard let code = fault.code(for: call, on: file) else { return nil }
    countedCalls += 1
    guard countedCalls == fault.k || (fault.from && countedCalls > fault.k) else { return nil }
    failedCalls += 1
    return code
  }
}

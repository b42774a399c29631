/// An armed fault, and the number of calls that it has counted and failed.
package struct FaultTally: Sendable, Hashable {
  package let fault: FileFault
  /// The number of calls that the fault counted.
  package private(set) var countedCalls = 0
  /// The number of calls that the fault made fail.
  package private(set) var failedCalls = 0

  init(_ fault: FileFault) {
    self.fault = fault
  }

  /// Counts a call, and returns the code that it fails with, or `nil` if this fault lets it pass.
  mutating func strike(_ call: FileCall, on file: FileKind) -> Int32? {
    guard let code = fault.code(for: call, on: file) else { return nil }
    countedCalls += 1
    guard countedCalls == fault.k || (fault.from && countedCalls > fault.k) else { return nil }
    failedCalls += 1
    return code
  }
}

import Foundation
import Fuzzing

/// The attempt of the target that the environment names.
private let attempt: FuzzTarget.Attempt = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget.named(name) else {
    let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
    fatalError("FUZZ_TARGET is \"\(name)\". Set it to one of: \(names).")
  }
  do {
    return try target.attempt()
  } catch {
    fatalError("the target \(name) cannot begin: \(error)")
  }
}()

/// The entry point that libFuzzer calls with each input (https://llvm.org/docs/LibFuzzer.html).
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try attempt(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}

import Testing

@testable import Measuring

@Suite struct `Resident memory` {
  /// Other tests of the process allocate too and restart the measurement: memory held now counts in
  /// any case.
  @Test func `Touched memory counts as growth`() {
    let byteCount = 48 << 20
    guard let memory = ResidentMemory() else { return }
    let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 4096)
    for offset in stride(from: 0, to: byteCount, by: 4096) {
      block.storeBytes(of: UInt8(1), toByteOffset: offset, as: UInt8.self)
    }
    #expect((memory.growthBytes ?? 0) >= Int64(byteCount) - 8 << 20)
    #expect((memory.peakBytes ?? 0) >= Int64(byteCount))
    block.deallocate()
  }

  #if os(Linux)
  @Test func `Linux counts resident memory`() {
    #expect(ResidentMemory() != nil)
  }
  #endif
}

import Basics
import Testing

@Suite struct `The stable hash` {
  @Test func `The stable hash is 64-bit FNV-1a`() {
    // The test vectors of draft-eastlake-fnv.
    #expect("".utf8.stableHash == 0xcbf2_9ce4_8422_2325)
    #expect("a".utf8.stableHash == 0xaf63_dc4c_8601_ec8c)
    #expect("foobar".utf8.stableHash == 0x8594_4171_f739_67e8)
  }
}

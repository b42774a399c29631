import Basics
import Testing

@Suite struct `Seeded numbers` {
  @Test func `The generator produces the published sequence`() {
    // The first numbers of splitmix64.c by Sebastiano Vigna for the seed 1234567.
    var random = SplitMix64(seed: 1_234_567)
    let numbers = (0..<3).map { _ in random.next() }
    let published: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
    ]
    #expect(numbers == published)
  }

  @Test func `A shuffled order has each index once and depends on the seed only`() {
    var (first, second, other) = (
      SplitMix64(seed: 42), SplitMix64(seed: 42), SplitMix64(seed: 43)
    )
    let order = first.order(of: 20)
    #expect(order.sorted() == Array(0..<20))
    #expect(second.order(of: 20) == order)
    #expect(other.order(of: 20) != order)
    #expect(first.order(of: 0).isEmpty && first.order(of: 1) == [0])
  }

  @Test func `Random bytes are the numbers' bytes in little-endian order`() {
    var bytes = [UInt8](repeating: 0, count: 10)
    var random = SplitMix64(seed: 7)
    bytes.withUnsafeMutableBytes { random.fill($0) }
    var again = SplitMix64(seed: 7)
    let (first, second) = (again.next(), again.next())
    let expected = (0..<8).map { UInt8(truncatingIfNeeded: first >> ($0 * 8)) }
    #expect(bytes == expected + [second, second >> 8].map { UInt8(truncatingIfNeeded: $0) })
  }

  @Test func `Draws below a count reach every index about equally often`() {
    var random = SplitMix64(seed: 9)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<7_000 {
      counts[random.index(below: 7)] += 1
      #expect((0..<1).contains(random.unit()))
    }
    #expect(counts.allSatisfy { (850...1_150).contains($0) })
  }
}

@Suite struct `Edit distance` {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
    ("abc", "ab", 1), ("sytem", "system", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ("plnas", "plans", 1),
  ])
  func `The edit distance counts insertions, deletions, substitutions and transpositions`(
    left: String,
    right: String,
    distance: Int
  ) {
    #expect(EditDistance.between(left, right) == distance)
    #expect(EditDistance.between(right, left) == distance)
  }
}

@Suite struct `Nearest word` {
  static let words = ["system", "plans", "steps", "actors", "seed", "on-disk", "output"]

  @Test(arguments: [
    ("sytem", "system"), ("PLANS", "plans"), ("stpes", "steps"), ("sys", "system"),
    ("on_disk", "on-disk"), ("sede", "seed"), ("outputs", "output"),
  ])
  func `A misspelled word finds its correction`(typed: String, meant: String) {
    #expect(NearestWord.find(typed, among: Self.words) == meant)
  }

  @Test(arguments: ["zzz", "", "s", "conditions", "verbose"])
  func `A word with no near match has no suggestion`(typed: String) {
    #expect(NearestWord.find(typed, among: Self.words) == nil)
  }

  @Test func `Of two equally near words the first is suggested`() {
    #expect(NearestWord.find("bat", among: ["cat", "rat"]) == "cat")
    #expect(NearestWord.find("bat", among: ["rat", "cat"]) == "rat")
  }
}

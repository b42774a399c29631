import PropertyTesting
import PropertyTraits
import Testing

@testable import ObjectContexts

struct `A list of keys` {
  @Test(.property(cases: 200, seed: 1))
  func `The list equals an array after removals and insertions, and its copies keep their keys`()
    async throws
  {
    try await property { source in
      let chunkSize = source.int(in: 2...6, label: "chunk size")
      var expected = Array(0..<source.integer(in: 0...30, label: "count"))
      var list = ChunkedKeys(expected, chunkSize: chunkSize)
      for step in 1...source.integer(in: 1...6, label: "steps") {
        let (oldList, oldKeys) = (list, expected)
        let rate = source.double(in: 0...1, label: "rate")
        let removed = expected.indices.filter { _ in source.bool(probability: rate) }
        list.remove(at: removed)
        for position in removed.reversed() { expected.remove(at: position) }
        let positions = (0..<source.int(in: 0...12, label: "inserted"))
          .map { _ in source.int(in: 0...expected.count, label: "position") }.sorted()
        let inserted = positions.enumerated().map { (position: $1, key: step * 100 + Int64($0)) }
        list.insert(inserted)
        for (position, key) in inserted.reversed() { expected.insert(key, at: position) }
        #expect(Array(list) == expected && list.count == expected.count)
        #expect(Array(oldList) == oldKeys)
        #expect(list.chunks.allSatisfy { (1...chunkSize).contains($0.count) })
        let pairs = zip(list.chunks, list.chunks.dropFirst())
        #expect(pairs.allSatisfy { $0.count + $1.count > chunkSize / 2 })
      }
    }
  }

  @Test func `A removal from 100,000 keys copies one chunk, and an insertion two at most`() {
    var list = ChunkedKeys(Array(0..<100_000))
    #expect(list.chunks.count == 196)
    var (removals, insertions): ([Int], [Int]) = ([], [])
    for _ in 0..<300 {
      let (old, key) = (list, list[70_000])
      list.remove(at: [70_000])
      removals.append(list.copiedChunkCount(since: old))
      let shorter = list
      list.insert([(10, key)])
      insertions.append(list.copiedChunkCount(since: shorter))
    }
    #expect(removals.allSatisfy { $0 == 1 })
    // A chunk of 510 keys is split at the third insertion, and its first half after 257 more.
    #expect(insertions.count { $0 == 2 } == 2 && insertions.count { $0 == 1 } == 298)
    #expect(list[10] == 69_701 && list[309] == 70_000 && list[310] == 10 && list.count == 100_000)
  }
}

extension ChunkedKeys {
  /// Returns how many chunks of the list are stored apart from those of an earlier copy.
  func copiedChunkCount(since copy: ChunkedKeys) -> Int {
    let shared = Set(copy.chunks.map { $0.withUnsafeBufferPointer(\.baseAddress) })
    return chunks.count { !shared.contains($0.withUnsafeBufferPointer(\.baseAddress)) }
  }
}

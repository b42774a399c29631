/// A list of keys that is divided into chunks, so that a copy of the list shares unchanged chunks.
///
/// A change copies only the chunks that it touches, and one reference for each other chunk. A
/// result of a live query can therefore keep a copy of a long list at low cost.
struct ChunkedKeys: RandomAccessCollection, Sendable {
  /// The maximum number of keys in a chunk.
  ///
  /// Two adjacent chunks together contain more than half of this number.
  let chunkSize: Int
  private(set) var chunks: [[Int64]]
  /// The position of the first key of each chunk.
  private var starts: [Int] = []
  private(set) var endIndex = 0
  var startIndex: Int { 0 }

  init(_ keys: [Int64] = [], chunkSize: Int = 512) {
    self.chunkSize = chunkSize
    chunks = [keys]
    arrange()
  }

  /// The key at a position.
  ///
  /// - Complexity: logarithmic in the number of chunks.
  subscript(position: Int) -> Int64 {
    let index = chunk(at: position)
    return chunks[index][position - starts[index]]
  }

  /// Returns the index of the chunk that contains a position, or of the last chunk for `endIndex`.
  private func chunk(at position: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low
  }

  /// Removes the keys at the given positions, which must be in ascending order.
  ///
  /// - Complexity: `chunkSize` for each position, plus the number of chunks.
  mutating func remove(at positions: [Int]) {
    guard !positions.isEmpty else { return }
    for position in positions.reversed() {
      let index = chunk(at: position)
      chunks[index].remove(at: position - starts[index])
    }
    arrange()
  }

  /// Inserts keys, each before the key that has the given position before this call.
  ///
  /// The positions must be in ascending order, and may be equal. A key at ``endIndex`` is appended.
  ///
  /// - Complexity: `chunkSize` for each key, plus the number of chunks.
  mutating func insert(_ keys: [(position: Int, key: Int64)]) {
    guard !keys.isEmpty else { return }
    if chunks.isEmpty { (chunks, starts) = ([[]], [0]) }
    var rest = keys[...]
    while let last = rest.last {
      let index = chunk(at: last.position)
      let first = rest.lastIndex { $0.position < starts[index] }.map { $0 + 1 } ?? rest.startIndex
      var merged: [Int64] = []
      var start = 0
      for (position, key) in rest[first...] {
        merged += chunks[index][start..<position - starts[index]]
        merged.append(key)
        start = position - starts[index]
      }
      chunks[index] = merged + chunks[index][start...]
      rest = rest[..<first]
    }
    arrange()
  }

  /// Splits long chunks, joins short ones, removes empty ones, and updates the chunks' positions.
  private mutating func arrange() {
    var arranged: [[Int64]] = []
    for chunk in chunks where !chunk.isEmpty {
      if let count = arranged.last?.count, count + chunk.count <= chunkSize / 2 {
        arranged[arranged.count - 1] += chunk
      } else if chunk.count <= chunkSize {
        arranged.append(chunk)
      } else {
        let pieceCount = (chunk.count - 1) / chunkSize + 1
        let bounds = (0...pieceCount).map { chunk.count * $0 / pieceCount }
        arranged += zip(bounds, bounds.dropFirst()).map { Array(chunk[$0..<$1]) }
      }
    }
    chunks = arranged
    starts = []
    endIndex = 0
    for chunk in chunks {
      starts.append(endIndex)
      endIndex += chunk.count
    }
  }
}

import HistoryStore
import PersistentHistory

/// The registered objects of one entity: an identity map onto rows in one flat array.
///
/// A row needs no allocation of its own; the slot of a removed row is reused.
struct EntityTable: Sendable {
  private let width: Int
  private(set) var slots = SlotIndex()
  private var versions: [Int64] = []
  private var values: [Value] = []
  private var free: [Int] = []

  init(width: Int) {
    self.width = width
  }

  /// Returns the version of an object's row, or `nil` if the object is not registered.
  func version(of key: Int64) -> Int64? {
    slots[key].map { versions[$0] }
  }

  /// Returns the slot and version of an object's row, or `nil` if the object is not registered.
  func known(_ key: Int64) -> (place: Int, version: Int64)? {
    slots[key].map { ($0, versions[$0]) }
  }

  /// Returns the registered values of rows that are to be read again.
  func known(_ entity: Int32, _ rows: [RowToRead]) -> KnownRows {
    KnownRows(entity: entity, keys: rows.map(\.key), places: rows.map(\.place), values: values)
  }

  /// Returns the committed value of an attribute, or `nil` if the object is not registered.
  func value(_ attribute: Int, of key: Int64) -> Value? {
    slots[key].map { values[$0 * width + attribute] }
  }

  /// Returns the committed values of an object, or `nil` if the object is not registered.
  func row(of key: Int64) -> ArraySlice<Value>? {
    slots[key].map { values[$0 * width..<($0 + 1) * width] }
  }

  /// Registers or refreshes an object, and returns whether it was not registered before.
  @discardableResult
  mutating func put(_ key: Int64, version: Int64, _ row: ArraySlice<Value>) -> Bool {
    if let slot = slots[key] {
      versions[slot] = version
      values.replaceSubrange(slot * width..<(slot + 1) * width, with: row)
      return false
    }
    if let slot = free.popLast() {
      slots.insert(key, slot)
      versions[slot] = version
      values.replaceSubrange(slot * width..<(slot + 1) * width, with: row)
    } else {
      slots.insert(key, versions.count)
      versions.append(version)
      values.append(contentsOf: row)
    }
    return true
  }

  /// Sets some attributes of a registered object.
  mutating func set(_ columns: UInt64, _ row: [Value], version: Int64, of key: Int64) {
    guard let slot = slots[key] else { return }
    versions[slot] = version
    for attribute in 0..<width where columns >> UInt64(attribute) & 1 == 1 {
      values[slot * width + attribute] = row[attribute]
    }
  }

  /// Removes an object, and returns whether it was registered.
  @discardableResult
  mutating func remove(_ key: Int64) -> Bool {
    guard let slot = slots.remove(key) else { return false }
    for attribute in 0..<width { values[slot * width + attribute] = .null }
    free.append(slot)
    return true
  }

  /// Removes all objects.
  mutating func removeAll() {
    slots.removeAll()
    versions.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
  }

  /// Registers every row of a batch.
  ///
  /// An empty table reserves a quarter more capacity, so that the next merge does not move all
  /// rows.
  mutating func put(_ batch: consuming RowBatch) {
    if versions.isEmpty { reserve(batch.keys.count + batch.keys.count / 4) }
    let places = batch.keys.indices.map { index in
      place(of: batch.keys[index], version: batch.versions[index])
    }
    let width = width
    batch.withValues { rows in
      values.withUnsafeMutableBufferPointer { values in
        for (index, place) in places.enumerated() {
          // Swap instead of copy, which would update reference counts.
          for attribute in 0..<width {
            swap(&values[place * width + attribute], &rows[index * width + attribute])
          }
        }
      }
    }
  }

  /// Applies the differences of rows that were read again.
  mutating func put(_ differences: consuming RowDifferences) {
    let rows = differences.rows
    let places = rows.map { row in
      if row.place < 0 { return place(of: row.key, version: row.version) }
      versions[row.place] = row.version
      return row.place
    }
    let width = width
    differences.withValues { read in
      values.withUnsafeMutableBufferPointer { values in
        var next = 0
        for (row, place) in zip(rows, places) {
          var left = row.columns
          while left != 0 {
            // Swap instead of copy, which would update reference counts.
            swap(&values[place * width + left.trailingZeroBitCount], &read[next])
            next += 1
            left &= left - 1
          }
        }
      }
    }
  }

  private mutating func reserve(_ rowCount: Int) {
    versions.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * width)
  }

  /// Sets the version of an object's row and returns its slot, adding a row of nulls if needed.
  private mutating func place(of key: Int64, version: Int64) -> Int {
    if let slot = slots[key] {
      versions[slot] = version
      return slot
    }
    if let slot = free.popLast() {
      slots.insert(key, slot)
      versions[slot] = version
      return slot
    }
    let slot = versions.count
    slots.insert(key, slot)
    versions.append(version)
    values.append(contentsOf: repeatElement(.null, count: width))
    return slot
  }
}

/// A row to read again.
struct RowToRead {
  let key: Int64
  /// The slot of the registered row, or a negative number if there is none.
  let place: Int
}

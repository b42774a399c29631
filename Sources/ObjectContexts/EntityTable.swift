import HistoryStore
import PersistentHistory

/// The registered objects of one entity: an identity map onto rows that lie flat in one array.
///
/// A row costs no allocation of its own; the place of a removed row is used again.
struct EntityTable: Sendable {
  private let width: Int
  private(set) var slots = SlotIndex()
  private var versions: [Int64] = []
  private var values: [Value] = []
  private var free: [Int] = []

  init(width: Int) {
    self.width = width
  }

  /// The version of an object's row, or nothing when the object is not registered.
  func version(of key: Int64) -> Int64? {
    slots[key].map { versions[$0] }
  }

  /// The place of an object's row and its version, or nothing when the object is not registered.
  func known(_ key: Int64) -> (place: Int, version: Int64)? {
    slots[key].map { ($0, versions[$0]) }
  }

  /// What is known of rows that are to be read again.
  func known(_ entity: Int32, _ rows: [RowToRead]) -> KnownRows {
    KnownRows(entity: entity, keys: rows.map(\.key), places: rows.map(\.place), values: values)
  }

  /// The committed value of an attribute, or nothing when the object is not registered.
  func value(_ attribute: Int, of key: Int64) -> Value? {
    slots[key].map { values[$0 * width + attribute] }
  }

  /// The committed values of an object.
  func row(of key: Int64) -> ArraySlice<Value>? {
    slots[key].map { values[$0 * width..<($0 + 1) * width] }
  }

  /// Registers or refreshes an object, and answers whether it is new here.
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

  /// Forgets an object, and answers whether it was registered.
  @discardableResult
  mutating func remove(_ key: Int64) -> Bool {
    guard let slot = slots.remove(key) else { return false }
    for attribute in 0..<width { values[slot * width + attribute] = .null }
    free.append(slot)
    return true
  }

  /// Forgets every object.
  mutating func removeAll() {
    slots.removeAll()
    versions.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    free.removeAll(keepingCapacity: true)
  }

  /// Registers every row of a batch.
  ///
  /// Into an empty table it puts room for a quarter more: what is merged next shall not move it all.
  mutating func put(_ batch: consuming RowBatch) {
    if versions.isEmpty { reserve(batch.keys.count + batch.keys.count / 4) }
    let places = batch.keys.indices.map { index in
      place(of: batch.keys[index], version: batch.versions[index])
    }
    let width = width
    batch.withValues { rows in
      values.withUnsafeMutableBufferPointer { values in
        for (index, place) in places.enumerated() {
          // Exchanged, since a copy would count references.
          for attribute in 0..<width {
            swap(&values[place * width + attribute], &rows[index * width + attribute])
          }
        }
      }
    }
  }

  /// Takes over what differs in rows that were read again.
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
            // Exchanged, since a copy would count references.
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

  /// The place of an object's row, one with no values yet if it was not registered, after its version
  /// was set.
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

/// A row that is to be read again.
struct RowToRead {
  let key: Int64
  /// The place of what is known of it, or less than 0.
  let place: Int
}

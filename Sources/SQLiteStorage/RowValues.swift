public import CSQLite

/// Values by index from 0: the columns of a statement's row, or the arguments of a function.
@usableFromInline
package protocol RowValues: ~Copyable {
  borrowing func storage(_ column: Int32) -> ColumnStorage
  borrowing func int(_ column: Int32) -> Int64
  borrowing func real(_ column: Int32) -> Double
  borrowing func bytes(_ column: Int32) -> UnsafeRawBufferPointer
}

extension Statement: RowValues {}

/// The arguments of one call of an SQL function; valid until the function returns.
@usableFromInline
package struct FunctionArguments: RowValues {
  @usableFromInline
  let values: UnsafeMutablePointer<OpaquePointer?>

  init(_ values: UnsafeMutablePointer<OpaquePointer?>) { self.values = values }

  /// Returns the storage class of an argument.
  @inlinable
  @inline(__always)
  package func storage(_ column: Int32) -> ColumnStorage {
    ColumnStorage(code: sqlite3_value_type(values[Int(column)]))
  }

  /// Returns an argument as an integer.
  @inlinable
  @inline(__always)
  package func int(_ column: Int32) -> Int64 { sqlite3_value_int64(values[Int(column)]) }

  /// Returns an argument as a double.
  @inlinable
  @inline(__always)
  package func real(_ column: Int32) -> Double { sqlite3_value_double(values[Int(column)]) }

  /// Returns the bytes of a text or blob argument; valid until the function returns.
  @inlinable
  @inline(__always)
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(values[Int(column)])
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(sqlite3_value_bytes(values[Int(column)]))
    )
  }
}

// This module uses only Date, Data and UUID from Foundation. FoundationEssentials contains them and
// loads three times faster in a child process.
#if canImport(FoundationEssentials)
@_exported public import struct FoundationEssentials.Data
@_exported public import struct FoundationEssentials.Date
@_exported public import struct FoundationEssentials.UUID
#else
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.UUID
#endif

/// Durations as numbers, for the file and for SQLite.
extension Duration {
  /// The limit of a duration in ``init(clampedSeconds:)``, in seconds: about 30 million years.
  private static let secondsMax = 1e15

  /// Creates a duration of at most 1e15 seconds in either direction; NaN counts as 0.
  package init(clampedSeconds seconds: Double) {
    let limit = Self.secondsMax
    self = .seconds(seconds.isNaN ? 0 : min(max(seconds, -limit), limit))
  }

  /// The duration in seconds, including fractions of a second.
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// The number of milliseconds, rounded down and limited to the range from 0 to `Int32.max`.
  ///
  /// SQLite and `poll` accept at most this number.
  package var clampedMilliseconds: Int32 {
    let milliseconds = (inSeconds * 1000).rounded(.down)
    return Int32(min(max(milliseconds, 0), Double(Int32.max)))
  }
}

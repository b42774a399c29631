internal import HistoryTypes

/// An event of a real process, with the interval in which it happened.
package struct TimedEvent: Hashable, Sendable {
  /// The event; its tick is meaningless.
  package var event: Event
  /// The bounds of the event's time, in nanoseconds of the machine's monotonic clock.
  package var mono: ClosedRange<Int64>
  /// The content of a called command, if the trace's header does not list the commands.
  package var given: Command?

  package init(_ event: Event, mono: ClosedRange<Int64>, given: Command? = nil) {
    self.event = event
    self.mono = mono
    self.given = given
  }
}

extension TraceCodec {
  /// Returns one line, without its newline, of the trace of a real process.
  ///
  /// The key `mono` replaces `tick`, and `given` contains a called command.
  package static func encode(_ timed: TimedEvent) -> String {
    var members = json(of: timed.event).members ?? [:]
    members["tick"] = nil
    members["mono"] = [.integer(timed.mono.lowerBound), .integer(timed.mono.upperBound)]
    members["given"] = timed.given.map { PlanCodec.json(of: $0) }
    return JSONValue.object(members).line
  }

  /// Reads one line of the trace of a real process.
  static func timedEvent(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> TimedEvent {
    let mono = try fields.need("mono", "two moments in nanoseconds, the later one last", Self.mono)
    var given: Command?
    if let members = try fields.find("given", "a command", \.members) {
      given = try PlanCodec.command(Fields(members, as: "the command", at: fields.place), names)
    }
    var members = fields.members
    members["mono"] = nil
    members["given"] = nil
    members["tick"] = .integer(0)
    let rest = Fields(members, as: fields.what, at: fields.place)
    return TimedEvent(try event(rest, names, commands: .max), mono: mono, given: given)
  }

  private static func mono(_ value: JSONValue) -> ClosedRange<Int64>? {
    guard let ends = value.elements, ends.count == 2, let start = ends[0].whole,
      let end = ends[1].whole, start <= end
    else { return nil }
    return start...end
  }
}

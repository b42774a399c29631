internal import HistoryTypes

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The trace file of one thread of a real process, and how the process ended.
package struct ProcessTrace: Sendable {
  /// The path of the trace file.
  package var path: String
  /// The outcome of the write during which the process was killed, as the store showed it later.
  package var cutOff: CutOff
  /// The latest possible time of the kill, in monotonic nanoseconds; `nil` if the process was not killed.
  package var diedAt: Int64?

  package init(path: String, cutOff: CutOff = .open, diedAt: Int64? = nil) {
    self.path = path
    self.cutOff = cutOff
    self.diedAt = diedAt
  }

  /// The outcome of a write during which its process was killed, as the store showed it later.
  package enum CutOff: Hashable, Sendable {
    /// It is unknown whether the write took effect.
    ///
    /// This is the default, also for a trace without such a write.
    case open
    /// The write took effect.
    case committed(CommittedTransaction)
    /// The write had no effect.
    case nothing
  }
}

/// Reads the traces of one thread of an actor, one process after another, as groups of events.
package struct TraceSource {
  private let header: PlanHeader
  private var rest: ArraySlice<ProcessTrace>
  private var life: ProcessTrace?
  private var trace: ProcessTraceReader?
  /// The number of interrupted writes whose outcome was found in the store.
  ///
  /// A write is interrupted if its process was killed before it logged the outcome. `openCount`
  /// counts the interrupted writes whose outcome is still unknown.
  package private(set) var reconciledCount = 0
  package private(set) var openCount = 0

  package init(_ lives: [ProcessTrace], _ header: PlanHeader) {
    self.header = header
    rest = lives[...]
  }

  /// Returns the next group: the events of one command, or one event outside of commands.
  ///
  /// The groups of one process precede those of the next. The result is `nil` after the last
  /// process.
  ///
  /// - Throws: ``FormatError`` if a file cannot be read.
  mutating func next() throws(FormatError) -> TraceGroup? {
    while true {
      if let event = try trace?.next() {
        var group = TraceGroup(event)
        guard group.word != nil else { return group }
        while let event = try trace?.next() {
          if group.take(event) { return group }
        }
        return reconcile(group)
      }
      guard let life = rest.popFirst() else { return nil }
      self.life = life
      // A process that was killed right after its start has no trace file.
      trace =
        ProcessTraceReader.isThere(life.path) ? try ProcessTraceReader(life.path, header) : nil
    }
  }

  /// Completes the group of a command during which the process was killed.
  ///
  /// If the command is a write that has logged no event, its outcome becomes the one that was found
  /// in the store, if any.
  private mutating func reconcile(_ group: TraceGroup) -> TraceGroup {
    var group = group
    group.end = life?.diedAt ?? .max
    guard group.given?.action.isWrite == true, group.events.isEmpty else { return group }
    switch life?.cutOff {
    case .committed(let transaction):
      reconciledCount += 1
      let event = Event(at: 0, tick: 0, actor: group.actor, .committed(transaction))
      group.events = [TimedEvent(event, mono: group.start...max(group.start, group.end))]
      group.outcome = .ok
    case .nothing:
      reconciledCount += 1
      group.outcome = .failed(TraceGroup.killed)
      group.start = group.end == .max ? group.start : group.end
    case .open, nil: openCount += 1
    }
    return group
  }
}

extension Action {
  /// Whether the action is a write or a batch.
  package var isWrite: Bool {
    switch self {
    case .write, .batch: true
    default: false
    }
  }
}

/// The events of one command of a real process, or one event outside of commands.
///
/// A group is the smallest unit of a joined trace: no event of another process is placed inside it.
package struct TraceGroup: Sendable {
  /// The actor or consumer of the command; `nil` if there is none.
  package var actor: ActorID?
  /// The command's name in the plan format; `nil` for an event outside of commands.
  package var word: String?
  /// The command with its arguments; `nil` if the trace's header already lists the commands.
  package var given: Command?
  /// The events between the command's call and its end.
  package var events: [TimedEvent] = []
  /// The outcome of the command; unknown if the process was killed during the command.
  package var outcome: Outcome?
  /// The earliest possible time of the command's effect, or of the single event.
  ///
  /// The time is in nanoseconds of the monotonic clock.
  package var start: Int64
  /// The latest possible time of the command or single event, in monotonic nanoseconds.
  package var end: Int64

  init(_ event: TimedEvent) {
    actor = event.event.actor
    start = event.mono.lowerBound
    end = event.mono.upperBound
    if case .called(_, let word) = event.event.kind {
      self.word = word
      given = event.given
      outcome = .unknown(Self.killed)
      end = .max
    } else {
      events = [event]
    }
  }

  /// The failure of a command whose process was killed before the outcome was logged.
  static let killed = SystemFailure(
    .crashed,
    "The process was killed before it reported the outcome."
  )

  /// Whether the group is a command whose outcome was not logged.
  package var isCut: Bool { if case .unknown = outcome { true } else { false } }

  /// Adds the command's next event to the group, and returns whether this event ends the command.
  mutating func take(_ event: TimedEvent) -> Bool {
    if case .ended(_, let outcome) = event.event.kind {
      self.outcome = outcome
      if case .failed = outcome { events = [] }
      if events.isEmpty { start = max(start, event.mono.lowerBound) }
      end = event.mono.upperBound
      return true
    }
    // The command took effect at the time of its first event, not at the call.
    if events.isEmpty { start = max(start, event.mono.lowerBound) }
    events.append(event)
    return false
  }

  // MARK: Numbers

  /// The number of the transaction that the command committed; `nil` if it committed none.
  var committed: Int64? {
    for event in events {
      if case .committed(let transaction) = event.event.kind { return Int64(transaction.name) }
    }
    return nil
  }

  /// The greatest transaction number that the events name, other than in a commit; 0 for none.
  var mentioned: Int64 {
    events.reduce(0) { greatest, event in max(greatest, event.event.kind.mentioned) }
  }
}

extension EventKind {
  /// The greatest number of a transaction that must precede the event; 0 for none.
  fileprivate var mentioned: Int64 {
    switch self {
    case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
      .resynced(let cursor), .passed(let cursor):
      cursor.flatMap { Int64($0) } ?? 0
    case .fetched(let names), .observed(let names), .merged(let names), .finished(let names),
      .consumed(let names), .purged(let names):
      names.reduce(0) { max($0, Int64($1) ?? 0) }
    default: 0
    }
  }
}

/// An event of a real process, with the interval in which it happened.
package struct TimedEvent: Hashable, Sendable {
  /// The event; its tick is not used.
  package var event: Event
  /// The bounds of the event's time, in nanoseconds of the machine's monotonic clock.
  package var mono: ClosedRange<Int64>
  /// The command of a call event, if the trace's header does not list the commands.
  package var given: Command?

  package init(_ event: Event, mono: ClosedRange<Int64>, given: Command? = nil) {
    self.event = event
    self.mono = mono
    self.given = given
  }
}

extension TraceCodec {
  /// Returns an event of a real process as one line without its newline.
  ///
  /// The key `mono` has the bounds of the event's time, and replaces the key `tick` of other
  /// traces. In a call event, the key `given` has the called command, unless the trace's header
  /// lists the commands.
  package static func encode(_ timed: TimedEvent) -> String {
    var members = json(of: timed.event).members ?? [:]
    members["tick"] = nil
    members["mono"] = [.integer(timed.mono.lowerBound), .integer(timed.mono.upperBound)]
    members["given"] = timed.given.map { PlanCodec.json(of: $0) }
    return JSONValue.object(members).line
  }

  /// Reads one line of a real process's trace.
  static func timedEvent(
    _ fields: Fields,
    _ names: Vocabulary
  ) throws(FormatError) -> TimedEvent {
    let mono = try fields.need("mono", "two times in nanoseconds, the later one last", Self.mono)
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

/// Reads the trace file of one thread of a process, line by line.
///
/// The file may be of any length. An incomplete last line, as a killed process leaves it, is ignored.
package final class ProcessTraceReader {
  private let path: String
  private let names: Vocabulary
  private var file: UnsafeMutablePointer<FILE>?
  private var buffer: UnsafeMutablePointer<CChar>?
  private var capacity = 0
  private var line = 0

  /// Opens a file; the header declares the names that may occur in it.
  ///
  /// - Throws: ``FormatError`` if the file cannot be opened.
  package init(_ path: String, _ header: PlanHeader) throws(FormatError) {
    self.path = path
    names = Vocabulary(header)
    file = fopen(path, "r")
    guard file != nil else {
      throw FormatError(
        line: nil,
        problem: "\(path) cannot be opened: \(String(cString: strerror(errno)))",
        advice: "The file is the trace of one process of the run: repeat the run."
      )
    }
  }

  deinit {
    if let file { fclose(file) }
    free(buffer)
  }

  /// Returns whether the trace file exists: a process killed early may not have created it.
  static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the next event, or `nil` at the end.
  ///
  /// - Throws: ``FormatError`` with the line number.
  package func next() throws(FormatError) -> TimedEvent? {
    guard let file else { return nil }
    let count = getline(&buffer, &capacity, file)
    guard count > 0, let buffer, buffer[count - 1] == 0x0a else { return nil }
    line += 1
    let bytes = UnsafeRawBufferPointer(start: buffer, count: count - 1)
    return try Self.event(bytes, line, names)
  }

  /// Returns the events within the last `byteCountMax` bytes of a file, in order.
  ///
  /// The partial line at the beginning of these bytes is skipped.
  ///
  /// - Throws: ``FormatError`` with the line number.
  package static func tail(
    of path: String,
    _ header: PlanHeader,
    byteCountMax: Int = 65_536
  ) throws(FormatError) -> [TimedEvent] {
    let trace = try ProcessTraceReader(path, header)
    trace.skip(toLast: byteCountMax)
    var events: [TimedEvent] = []
    while let event = try trace.next() { events.append(event) }
    return events
  }

  private func skip(toLast byteCount: Int) {
    guard let file, fseek(file, 0, SEEK_END) == 0 else { return }
    let size = ftell(file)
    rewind(file)
    guard size > byteCount, fseek(file, size - byteCount, SEEK_SET) == 0 else { return }
    _ = getline(&buffer, &capacity, file)
  }

  private static func event(
    _ bytes: UnsafeRawBufferPointer,
    _ line: Int,
    _ names: Vocabulary
  ) throws(FormatError) -> TimedEvent {
    let place = Place(line: line)
    let fields = try Fields(JSONParser.parse(bytes, at: place), as: "an event", at: place)
    return try TraceCodec.timedEvent(fields, names)
  }
}

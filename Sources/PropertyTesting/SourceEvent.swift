/// One thing a generator asked of its source, in the order in which it asked.
///
/// A generator is a deterministic function of the answers, so that a case is known without running
/// the property once its questions and answers are: see `CaseTree`.
enum SourceEvent: Sendable {
  /// A choice was drawn: what was recorded, and the value as it was read before it was settled.
  case draw(Choice, read: Int64)
  /// A span was opened.
  case open(String)
  /// The innermost span was closed.
  case close
  /// The innermost span was taken back.
  case cancel
  /// It was asked whether the choices have run out.
  case exhausted(Bool)
}

/// A question of a generator to its source.
///
/// A generator is a deterministic function of the answers. A case with known questions and answers
/// is therefore known without running the property; see `CaseTree`.
enum SourceEvent: Sendable {
  /// A choice was drawn: the recorded choice, and the value read before it was replaced, if it was.
  case draw(Choice, read: Int64)
  /// A span was opened.
  case open(String)
  /// The innermost span was closed.
  case close
  /// The innermost span was canceled.
  case cancel
  /// The generator asked whether the choices have run out.
  case exhausted(Bool)
}

import Systems

extension CommonOption {
  /// The timeout for an answer of a program under test, in seconds.
  static let timeout = Option(
    "timeout",
    .decimal("SECONDS", 0.05...86_400),
    default: ExternalProgram.secondsByDefault,
    defaultText: ExternalProgram.secondsByDefault.short,
    "How long an answer of an external system is waited for."
  )
}

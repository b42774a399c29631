import Workloads

extension PlanOptions {
  /// What plans look like that resemble what was asked for.
  ///
  /// - Throws: a usage error when the file to resemble holds no history, or none that can be read.
  func style() throws(LabError) -> PlanStyle {
    var style = PlanStyle(try Profiles.profile(like: like))
    style.commandCountMax = steps
    if let actors { style.actorCounts = actors...actors }
    return style
  }
}

extension TrackingDesign {
  /// The designs of a 2021 article, Apple's documentation and PersistentHistoryTrackingKit.
  ///
  /// Older versions of PersistentHistoryTrackingKit come before newer ones. `PublishedDesigns.md`
  /// describes all designs.
  package static let all = [
    article, articleEager, sevenDayPurge, kit10, kit10Manual, kit13, kit13Manual, kit2, kit2Manual,
    kit2Readme,
  ]

  /// The history manager that a widely read article of 2021 proposed (see `PublishedDesigns.md`).
  ///
  /// It purges by command, as the article recommends.
  package static let article = TrackingDesign(
    name: "article",
    sentence: "The manager of the 2021 article; its cleaner runs by command.",
    reads: .othersAndOwnBatch,
    records: .beforeMerge,
    // The article has no special rule for authors that only write.
    waitsFor: .listed,
    bound: .everyoneOrAge,
    boundByCommand: .everyoneOrAge,
    afterPurge: .forgetsPositions
  )

  /// The design ``article`` with a purge after every pass.
  package static let articleEager = article.named(
    "article-eager",
    "The manager of the 2021 article; its cleaner runs after every pass."
  ) { $0.strategy = .byNotification(times: 1) }

  /// The approach of Apple's documentation: merge by date, and delete old transactions.
  package static let sevenDayPurge = TrackingDesign(
    name: "seven-day-purge",
    sentence: "Merge by date, and purge everything older than seven days on command.",
    reads: .allButOwn,
    bound: .age,
    boundByCommand: .age,
    deletes: .everything
  )

  /// PersistentHistoryTrackingKit 1.0.0 to 1.0.3 with its defaults.
  package static let kit10 = TrackingDesign(
    name: "kit-1.0",
    sentence: "PersistentHistoryTrackingKit 1.0.0 to 1.0.3, which cleans after every pass.",
    bound: .everyoneOrAge,
    strategy: .byNotification(times: 1),
    hooks: .afterRecord,
    mirror: .merged,
    contexts: .several
  )

  /// PersistentHistoryTrackingKit 1.0.0 to 1.0.3, set up to purge only when the app calls its cleaner.
  package static let kit10Manual = kit10.named(
    "kit-1.0-manual",
    "PersistentHistoryTrackingKit 1.0.0 to 1.0.3 with its manual cleaner only."
  ) { $0.cleansByCommand(.everyoneOrAge) }

  /// PersistentHistoryTrackingKit 1.0.4 to 1.3.0 with its defaults.
  package static let kit13 = kit10.named(
    "kit-1.3",
    "PersistentHistoryTrackingKit 1.0.4 to 1.3.0, which cleans after every pass."
  ) { $0.bound = .knownOrAge }

  /// PersistentHistoryTrackingKit 1.0.4 to 1.3.0, set up to purge only when the app calls its cleaner.
  package static let kit13Manual = kit13.named(
    "kit-1.3-manual",
    "PersistentHistoryTrackingKit 1.0.4 to 1.3.0 with its manual cleaner only."
  ) { $0.cleansByCommand(.knownOrAge) }

  /// The default of `cleanStrategy` in PersistentHistoryTrackingKit 2.0: it never cleans by itself.
  package static let kit2Strategy = "none"

  /// PersistentHistoryTrackingKit 2.0, cleaning after every pass.
  package static let kit2 = TrackingDesign(
    name: "kit-2",
    sentence: "PersistentHistoryTrackingKit 2.0, which cleans after every pass.",
    reads: .othersOrEverything,
    deletes: .listedAndMirror,
    strategy: .byNotification(times: 1),
    purgeTurn: .lastPass,
    hooks: .beforeMerge,
    mirror: .merged,
    contexts: .several
  )

  /// PersistentHistoryTrackingKit 2.0, set up to purge only when the app calls its cleaner.
  package static let kit2Manual = kit2.named(
    "kit-2-manual",
    "PersistentHistoryTrackingKit 2.0 with its manual cleaner only."
  ) { $0.cleansByCommand(.known) }

  /// PersistentHistoryTrackingKit 2.0, set up like the quick start of its README.
  package static let kit2Readme = kit2.named(
    "kit-2-readme",
    "PersistentHistoryTrackingKit 2.0 as its README's quick start sets it up."
  ) { kit in
    kit.strategy = .byDuration(seconds: PurgeBound.maximumAge)
    kit.positionsIn = .own
    kit.idleAuthor = "ShareExtension"
  }

  /// Makes the design purge only by command; `bound` decides how far these purges delete.
  private mutating func cleansByCommand(_ bound: PurgeBound) {
    strategy = .none
    boundByCommand = bound
  }
}

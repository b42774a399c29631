import HistoryStore

extension Mutant {
  /// What a purge removes is wrong.
  static let purging: [Mutant] = [
    Mutant(
      "purge-by-greatest-cursor",
      least: 3,
      "The watermark is the greatest cursor: what the slowest member has not merged is purged."
    ) { $0.purging.watermark = "SELECT max(cursor) FROM history_member WHERE state = 0" },
    Mutant(
      "purge-by-newest-member",
      least: 3,
      "The watermark is the cursor of the member that was launched last."
    ) {
      $0.purging.watermark =
        "SELECT cursor FROM history_member WHERE state = 0 ORDER BY epoch DESC LIMIT 1"
    },
    Mutant("purge-to-head", least: 3, "A purge ignores the watermark.") {
      $0.purging.bound = { wanted, _, head in min(wanted, head - 1) }
    },
    Mutant(
      "purge-ignores-consumers",
      least: 3,
      "The watermark leaves consumers out: what a mirror has not read is purged."
    ) {
      $0.purging.watermark = "SELECT min(cursor) FROM history_member WHERE state = 0 AND kind = 0"
    },
    Mutant(
      "purge-cached-registry",
      least: 5,
      "The watermark leaves out the members that have joined since the last purge."
    ) {
      $0.purging.watermark = """
        SELECT min(cursor) FROM history_member WHERE state = 0 AND registered <=
          (SELECT value FROM history_metadata WHERE name = 'purged')
        """
    },
    Mutant(
      "purge-outside-transaction",
      least: 4,
      under: ["power-off"],
      "A purge counts what its member has merged, which is recorded once the purge is over."
    ) { $0.purging.isWithRecord = false },
    Mutant(
      "purge-off-by-one",
      least: 3,
      "A purge removes the transaction behind the watermark, too."
    ) {
      $0.purging.bound = { wanted, watermark, head in min(wanted, watermark + 1, head - 1) }
    },
    Mutant(
      "purge-newest",
      least: 2,
      "A purge removes the newest transaction, too, so that its number is used again."
    ) { $0.purging.bound = { wanted, watermark, head in min(wanted, watermark, head) } },
    Mutant(
      "purge-chunk-of-everyone",
      least: 3,
      under: ["mirror-lag"],
      "A chunk of a purge deletes what protected authors wrote between others."
    ) {
      $0.purging.keeps = { _, _ in false }
    },
    Mutant(
      "purge-beyond-chunk",
      sameBecause: "What is purged of each author ends a chunk as well.",
      "The last chunk of a purge deletes as much as the others."
    ) {
      $0.purging.chunkEnd = { first, count, _ in first + count - 1 }
    },
    Mutant("purge-protected-authors", least: 3, "A purge removes what protected authors wrote.") {
      $0.purging.protects = { _, _ in false }
    },
    Mutant(
      "purge-protects-literally",
      least: 3,
      under: ["mirror-lag"],
      "A purge protects an author named like a pattern, and nobody whom the pattern stands for."
    ) { $0.purging.protects = { author, patterns in author.map(patterns.contains) ?? false } },
    Mutant("purge-protects-absent-author", least: 4, "A purge leaves what names no author.") {
      $0.purging.protects = { $0 == nil || AuthorPatterns.match($0, $1) }
    },
    Mutant("purge-nothing", least: 4, "A purge removes nothing.") {
      $0.purging.bound = { _, _, _ in 0 }
    },
    Mutant("purge-waits-for-retired", least: 5, "A purge waits for members that are none any more.")
    {
      $0.purging.watermark = "SELECT min(cursor) FROM history_member"
    },
  ]
}

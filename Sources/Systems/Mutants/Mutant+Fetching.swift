import HistoryStore

extension Mutant {
  /// What a page of history holds is wrong.
  static let fetching: [Mutant] = [
    Mutant(
      "fetch-at-cursor",
      least: 1,
      "A fetch returns the transaction at the cursor again, not the ones behind it."
    ) { $0.fetching.afterCursor = "=" },
    Mutant(
      "fetch-from-cursor",
      least: 2,
      "A fetch returns the transaction at the cursor again, too."
    ) {
      $0.fetching.afterCursor = ">="
    },
    Mutant(
      "fetch-behind-rewound",
      least: 3,
      under: ["power-off"],
      "A fetch after a transaction that a power-off took back is answered."
    ) { $0.fetching.isSame = { _, _ in true } },
    Mutant("fetch-newest-first", least: 2, "A fetch returns the newest transaction first.") {
      $0.fetching.order = "DESC"
    },
    Mutant(
      "fetch-null-author",
      least: 1,
      "A fetch compares authors in SQL, where NULL is unlike everything: it leaves those out that "
        + "name none."
    ) { $0.fetching.condition = " AND nullif(author, 0) <> -1" },
    Mutant(
      "fetch-lost-between-pages",
      least: 2,
      "A page says that it has read the transaction for which it has no room."
    ) { $0.fetching.pageEnd = .lastMet },
    Mutant(
      "fetch-lost-page",
      least: 2,
      "A page says that it has read through the newest transaction: the pages behind it are lost."
    ) { $0.fetching.pageEnd = .head },
    Mutant(
      "fetch-ignores-own-author",
      least: 1,
      "A member leaves out what its own author wrote, through whichever context or process."
    ) {
      $0.fetching.ignoredAuthors = { patterns, own in own.map { patterns.union([$0]) } ?? patterns }
    },
    Mutant(
      "fetch-ignores-absent-author",
      least: 1,
      under: ["config-skew", "absent-author"],
      "A member that leaves out some author leaves out those that name none, too."
    ) { $0.fetching.ignores = { $0.map($1.contains) ?? true } },
    Mutant(
      "fetch-ignores-by-beginning",
      least: 1,
      under: ["config-skew", "mirror-lag"],
      "A member leaves out every author whose name begins like that of one it ignores."
    ) { rules in
      rules.fetching.ignores = { author, patterns in
        patterns.contains { author?.hasPrefix($0.prefix(1)) ?? false }
      }
    },
  ]
}

import Commands
import HistoryInspection
import HistoryStore
import Measuring

/// Advice as JSON, in the format of `advise --json`.
struct AdviceDocument: Encodable {
  struct Verdict: Encodable {
    let state: String
    let exitCode: Int32
    let sentence: String
    let reasons: [String]
    let suggestions: [String]
  }
  struct Range: Encodable {
    let estimate: Double
    let lower: Double
    let upper: Double
    let confidence: Double
  }
  struct Cost: Encodable {
    let transactions: Int
    let changes: Int
    /// The bytes of the history; `nil` if SQLite is built without `dbstat`.
    let historyBytes: Int64?
    let databaseBytes: Int64
    let share: Double?
    let growthBytesPerDay: Range?
    let doublingDays: Range?
    let authors: [Writer]
    let entities: [InspectDocument.Entity]
    let attributes: [Attribute]
    let days: [Day]
  }
  struct Writer: Encodable {
    /// The author's name; `nil` for transactions without an author.
    let name: String?
    let transactions: Int
    let changes: Int
    let bytes: Double
    let isProtected: Bool
  }
  struct Attribute: Encodable {
    let entity: String
    let attribute: String
    let updates: Int
  }
  struct Day: Encodable {
    /// The age of this day's transactions in whole days, relative to the newest transaction.
    ///
    /// 0 stands for the newest day.
    let age: Int
    let transactions: Int
    let changes: Int
    let bytes: Double
  }
  struct Condition: Encodable {
    let name: String
    let count: Int
    let sentence: String
  }
  struct Reader: Encodable {
    let name: String
    let isActive: Bool
    let token: Int64?
    let date: String?
    let isKnown: Bool
    let isCutOff: Bool
    let holdsBack: Bool
    let lagTransactions: Int?
    let lagChanges: Int?
    let lagSeconds: Double?
    let seenDate: String?
  }
  struct Loss: Encodable {
    let consumer: String
    let transactions: Int
    let changes: Int
  }
  struct Cut: Encodable {
    let consumer: String
    let date: String
    let gapSeconds: Double
    let transactions: Int
    let changes: Int
  }
  struct Trial: Encodable {
    let seconds: Double
    let lockSecondsMax: Double
    let writeTransactions: Int
    let freedPages: Int64
    let shrinkSeconds: Double
    let bytesBefore: Int64
    let bytesAfter: Int64
  }
  struct Purge: Encodable {
    let purge: String
    let transactions: Int
    let changes: Int
    let bytes: Double?
    let freePages: Int64?
    let lastNumber: Int64?
    let lastDate: String?
    let keptProtected: Int
    let keptHeldBack: Int
    let losses: [Loss]
    let past: [Cut]
    /// The measured purge; `nil` if the purge was not measured.
    let measured: Trial?
  }

  struct Design: Encodable {
    struct Break: Encodable {
      let condition: String
      let invariant: String
      let sentence: String
    }
    let name: String
    let purges: String
    let conditions: [String]
    let unsupported: [String]
    let scope: String
    let breaks: [Break]
  }

  /// The version of the JSON format.
  let advice = 1
  let path: String
  let notKnown: [String]
  let cost: Cost
  let conditions: [Condition]
  let consumers: [Reader]
  let purges: [Purge]
  /// The SQL statement that shrinks the file; `nil` if the file shrinks automatically.
  let shrinkCall: String?
  /// The test results of the tracking design that `--design` names; `nil` without that option.
  ///
  /// The design is tested under `steady`, and under those test conditions, such as equal timestamps,
  /// that occur in the history and that the design supports.
  let design: Design?
  let verdict: Verdict
}

extension AdviceDocument {
  /// Creates the JSON form of advice and its verdict.
  init(_ path: String, _ advice: Advice, _ verdict: AdviceVerdict) {
    self.path = path
    notKnown = advice.notKnown
    cost = Cost(advice)
    conditions = advice.conditions.map {
      Condition(name: $0.name, count: $0.count, sentence: $0.sentence)
    }
    consumers = advice.consumers.map(Reader.init)
    purges = advice.forecasts.map { Purge($0, advice.outline.storage) }
    shrinkCall = advice.outline.vacuum.call
    design = advice.design.map { design in
      Design(
        name: design.name,
        purges: design.purges,
        conditions: design.conditions,
        unsupported: design.unsupported,
        scope: design.scope,
        breaks: design.breaks.map {
          Design.Break(condition: $0.condition, invariant: $0.invariant, sentence: $0.sentence)
        }
      )
    }
    self.verdict = Verdict(
      state: verdict.state.rawValue,
      exitCode: verdict.exitCode.rawValue,
      sentence: verdict.sentence,
      reasons: verdict.reasons,
      suggestions: verdict.suggestions
    )
  }
}

extension AdviceDocument.Range {
  init(_ interval: Interval) {
    self.init(
      estimate: interval.estimate,
      lower: interval.lower,
      upper: interval.upper,
      confidence: interval.confidence
    )
  }
}

extension AdviceDocument.Cost {
  init(_ advice: Advice) {
    let cost = advice.cost
    self.init(
      transactions: advice.outline.count,
      changes: advice.history.changeCount,
      historyBytes: cost.bytes,
      databaseBytes: cost.databaseBytes,
      share: cost.share,
      growthBytesPerDay: cost.growth.map(AdviceDocument.Range.init),
      doublingDays: cost.doublingDays.map(AdviceDocument.Range.init),
      authors: cost.writers.map { writer in
        AdviceDocument.Writer(
          name: writer.author.name == .absent ? nil : writer.author.name.text,
          transactions: writer.transactions,
          changes: writer.changes,
          bytes: writer.bytes,
          isProtected: writer.author.isProtected
        )
      },
      entities: advice.outline.entities.map(InspectDocument.Entity.init),
      attributes: advice.outline.attributes.map { attribute in
        AdviceDocument.Attribute(
          entity: attribute.entity.text,
          attribute: attribute.attribute,
          updates: attribute.updates
        )
      },
      days: cost.days.map { day in
        AdviceDocument.Day(
          age: day.age,
          transactions: day.transactions,
          changes: day.changes,
          bytes: day.bytes
        )
      }
    )
  }
}

extension AdviceDocument.Reader {
  init(_ status: ConsumerStatus) {
    let consumer = status.consumer
    var (token, date): (Int64?, String?) = (nil, nil)
    switch consumer.position {
    case .number(let number): token = number
    case .date(let seconds): date = InspectUnits.date(seconds)
    case .unknown: break
    }
    self.init(
      name: consumer.name,
      isActive: consumer.isActive,
      token: token,
      date: date,
      isKnown: consumer.isKnown,
      isCutOff: status.isCutOff,
      holdsBack: status.holdsBack,
      lagTransactions: status.lagTransactions,
      lagChanges: status.lagChanges,
      lagSeconds: status.lagSeconds,
      seenDate: consumer.seen.map(InspectUnits.date)
    )
  }
}

extension AdviceDocument.Purge {
  init(_ forecast: PurgeForecast, _ storage: CensusStorage) {
    self.init(
      purge: forecast.plan.name,
      transactions: forecast.transactions,
      changes: forecast.changes,
      bytes: storage.historyBytes == nil ? nil : forecast.bytes,
      freePages: forecast.freePages(storage),
      lastNumber: forecast.last?.number,
      lastDate: forecast.last?.timestamp.map(InspectUnits.date),
      keptProtected: forecast.protected,
      keptHeldBack: forecast.heldBack,
      losses: forecast.losses.map { loss in
        AdviceDocument.Loss(
          consumer: loss.consumer,
          transactions: loss.transactions,
          changes: loss.changes
        )
      },
      past: forecast.past.map { cut in
        AdviceDocument.Cut(
          consumer: cut.consumer,
          date: InspectUnits.date(cut.time),
          gapSeconds: cut.gapSeconds,
          transactions: cut.transactions,
          changes: cut.changes
        )
      },
      measured: forecast.trial.map { trial in
        AdviceDocument.Trial(
          seconds: trial.seconds,
          lockSecondsMax: trial.lockSecondsMax,
          writeTransactions: trial.chunks,
          freedPages: trial.freedPages,
          shrinkSeconds: trial.shrinkSeconds,
          bytesBefore: trial.bytesBefore,
          bytesAfter: trial.bytesAfter
        )
      }
    )
  }
}

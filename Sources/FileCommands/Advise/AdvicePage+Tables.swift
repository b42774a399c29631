import Commands
import HistoryInspection
import HistoryStore
import Reporting

/// The tables of the advice page that are shown without a chart.
extension AdvicePage {
  var writers: ReportTable {
    var table = ReportTable(
      caption: "Authors",
      columns: [.text("author"), .number("transactions"), .number("changes"), .number("bytes")]
    )
    for writer in advice.cost.writers.prefix(100) {
      table.append([
        AdviceFacts.name(writer.author.name), "\(writer.transactions)", "\(writer.changes)",
        "\(Int(writer.bytes))",
      ])
    }
    return table
  }

  var entities: ReportTable {
    var table = ReportTable(
      caption: "Entities",
      columns: [
        .text("entity"), .number("changes"), .number("inserts"), .number("updates"),
        .number("deletes"),
      ]
    )
    for entity in outline.entities.prefix(100) {
      let changes = entity.changes
      let counts = [changes.all, changes.inserts, changes.updates, changes.deletes]
      table.append([AdviceFacts.name(entity.name)] + counts.map(String.init))
    }
    return table
  }

  var attributes: ReportTable {
    var table = ReportTable(
      caption: "Attributes that updates set",
      columns: [.text("entity"), .text("attribute"), .number("updates")]
    )
    for attribute in outline.attributes.prefix(100) {
      table.append([
        AdviceFacts.name(attribute.entity), attribute.attribute.visible, "\(attribute.updates)",
      ])
    }
    return table
  }

  var conditions: ReportTable {
    var table = ReportTable(
      caption: "Test conditions that this history shows",
      columns: [.text("condition"), .number("count"), .prose("description")]
    )
    for condition in advice.conditions {
      table.append([condition.name, "\(condition.count)", condition.sentence])
    }
    return table
  }

  var losses: ReportTable {
    var table = ReportTable(
      caption: "What consumers would lose now",
      columns: [.text("purge"), .text("consumer"), .number("transactions"), .number("changes")]
    )
    for forecast in advice.forecasts {
      for loss in forecast.losses {
        table.append([
          forecast.plan.name, loss.consumer.visible, "\(loss.transactions)", "\(loss.changes)",
        ])
      }
    }
    return table
  }

  var past: ReportTable {
    var table = ReportTable(
      caption: "Replayed over the past: when a consumer would have been cut off",
      columns: [
        .text("purge"), .text("on"), .text("consumer"), .text("off for"), .number("transactions"),
        .number("changes"),
      ]
    )
    for forecast in advice.forecasts {
      for cut in forecast.past.suffix(cutsMax) {
        table.append([
          forecast.plan.name, InspectUnits.date(cut.time), cut.consumer.visible,
          InspectUnits.duration(cut.gapSeconds), "\(cut.transactions)", "\(cut.changes)",
        ])
      }
    }
    return table
  }

  var trials: ReportTable {
    var table = ReportTable(
      caption: "Measured on a private copy",
      columns: [
        .text("purge"), .text("time"), .text("longest lock"), .number("pages freed"),
        .text(outline.vacuum.call ?? "shrinks by itself"), .text("file before"),
        .text("file after"),
      ]
    )
    for forecast in advice.forecasts {
      guard let trial = forecast.trial else { continue }
      table.append([
        forecast.plan.name, InspectUnits.duration(trial.seconds),
        InspectUnits.duration(trial.lockSecondsMax), "\(trial.freedPages)",
        InspectUnits.duration(trial.shrinkSeconds), InspectUnits.size(trial.bytesBefore),
        InspectUnits.size(trial.bytesAfter),
      ])
    }
    return table
  }
}

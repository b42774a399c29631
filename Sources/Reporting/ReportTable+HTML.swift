import Foundation

extension ReportTable {
  /// The table in a frame that scrolls sideways on a narrow screen, with a link to its values.
  ///
  /// With a file name the values can be saved as a CSV file, which lies within the page itself.
  ///
  /// The file holds `values` where they are given: plain numbers instead of those made for people.
  func html(fileName: String? = nil, values: ReportTable? = nil) -> HTML {
    var parts: [HTML] = []
    if !caption.isEmpty || fileName != nil { parts.append(captionLine(fileName, values)) }
    let titles = columns.map { column in
      HTML.element("th", ["scope": "col"], text: column.title)
    }
    let table = HTML.element(
      "table",
      ["class": numericColumns, "aria-label": caption],
      [
        .element("thead", [:], [.element("tr", [:], titles)]),
        .element("tbody", [:], rows.map(row)),
      ]
    )
    parts.append(.element("div", ["class": "scroll", "tabindex": "0"], [table]))
    return .element("div", ["class": "table"], parts)
  }

  private func row(_ row: Row) -> HTML {
    let cells = row.cells.enumerated().map { place, cell in
      let sign = place == 0 ? row.mark.map { [$0.signHTML] } ?? [] : []
      let state = row.cellMarks[place].map { "cell \($0.rawValue)" }
      return HTML.element(
        "td",
        ["class": state ?? ""],
        sign + [content(cell, row.cellLinks[place])]
      )
    }
    return .element(
      "tr",
      ["id": row.anchor ?? "", "class": row.mark.map { "mark \($0.rawValue)" } ?? ""],
      cells
    )
  }

  private func content(_ cell: String, _ link: String?) -> HTML {
    link.map { .element("a", ["href": PageBlock.relative($0)], text: cell) } ?? .text(cell)
  }

  private func captionLine(_ fileName: String?, _ values: ReportTable?) -> HTML {
    var parts: [HTML] = [.element("span", text: caption)]
    if let fileName { parts.append(csvLink(fileName, values)) }
    return .element("p", ["class": "caption"], parts)
  }

  private func csvLink(_ fileName: String, _ values: ReportTable?) -> HTML {
    let text =
      (values ?? self).csv()
      .addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? ""
    return .element(
      "a",
      [
        "class": "csv", "download": fileName + ".csv",
        "href": "data:text/csv;charset=utf-8," + text,
        "aria-label": "Save this table as CSV",
      ],
      text: "CSV"
    )
  }

  /// What stands for itself in a data address.
  private static let plainCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~,;:()/"
  )

  private var numericColumns: String {
    columns.indices.filter { columns[$0].isNumeric }.map { "n\($0 + 1)" }.joined(separator: " ")
  }
}

extension VerdictState {
  /// The sign with its word for those who cannot see it.
  var signHTML: HTML {
    .element(
      "span",
      ["class": "sign", "role": "img", "aria-label": word, "title": word],
      text: sign
    )
  }
}

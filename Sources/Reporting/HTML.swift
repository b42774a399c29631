/// A piece of HTML or SVG markup.
///
/// All methods that create markup escape its text, except ``own(_:)``, which is only for strings of
/// this program.
package struct HTML: Sendable, Hashable {
  package let markup: String

  /// Elements that are written without end tags, which HTML permits.
  ///
  /// This makes a page of tables shorter by a fifth.
  private static let endless: Set<String> = ["td", "th", "tr"]

  private init(markup: String) { self.markup = markup }

  /// Creates markup from a string of this program, without escaping.
  static func own(_ markup: String) -> HTML { HTML(markup: markup) }

  /// Creates markup from text, which is escaped.
  package static func text(_ text: String) -> HTML { HTML(markup: escaped(text)) }

  /// Creates an element with children; attributes with empty values are omitted.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    _ children: [HTML]
  ) -> HTML {
    let end = endless.contains(name) ? "" : "</\(name)>"
    return HTML(markup: open(name, attributes) + children.map(\.markup).joined() + end)
  }

  /// Creates an element that contains text.
  package static func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    text: String
  ) -> HTML {
    element(name, attributes, [.text(text)])
  }

  /// Creates an SVG element without children.
  static func shape(_ name: String, _ attributes: KeyValuePairs<String, String>) -> HTML {
    HTML(markup: open(name, attributes).dropLast() + "/>")
  }

  /// Returns text escaped for use within an element or a quoted attribute.
  ///
  /// Control characters, which HTML forbids, are replaced by the replacement character.
  package static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func open(_ name: String, _ attributes: KeyValuePairs<String, String>) -> String {
    var markup = "<" + name
    for (key, value) in attributes where !value.isEmpty {
      markup += " \(key)=\"\(escaped(value))\""
    }
    return markup + ">"
  }
}

/// The style sheet of all pages, for light and dark mode, print and small screens.
enum PageStyle {
  static let sheet = colors + text + tiles + figures + tables + narrow + PictureStyle.sheet + paper

  private static let light = """
    --page:#fafaf8;--panel:#fff;--ink:#1f2328;--muted:#5a646e;--line:#e2e4e0;--accent:#0b5cad;
    --good:#1a6e3a;--good-bg:#e7f4ea;--bad:#a4221a;--bad-bg:#fbe9e7;--unknown:#7a5200;
    --unknown-bg:#fbf0d9;--measured:#4b5660;--measured-bg:#eef0ee;--floor:#66707a;
    --s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#b8578a;
    --s4:#b37400;--s5:#3a9bd9;--s6:#6f4aa8;
    """

  private static let dark = """
    --page:#14171a;--panel:#1b1f23;--ink:#e3e6e9;--muted:#9ba5ae;--line:#2e343a;--accent:#7db8f0;
    --good:#7fd49b;--good-bg:#16301f;--bad:#ff9b90;--bad-bg:#3a1a17;--unknown:#f0c061;
    --unknown-bg:#352a10;--measured:#b4bdc5;--measured-bg:#262b30;--floor:#9aa5af;
    --s0:#4fb0ea;--s1:#ff8f45;--s2:#3ecfa0;--s3:#eaa0cb;
    --s4:#f0b63c;--s5:#9ad3f7;--s6:#b79af0;
    """

  private static let colors = """
    :root{color-scheme:light dark;\(light)}
    @media (prefers-color-scheme:dark){:root{\(dark)}}

    """

  private static let text = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,
    "Segoe UI",Roboto,"Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif}
    main{max-width:72rem;margin:0 auto;padding:2.5rem 1.5rem 4rem}
    h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
    h2{font-size:1.3rem;line-height:1.3;margin:0 0 .75rem}
    h3{font-size:1.05rem;line-height:1.35;margin:1.75rem 0 .5rem}
    p{margin:0 0 .9rem;max-width:44rem}
    .lead{color:var(--muted);font-size:1.08rem;margin-bottom:1.75rem}
    a{color:var(--accent);text-underline-offset:.15em}
    .anchor{margin-left:.4rem;text-decoration:none;color:var(--muted);opacity:0;font-weight:400}
    h2:hover .anchor,h3:hover .anchor,.anchor:focus{opacity:1}
    section,footer{margin-top:3rem;padding-top:1.75rem;border-top:1px solid var(--line)}
    nav ul{list-style:none;margin:1.5rem 0 0;padding:0;display:flex;flex-wrap:wrap;
    gap:.35rem 1.25rem;font-size:.95rem}
    code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
    font-size:.86em}
    pre{background:var(--panel);border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;
    padding:.8rem 1rem;overflow-x:auto;line-height:1.5}
    .command p{margin-bottom:.35rem;color:var(--muted)}
    .notice{margin-top:2rem;padding:1rem 1.25rem;border-radius:10px;color:var(--unknown);
    background:var(--unknown-bg)}
    .notice pre{margin:0;color:var(--ink)}
    dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.9rem 2rem;
    margin:0}
    dt{color:var(--muted);font-size:.85rem}
    dd{margin:0;overflow-wrap:anywhere}
    .terms{grid-template-columns:max-content minmax(0,44rem);gap:.3rem 1.25rem;margin:0 0 1rem;
    font-size:.92rem}
    .terms dt{color:inherit;font-weight:600;font-size:inherit}

    """

  private static let tiles = """
    .tiles{list-style:none;margin:0;padding:0;display:grid;gap:1rem;
    grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}
    .tile{position:relative;overflow:hidden;background:var(--panel);border-radius:12px;
    border:1px solid var(--line);padding:1.15rem 1.15rem 1.05rem}
    .tile::before{content:"";position:absolute;inset:0 0 auto;height:4px;background:var(--tone)}
    .tile p{margin:0;max-width:none}
    .tile .state{display:inline-flex;align-items:center;gap:.35rem;color:var(--tone);
    background:var(--tint);border-radius:99px;padding:.05rem .6rem;font-size:.8rem;
    font-weight:600;white-space:nowrap}
    .tile .subject{margin-top:.5rem;font-size:.92rem;line-height:1.4;color:var(--muted)}
    .tile .subject a{color:inherit}
    .tile .answer{font-size:1.6rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;
    margin:.1rem 0 .3rem;overflow-wrap:anywhere}
    .tile .detail{color:var(--muted);font-size:.9rem;line-height:1.45}
    .good{--tone:var(--good);--tint:var(--good-bg)}
    .bad{--tone:var(--bad);--tint:var(--bad-bg)}
    .unknown{--tone:var(--unknown);--tint:var(--unknown-bg)}
    .measured{--tone:var(--measured);--tint:var(--measured-bg)}

    """

  private static let figures = """
    .figure{display:flex;flex-wrap:wrap;gap:1.5rem 2rem;align-items:flex-start;margin:0 0 1.5rem}
    .chart{flex:0 1 29rem;min-width:0;margin:0;padding:.75rem;background:var(--panel);
    border:1px solid var(--line);border-radius:12px}
    .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:0 0 .35rem;
    padding:0 .35rem;font-size:.85rem}
    .legend li{display:flex;align-items:center;gap:.4rem}.legend svg{flex:none}
    figcaption{margin-top:.35rem;padding:0 .35rem;font-size:.8rem;line-height:1.4;
    color:var(--muted)}
    .chart>svg{display:block;max-width:100%;height:auto;margin:0 auto}
    .chart [aria-label]:not(svg){cursor:default}
    .numbers{flex:1 1 24rem;min-width:0}
    #tip{position:fixed;z-index:2;max-width:min(22rem,calc(100vw - 1rem));padding:.4rem .65rem;
    border-radius:6px;background:var(--ink);color:var(--page);font-size:.84rem;line-height:1.4;
    pointer-events:none}
    #tip[hidden]{display:none}

    """

  private static let tables = """
    .table{margin:0 0 1rem}
    .caption{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;
    max-width:none;margin:0 0 .4rem;font-size:.9rem;color:var(--muted)}
    .csv{font-size:.85rem;white-space:nowrap}
    .scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;
    background:var(--panel)}
    table{border-collapse:collapse;width:100%;font-size:.88rem;line-height:1.4;
    font-variant-numeric:tabular-nums}
    th,td{padding:.42rem .75rem;text-align:left;vertical-align:top;
    border-bottom:1px solid var(--line)}
    th{font-weight:600;color:var(--muted);white-space:nowrap}
    :is(th,td):first-child{position:sticky;left:0;background:var(--panel)}
    td small{display:block;max-width:40rem;color:var(--muted);font-size:.93em}
    .matrix th{white-space:normal}.matrix :is(th,td){padding:.42rem .35rem}
    tbody tr:last-child td{border-bottom:0}
    \(numericColumns){text-align:right;white-space:nowrap}
    tr[id]{scroll-margin-top:3rem}
    .mark td,td.cell{background:var(--tint)}
    td.cell{color:var(--tone);white-space:nowrap}td.cell a{color:inherit}
    summary{cursor:pointer;margin:0 0 .5rem;font-size:.95rem;color:var(--accent)}
    tr:target td:not(.cell){background:var(--unknown-bg)}
    .mark .sign{color:var(--tone);font-weight:700;margin-right:.4rem}
    .walk-slider{display:flex;gap:.75rem;align-items:center;margin-bottom:1rem}
    .walk-slider input{flex:1 1 8rem;min-width:0}
    .walk.on .walk-panel{position:sticky;top:0;z-index:1;padding-top:.5rem;background:var(--page)}
    .walk.on .walk-steps{display:grid}.walk.on .walk-step{grid-area:1/1;min-width:0}
    .walk.on .walk-step:not(.now){visibility:hidden}
    @media (max-height:50rem){.walk.on .walk-panel{position:static}}

    """

  /// The CSS selectors of numeric columns; a table's class attribute lists the columns by number.
  ///
  /// A class attribute in every cell would double the size of the page.
  private static let numericColumns = (1...ReportTable.mostColumns).map { place in
    ".n\(place) :is(td,th):nth-child(\(place))"
  }.joined(separator: ",")

  private static let narrow = """
    @media (max-width:40rem){body{font-size:15px}main{padding:1.5rem 1rem 3rem}
    h1{font-size:1.5rem}.chart{flex-basis:100%;padding:.4rem}.numbers{flex-basis:100%}
    .tiles{grid-template-columns:1fr;gap:.75rem}
    th,td{padding:.4rem .55rem}
    table:not(.n1,.matrix,.stack) :is(th,td):first-child{min-width:9rem}
    .terms{display:block}.terms dd{margin:0 0 .6rem}
    .stack thead,.stack td:empty{display:none}
    .stack tr{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.5rem .7rem;
    border-bottom:1px solid var(--line)}
    .stack tr:last-child{border:0}.stack .mark{background:var(--tint)}
    .stack td{padding:0;border:0;position:static}.stack td.wide{flex:1 0 100%}
    .stack [data-label]::before{content:attr(data-label) " ";color:var(--muted)}
    section,footer{margin-top:2.25rem;padding-top:1.4rem}}

    """

  private static let paper = """
    @media print{:root{color-scheme:light;\(light)--page:#fff}
    body{font-size:10.5pt}main{max-width:none;padding:0}
    nav,.anchor,.csv,#tip,.walk-slider{display:none}
    .walk.on .walk-panel{position:static}.walk.on .walk-steps{display:block}
    .walk.on .walk-step:not(.now){visibility:visible}
    .scroll{overflow:visible}:is(th,td):first-child{position:static}
    table{font-size:7.5pt}th,td{padding:.2rem .35rem;white-space:normal!important}
    td,th{overflow-wrap:break-word}
    .matrix :is(th,td){padding:.2rem;overflow-wrap:anywhere}
    details::details-content{content-visibility:visible}summary{display:none}
    .figure{display:block}.chart{max-width:30rem;margin-bottom:.75rem}
    .tile,.chart,p,tr,pre{break-inside:avoid}
    h2,h3,.caption,section>p{break-after:avoid}thead{display:table-header-group}
    .tiles{grid-template-columns:repeat(3,1fr)}
    *{-webkit-print-color-adjust:exact;print-color-adjust:exact}}

    """
}

/// The script of a page with charts.
///
/// The script shows a tooltip with the value of the chart mark under the pointer. The tables have
/// the same values. When the reader clicks a table row, the script puts the row's anchor into the
/// address bar, so that a link to the row can be copied.
enum PageScript {
  static let hoverValues = #"""
    (() => {
      const tip = document.getElementById("tip");
      const find = (e) => e.target.closest && e.target.closest(".chart [aria-label]:not(svg)");
      addEventListener("pointerover", (e) => {
        const mark = find(e);
        tip.hidden = !mark;
        if (!mark) return;
        tip.textContent = mark.getAttribute("aria-label");
        const m = mark.getBoundingClientRect(), t = tip.getBoundingClientRect();
        const left = Math.min(Math.max(8, m.left + m.width / 2 - t.width / 2),
          document.documentElement.clientWidth - t.width - 8);
        const top = m.top - t.height - 8;
        tip.style.left = left + "px";
        tip.style.top = (top < 8 ? m.bottom + 8 : top) + "px";
      });
      addEventListener("click", (e) => {
        const row = e.target.closest && e.target.closest("tr[id]");
        if (row && !e.target.closest("a") && !String(getSelection()))
          location.replace("#" + row.id);
      });
      addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
    })();
    """#
}

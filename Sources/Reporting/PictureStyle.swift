/// The style sheet of a counterexample's picture, with the page's colours.
enum PictureStyle {
  static let sheet = frame + drawing + list + narrow

  private static let frame = """
    .tl{--hit:#ffd54a;display:flex;flex-wrap:wrap;align-items:flex-start;gap:0 1.1rem;
    margin:0 0 1.25rem;padding:.75rem;background:var(--panel);border:1px solid var(--line);
    border-radius:12px}
    @media (prefers-color-scheme:dark){.tl{--hit:#8a6a00}}
    .tl-pic{overflow-x:auto;max-width:100%}
    .tl svg{display:block;max-width:100%;height:auto;font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,
    "DejaVu Sans",sans-serif;fill:var(--ink)}
    .tl figcaption{flex:1 1 100%;margin-top:.6rem;max-width:46rem}

    """

  private static let drawing = """
    \(tones)
    .tl text{text-anchor:middle}
    .tl .tl-no{text-anchor:end;fill:var(--muted)}.tl .tl-no.bad{fill:var(--bad);font-weight:700}
    .tl .tl-name{font-weight:650;font-size:12.5px;fill:var(--c,var(--ink))}
    .tl .tl-lost{font-weight:700}
    .tl path{fill:none}
    .tl-rule{stroke:var(--line);stroke-opacity:.6}
    .tl-store{fill:var(--page);stroke:var(--line)}
    .tl-bad{fill:var(--bad-bg)}
    .tl-life{stroke:var(--c);stroke-width:2;stroke-opacity:.45}
    .tl-bar{stroke:var(--muted);stroke-width:4;stroke-opacity:.55}
    .tl-hit{stroke:var(--hit);stroke-width:11;stroke-linecap:round}
    .tl-cursor{stroke:var(--c);stroke-width:2.5;stroke-linejoin:round}
    .tl .tl-mark{fill:var(--muted);fill-opacity:.2}
    .tl-link{stroke:var(--c);stroke-width:1.5}
    .tl-pill{fill:var(--panel);stroke:var(--c);stroke-width:1.5}
    .tl .bad .tl-pill{fill:var(--bad);stroke:var(--bad)}
    .tl .bad text{fill:var(--panel);font-weight:650}
    .tl .bad .tl-link{stroke:var(--bad)}
    .tl .tl-dot{fill:var(--c);stroke:var(--panel)}
    .tl .tl-ring{fill:var(--panel);stroke:var(--c);stroke-width:2}
    .tl-cross{stroke:var(--ink);stroke-width:2}.tl .bad .tl-cross{stroke:var(--bad);stroke-width:3}

    """

  private static let list = """
    .tl ol{flex:1 1 30rem;list-style:none;margin:0;padding:0}
    .tl li{padding:8px .25rem 0;font-size:.9rem;line-height:20px;overflow-wrap:anywhere}
    .tl li.bad{background:var(--bad-bg);color:var(--bad);font-weight:600}
    .tl li.quiet{color:var(--muted)}
    .tl li b{display:none}
    .tl .who{font-weight:650;color:var(--c,inherit)}.tl li.bad .who{color:inherit}
    .tl .sign{margin-right:.35rem}
    .tl mark{background:var(--hit);color:var(--ink);border-radius:3px;padding:0 .15em}

    """

  private static let narrow = """
    @media print,(max-width:46rem){.tl ol{flex-basis:100%;padding:.5rem 0 0!important}
    .tl li{min-height:0!important;display:flex;gap:.5rem;padding:.25rem;
    border-top:1px solid var(--line)}
    .tl li b{display:block;flex:0 0 1.4rem;text-align:right;color:var(--muted);font-weight:600}}
    @media print{.tl{--hit:#ffd54a}.tl svg,.tl li{break-inside:avoid}
    }
    .copy{user-select:all;-webkit-user-select:all;white-space:pre-wrap;overflow-wrap:anywhere}

    """

  private static let tones = (0..<7).map { ".c\($0){--c:var(--s\($0))}" }.joined()
}

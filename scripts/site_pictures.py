"""Pictures of plans: columns of actors, time going down, one box for each step.

`picture(lanes, steps, dark)` returns an SVG file's text. `read(file)` reads the small format of the
tutorial's `.lanes` files: a first line `lanes: NAME, NAME`, then one step a line, `LANE: TEXT`. A `!` before
the lane marks what goes wrong, a `+` what goes right; the lane `*` stands for all of them.
"""

from html import escape

LANE, GAP, MARGIN, LINE, PADDING = 158, 12, 8, 17, 8
FONT = "-apple-system, BlinkMacSystemFont, 'Helvetica Neue', 'Segoe UI', Roboto, sans-serif"
COLORS = {
    False: {"text": "#1d1d1f", "quiet": "#6e6e73", "line": "#d2d2d7", "step": ("#eef3fb", "#b8cdf0"),
            "bad": ("#fdeaea", "#d70015"), "good": ("#e8f6ec", "#2f9e4f"), "all": ("#f5f5f7", "#c7c7cc")},
    True: {"text": "#f5f5f7", "quiet": "#a1a1a6", "line": "#48484a", "step": ("#1c2a40", "#3b5b8c"),
           "bad": ("#401a1a", "#ff6961"), "good": ("#16331f", "#4cc26f"), "all": ("#2c2c2e", "#5c5c60")},
}


class Step:
    """One box: the lane (or "*"), its text, and the kind: step, bad, good or all."""

    def __init__(self, lane, text, kind="step"):
        self.lane, self.text, self.kind = lane, text, kind


def read(file):
    """The lanes and steps of a `.lanes` file.

    Raises ValueError for a file that is no picture.
    """
    first, *rest = [line for line in file.read_text().splitlines() if line.strip()]
    if not first.startswith("lanes:"):
        raise ValueError(f"{file.name}: the first line must be \"lanes: NAME, NAME\".")
    lanes = [name.strip() for name in first[len("lanes:"):].split(",")]
    steps = []
    for line in rest:
        kind = {"!": "bad", "+": "good"}.get(line[0], "step")
        lane, _, words = line.lstrip("!+").partition(":")
        if lane != "*" and lane not in lanes:
            raise ValueError(f"{file.name}: \"{line}\" is of no lane; begin it with one of {', '.join(lanes)}, or with *.")
        steps.append(Step(lane, words.strip(), "all" if lane == "*" and kind == "step" else kind))
    return lanes, steps


def picture(lanes, steps, dark=False):
    """The SVG text of a plan."""
    colors = COLORS[dark]
    width = 2 * MARGIN + len(lanes) * LANE + (len(lanes) - 1) * GAP
    body, top = [], MARGIN + 34
    for step in steps:
        index = 0 if step.lane == "*" else lanes.index(step.lane)
        box = width - 2 * MARGIN if step.lane == "*" else LANE
        lines = wrapped(step.text, (box - 2 * PADDING) / 6.5)
        height = LINE * len(lines) + 2 * PADDING
        body.append(_box(MARGIN + index * (LANE + GAP), top, box, height, lines, step, colors))
        top += height + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + 2}" '
             f'viewBox="0 0 {width} {top + 2}" font-family="{FONT}" font-size="13">']
    if not dark:
        # Tutorials show it on black, too.
        parts.append(f'<rect width="{width}" height="{top + 2}" rx="8" fill="#ffffff"/>')
    for index, lane in enumerate(lanes):
        middle = MARGIN + index * (LANE + GAP) + LANE / 2
        parts.append(f'<line x1="{middle:g}" y1="{MARGIN + 26}" x2="{middle:g}" y2="{top}" '
                     f'stroke="{colors["line"]}"/>')
        parts.append(f'<text x="{middle:g}" y="{MARGIN + 16}" text-anchor="middle" font-weight="600" '
                     f'fill="{colors["text"]}">{escape(lane)}</text>')
    return "\n".join(parts + body + ["</svg>", ""])


def _box(left, top, width, height, lines, step, colors):
    fill, edge = colors[step.kind]
    thick = 2 if step.kind in ("bad", "good") else 1
    texts = "".join(
        f'<text x="{left + PADDING}" y="{top + PADDING + 12.5 + LINE * number:g}" fill="{colors["text"]}">'
        f"{escape(line)}</text>" for number, line in enumerate(lines))
    return (f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="6" fill="{fill}" '
            f'stroke="{edge}" stroke-width="{thick}"/>{texts}')


def wrapped(text, columns):
    """The words of a text in lines of so many columns; a longer word is cut."""
    columns, lines = max(8, int(columns)), [""]
    for word in text.split():
        while len(word) > columns:
            room = columns - len(lines[-1]) - (1 if lines[-1] else 0)
            if room < 4:
                lines.append("")
                continue
            lines[-1] = f"{lines[-1]} {word[:room]}".strip()
            word = word[room:]
            lines.append("")
        if lines[-1] and len(lines[-1]) + 1 + len(word) > columns:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return [line for line in lines if line] or [""]

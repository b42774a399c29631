#!/usr/bin/env python3
"""Draws the call stacks that `perf script --fields comm,ip,sym` prints as a flame graph.

Usage: perf script --fields comm,ip,sym | flamegraph.py TITLE > PICTURE.svg

Functions are merged by name, from the caller to the callee. Names of Swift are demangled by the
toolchain's swift-demangle; without it they stay as they are.

Exit codes: 0 the picture is written, 1 there were no stacks.
"""

import html
import shutil
import subprocess
import sys

WIDTH, ROW, LEAST = 1200, 17, 1 / 150
# Frames between the thread's start and the lab's own code, and closures that only call another one.
HIDDEN = ("start_thread", "clone3", "_dispatch", "swift_job_run", "swift::", "thunk for", "partial apply", "closure #", "[unknown]")


def stacks(lines):
    """Yields each sample's functions, the outermost first."""
    frames = []
    for line in lines:
        words = line.split(None, 1)
        if not words:
            if frames:
                yield frames[::-1]
            frames = []
        elif line[0].isspace() and len(words) == 2:
            frames.append(words[1].strip())
    if frames:
        yield frames[::-1]


def demangled(names):
    """The readable form of each name."""
    tool = shutil.which("swift-demangle")
    if not tool:
        return {name: name for name in names}
    text = subprocess.run([tool, "-simplified"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, text.stdout.splitlines()))


def add(tree, frames):
    """Counts one sample in the tree of functions."""
    tree[0] += 1
    for frame in frames:
        tree = tree[1].setdefault(frame, [0, {}])
        tree[0] += 1


def boxes(tree, left, depth, total, least):
    """Yields the boxes above a function: name, samples, left edge in samples, depth."""
    for name, child in sorted(tree[1].items(), key=lambda item: -item[1][0]):
        if child[0] >= least:
            yield name, child[0], left, depth
            yield from boxes(child, left, depth + 1, total, least)
        left += child[0]


def picture(title, tree):
    """The SVG of a tree."""
    total = tree[0]
    found = list(boxes(tree, 0, 0, total, total * LEAST))
    height = (max((depth for *_, depth in found), default=0) + 1) * ROW + 40
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
           f'font-size="11"><rect width="{WIDTH}" height="{height}" fill="#fff"/>'
           f'<text x="8" y="20" font-size="14">{html.escape(title)}: {total:,} samples</text>')
    for name, count, left, depth in found:
        x, wide, y = left / total * WIDTH, count / total * WIDTH, height - (depth + 1) * ROW - 4
        hue = 20 + sum(name.encode()) % 35
        letters = int(wide / 6.2)
        label = name if len(name) <= letters else name[:letters - 1] + "…" if letters > 3 else ""
        yield (f'<g><title>{html.escape(name)}: {100 * count / total:.1f} %</title>'
               f'<rect x="{x:.1f}" y="{y}" width="{max(wide - 0.5, 0.5):.1f}" height="{ROW - 1}" fill="hsl({hue} 85% 70%)"/>'
               + (f'<text x="{x + 3:.1f}" y="{y + 12}">{html.escape(label)}</text>' if label else "") + "</g>")
    yield "</svg>"


def main():
    """Reads stacks and prints their picture."""
    found = list(stacks(sys.stdin))
    if not found:
        print("flamegraph.py: perf printed no stacks.", file=sys.stderr)
        return 1
    names = demangled(sorted({frame for frames in found for frame in frames}))
    tree = [0, {}]
    for frames in found:
        shown = [names[frame] for frame in frames]
        shown = [name for name in shown if not name.startswith(HIDDEN) and not name.startswith("0x")]
        add(tree, [name for place, name in enumerate(shown) if place == 0 or shown[place - 1] != name])
    print("\n".join(picture(sys.argv[1], tree)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

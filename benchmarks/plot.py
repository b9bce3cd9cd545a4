"""Draw size.png: time and memory of uploads and downloads by size, beside the peers.

    .venv/bin/pip install -e '.[benchmark]'
    .venv/bin/python benchmarks/plot.py /tmp/peers/bin/python

Memory is each server's peak after all documents up to that size; the smallest come first.
"""

import argparse
import contextlib
import os
import tempfile
from dataclasses import dataclass, field

import matplotlib as mpl
from figures import MIB, machine, median_ms, row, table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from running import HERE, Server, bepasty, ours, plain

SIZES = [4 << 10 << 2 * step for step in range(8)]  # 4 KiB to 64 MiB
COLOURS = {"ours": "#1f8a4c", "bepasty": "#d9822b", "plain": "#7b6fd0"}
NAMES = {"ours": "this service", "bepasty": "bepasty (not encrypted)", "plain": "plain FastAPI"}
INK = "#808080"  # legible on white and on black


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("peer_python", help="the python of a venv with the peers")
    python = arguments.parse_args().peer_python
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        servers = [ours(folder), bepasty(python, folder), plain(python, folder)]
        lines = [Line(stack.enter_context(server)) for server in servers]
        table("", *(line.name for line in lines))
        for size in SIZES:
            measure(lines, size)
    draw(lines)
    print(machine())


@dataclass
class Line:
    server: Server
    up: list[float] = field(default_factory=list)  # ms, by size
    down: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # MiB

    @property
    def name(self) -> str:
        return self.server.name.split(",")[0]


def measure(lines: list[Line], size: int) -> None:
    raw = os.urandom(size)
    times: dict[str, list[tuple[float, float]]] = {line.name: [] for line in lines}
    for number in range(-1, 5 if size >= MIB else 25):  # one to warm up
        turn = number % len(lines)
        for line in lines[turn:] + lines[:turn]:
            up, path = line.server.upload(raw)
            answer = line.server.content(path)
            assert answer.body == raw
            line.server.delete(path)
            times[line.name] += [(up, answer.seconds)] if number >= 0 else []
    for line in lines:
        up_seconds, down_seconds = zip(*times[line.name], strict=True)
        line.up.append(median_ms(up_seconds))
        line.down.append(median_ms(down_seconds))
        line.memory.append(line.server.memory_mib())
    size_text = f"{size >> 10:,} KiB"
    row(f"upload of {size_text}, ms", *(line.up[-1] for line in lines))
    row(f"content of {size_text}, ms", *(line.down[-1] for line in lines))
    row(f"memory after {size_text}, MiB", *(line.memory[-1] for line in lines))


def draw(lines: list[Line]) -> None:
    mpl.rcParams.update(
        {"text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK}
        | {"axes.edgecolor": INK, "font.size": 11}
    )
    figure = Figure(figsize=(11, 3.9), layout="constrained")
    panels = figure.subplots(1, 3)
    for axes, title, unit, read in zip(
        panels,
        ("Upload", "Content", "Memory"),
        ("milliseconds", "milliseconds", "peak, MiB"),
        ("up", "down", "memory"),
        strict=True,
    ):
        for line in lines:
            axes.plot(SIZES, getattr(line, read), marker="o", markersize=4, linewidth=2,
                      color=COLOURS[line.name], label=NAMES[line.name])  # fmt: skip
        dress(axes, title, unit)
    panels[0].legend(frameon=False, labelcolor="linecolor")
    figure.savefig(HERE / "size.png", dpi=110, transparent=True)


def dress(axes: Axes, title: str, unit: str) -> None:
    axes.set(xscale="log", yscale="log", title=title, xlabel="size of the document", ylabel=unit)
    axes.set_xticks(SIZES[::2], ["4 KiB", "64 KiB", "1 MiB", "16 MiB"])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(color=INK, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()

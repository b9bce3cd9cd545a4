"""Quantiles, values from /proc, and rows of a Markdown table for docs/performance.md."""

import os
import platform
import sqlite3
import statistics
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

MIB = 1 << 20


def quantile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


def median_ms(seconds: Sequence[float]) -> float:
    return statistics.median(seconds) * 1000


def status(pid: int, name: str) -> int:
    """Return a value of a process's status: KiB, or a count."""
    return _field(f"/proc/{pid}/status", name)


def _field(path: str, name: str) -> int:
    lines = Path(path).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def table(*names: str) -> None:
    print()
    row(*names)
    print("|---" + "|--:" * (len(names) - 1) + "|")


def row(*cells: str | float | None) -> None:
    print("| " + " | ".join(_cell(one) for one in cells) + " |", flush=True)


def _cell(value: str | float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def goal(value: float, most: float | None) -> str:
    """Return the cell of a goal: the limit, and whether it was missed."""
    if most is None:
        return ""
    return f"≤ {most:g}" + (", missed" if value > most else "")


def least(value: float, limit: float) -> str:
    """Return the cell of a goal that a value has to reach, and whether it was missed."""
    return f"≥ {limit:g}" + (", missed" if value < limit else "")


def machine() -> str:
    """Return the date, the machine and the versions."""
    info = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(":")[1].strip() for line in info if "model name" in line), "?")
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    kernel = ".".join(platform.release().split(".")[:2])
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    build = "" if "--enable-optimizations" in options else " (built without --enable-optimizations)"
    return (
        f"\n{time.strftime('%Y-%m-%d')}, {model}, {os.cpu_count()} cores, {memory_gib:.0f} GiB, "
        f"{platform.system()} {kernel}, Python {platform.python_version()}{build}, "
        f"SQLite {sqlite3.sqlite_version}, load at the end {os.getloadavg()[0]:.1f}"
    )

"""Prints the tables of a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

from tests.programs.judging import JUDGEMENTS, WRONG_SURE
from tests.programs.scoring import Key, Scored
from tests.recorded import table

EVERY = "every"
WORST = 20

_WAITS = ("kind", "tap", "waits", "told", "median_ms", "p90_ms", "near")
_TIMES = ("kind", "tap", "scored_s", *JUDGEMENTS, "headlines", "wrong_sure_headlines")
_FINDINGS = ("mechanism", "tap", "wanted", "found")


def show(scored: Scored) -> None:
    """Print all tables, and the worst statements."""
    tables = (
        (_WAITS, _waits(scored.waits)),
        (_TIMES, _times(scored)),
        (_FINDINGS, _findings(scored)),
    )
    for columns, rows in tables:
        for line in table.text(list(rows), columns):
            print(line)
        print()
    lists = {
        "false findings": scored.false,
        "wrong headlines": scored.bad_headlines,
        "worst": [b.line for b in sorted(scored.bad, key=lambda b: -b.wrong_ns)[:WORST]],
        "worst waits": sorted(scored.bad_waits, reverse=True)[:WORST],
    }
    for title, lines in lists.items():
        print(f"{title}: {len(lines)}", *lines, "", sep="\n")


def _summed(keys: Mapping[Key, Any], zero: Any) -> dict[Key, Any]:
    """Add the sums over all kinds for each tap."""
    sums: dict[Key, Any] = {}
    for (_, tap), each in sorted(keys.items()):
        sums[EVERY, tap] = sums.get((EVERY, tap), zero) + each
    return {**dict(sorted(keys.items())), **sums}


def _waits(every: Mapping[Key, list[tuple[float, float | None]]]) -> Iterator[dict[str, Any]]:
    for (kind, tap), pairs in _summed(every, []).items():
        yield {"kind": kind, "tap": tap, **_wait_row(pairs)}


def _wait_row(pairs: Sequence[tuple[float, float | None]]) -> dict[str, Any]:
    errors = [(abs(shown - true), true) for true, shown in pairs if shown is not None]
    sizes = [error for error, _ in errors]
    tenths = quantiles(sizes, n=10, method="inclusive") if len(sizes) > 1 else sizes * 9
    near = sum(error <= max(10, true / 10) for error, true in errors)
    return {
        "waits": len(pairs),
        "told": _share(len(errors), len(pairs)),
        "median_ms": round(median(sizes), 2) if sizes else None,
        "p90_ms": round(tenths[8], 2) if sizes else None,
        "near": _share(near, len(errors)),
    }


def _times(scored: Scored) -> Iterator[dict[str, Any]]:
    headlines = _summed(scored.headlines, Counter())
    for key, times in _summed(scored.times, Counter()).items():
        whole = sum(times.values())
        yield {
            "kind": key[0],
            "tap": key[1],
            "scored_s": round(whole / 1e9, 1),
            **{name: _share(times[name], whole) for name in JUDGEMENTS},
            "headlines": sum(headlines[key].values()),
            "wrong_sure_headlines": headlines[key][WRONG_SURE],
        }


def _findings(scored: Scored) -> Iterator[dict[str, Any]]:
    for (name, tap), wanted in sorted(scored.wanted.items()):
        found = scored.found[name, tap]
        yield {"mechanism": name, "tap": tap, "wanted": wanted, "found": found}


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None

"""The tables of scores: shares by tap and way, labels, causes, and kinds of runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.recorded import table
from tests.recorded.files import write_rows
from tests.taps.figures import SECOND, Sums, fits, interval, ratio, stated, sums
from tests.taps.moments import Moment
from tests.taps.runs import Scored
from tests.taps.twins import TWINS, twins
from tests.taps.ways import WHOLE

EVERY = "every"

Rows = Iterator[dict[str, Any]]

SHARES = (
    *("runs", "time_s", "right", "right_low", "right_high", "visible", "steady", "strict"),
    *("exact", "open", "open_named", "steady_open", "headlines", "headline_right"),
    *("headline_low", "headline_high", "headline_open", "headline_named", "headline_silent"),
    *("sure_headlines", "sure_right", "distance", "brier", "brier_low", "brier_high"),
)

LABELS = ("truth_s", "recall", "steady", "strict", "exact", "open", "brier", "mostly")
CAUSES = ("said_s", "precision", "steady", "strict", "brier", "mostly")
KINDS = ("runs", "time_s", "right", "steady", "open", "headlines", "headline_right", "mostly")


def shares(scored: Iterable[Scored]) -> Rows:
    """Give a row per tap, way and world, and per tap and way over all worlds."""
    groups: defaultdict[tuple[str, str, str], list[Sums]] = defaultdict(list)
    for each in scored:
        found = sums(each)
        for world in (each.run.world, EVERY):
            groups[each.tap, each.way, world].append(found)
    for (tap, way, world), runs in groups.items():
        yield {"tap": tap, "way": way, "world": world, **_shares(runs)}


def _shares(runs: Sequence[Sums]) -> dict[str, Any]:
    whole = sum(runs, Sums())
    right = interval(runs, "right", "time")
    headline = interval(runs, "headlines_right", "headlines")
    brier = interval(runs, "brier", "time")
    return {
        "runs": len(runs),
        "time_s": round(whole.time, 1),
        "right": ratio(whole.right, whole.time),
        "right_low": right[0],
        "right_high": right[1],
        "visible": ratio(whole.shown_right, whole.shown),
        "steady": ratio(whole.steady_right, whole.steady),
        "strict": ratio(whole.strict, whole.time),
        "exact": ratio(whole.exact, whole.time),
        "open": ratio(whole.open, whole.time),
        "open_named": ratio(whole.named, whole.time),
        "steady_open": ratio(whole.steady_open, whole.steady),
        "headlines": round(whole.headlines),
        "headline_right": ratio(whole.headlines_right, whole.headlines),
        "headline_low": headline[0],
        "headline_high": headline[1],
        "headline_open": ratio(whole.headlines_open, whole.headlines),
        "headline_named": ratio(whole.headlines_named, whole.headlines),
        "headline_silent": round(whole.headlines_silent),
        "sure_headlines": round(whole.sure_headlines),
        "sure_right": ratio(whole.sure_right, whole.sure_headlines),
        "distance": ratio(whole.apart, whole.time),
        "brier": ratio(whole.brier, whole.time),
        "brier_low": brier[0],
        "brier_high": brier[1],
    }


def labels(scored: Iterable[Scored]) -> Rows:
    """Give a row per tap, way and label: its recall."""
    for key, whole, moments in _by(scored, lambda moment: moment.label):
        yield {
            **dict(zip(("tap", "way", "label"), key, strict=True)),
            "truth_s": round(whole.time, 2),
            "recall": ratio(whole.right, whole.time),
            **_parts(whole),
            "exact": ratio(whole.exact, whole.time),
            "open": ratio(whole.open, whole.time),
            "mostly": _mostly(moments, lambda moment: moment.claim.cause),
        }


def causes(scored: Iterable[Scored]) -> Rows:
    """Give a row per tap, way and cause: its precision."""
    for key, whole, moments in _by(scored, lambda moment: moment.claim.cause):
        yield {
            **dict(zip(("tap", "way", "cause"), key, strict=True)),
            "said_s": round(whole.time, 2),
            "precision": ratio(whole.right, whole.time),
            **_parts(whole),
            "mostly": _mostly(moments, lambda moment: moment.label),
        }


def _parts(whole: Sums) -> dict[str, float | None]:
    return {
        "steady": ratio(whole.steady_right, whole.steady),
        "strict": ratio(whole.strict, whole.time),
        "brier": ratio(whole.brier, whole.time),
    }


def kinds(scored: Iterable[Scored]) -> Rows:
    """Give a row per tap, way, world and kind, with what is confused with what."""
    groups: defaultdict[tuple[str, str, str, str], list[Scored]] = defaultdict(list)
    for each in scored:
        groups[each.tap, each.way, each.run.world, each.run.kind].append(each)
    for (tap, way, world, kind), runs in sorted(groups.items()):
        whole = sum(map(sums, runs), Sums())
        every = sum((_directed(run) for run in runs), Counter())
        yield {
            **{"tap": tap, "way": way, "world": world, "kind": kind, "runs": len(runs)},
            "time_s": round(whole.time, 1),
            "right": ratio(whole.right, whole.time),
            "steady": ratio(whole.steady_right, whole.steady),
            "open": ratio(whole.open, whole.time),
            "headlines": round(whole.headlines),
            "headline_right": ratio(whole.headlines_right, whole.headlines),
            "mostly": _mostly(every, lambda moment: f"{moment.label} as {moment.claim.cause}"),
        }


Directed = Counter[tuple[Moment, str | None]]
"""Nanoseconds by moment, with the direction that is judged."""


def _directed(scored: Scored) -> Directed:
    return Counter({(moment, scored.direction): t for moment, t in scored.moments.items()})


def _by(
    scored: Iterable[Scored], name: Any
) -> Iterator[tuple[tuple[str, str, str], Sums, Directed]]:
    """Give the moments of each tap, way and name, with their sums."""
    found: defaultdict[tuple[str, str, str], Directed] = defaultdict(Counter)
    for each in scored:
        for (moment, direction), time_ns in _directed(each).items():
            found[each.tap, each.way, name(moment)][moment, direction] += time_ns
    for key, moments in sorted(found.items()):
        whole = Sums()
        for (moment, direction), time_ns in moments.items():
            whole.add(moment, time_ns, direction)
        yield key, whole, moments


_MOST, _LEAST_S = 3, 0.1


def _mostly(moments: Mapping[tuple[Moment, str | None], int], name: Any) -> str | None:
    """Give the most frequent confusions by name, in seconds."""
    wrong: Counter[str] = Counter()
    for (moment, _), time_ns in moments.items():
        if not fits(moment.claim, moment.near) and stated(moment.claim, moment.near) < 0.1:
            wrong[name(moment)] += time_ns
    found = (
        f"{each} {t / SECOND:.1f}" for each, t in wrong.most_common(_MOST) if t / SECOND >= _LEAST_S
    )
    return "; ".join(found) or None


TABLES = (
    ("shares", shares, ("tap", "way", "world", *SHARES)),
    ("labels", labels, ("tap", "way", "label", *LABELS)),
    ("causes", causes, ("tap", "way", "cause", *CAUSES)),
    ("kinds", kinds, ("tap", "way", "world", "kind", *KINDS)),
    ("twins", twins, ("tap", "way", "pair", "cause", *TWINS)),
)


def show(scored: Sequence[Scored], lacking: Iterable[tuple[str, str]], csv: Path | None) -> None:
    """Print the tables, of cut captures the shares alone, and write all rows as CSV."""
    for name, make, columns in TABLES:
        rows = list(make(scored))
        if csv:
            write_rows(csv.with_name(f"{csv.name}-{name}.csv"), rows, columns)
        shown = [row for row in rows if name == "shares" or row["way"] == WHOLE]
        for line in table.text(shown, columns):
            print(line)
        print()
    missing = list(lacking)
    for run, tap in missing:
        print(f"no score: {run} has no capture at {tap}")
    print(f"{len(missing)} captures of {len({each.run.name for each in scored})} runs are missing")

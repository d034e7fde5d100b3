"""All tables of scores, and how their lines are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from airmile.testbed.record.captures import POINTS
from airmile.testbed.scoring import Score, Scored
from tests.everyday.analysed import analyse
from tests.everyday.scoring import tally_of
from tests.everyday.selection import KEPT as EVERYDAY
from tests.everyday.selection import SELECTED
from tests.everyday.waits import WAIT_COLUMNS, Waits
from tests.physics import figures
from tests.physics.scoring import Scored as Physics
from tests.physics.scoring import score_kept
from tests.physics.selection import KEPT as PHYSICS
from tests.pinned.table import Table
from tests.recorded import table
from tests.recorded.files import read_rows
from tests.recorded.tally import Tally
from tests.score import kept
from tests.score.radio import COLUMNS as ESTIMATORS
from tests.taps import runs as taps
from tests.taps import tables as taps_tables
from tests.taps.selection import kept_runs
from tests.taps.ways import WAYS, WHOLE

Rows = Iterator[Mapping[str, Any]]

ALL = "all"


def _verdicts() -> Rows:
    for log, sets in ((False, kept.LABELLED), (True, kept.WITH_LOG)):
        score_of = kept.verdict_with_log if log else kept.verdict
        scores = {folder.name: score_of(folder) for folder in sets}
        for name, score in {**scores, ALL: sum(scores.values(), Score())}.items():
            yield {
                **{"set": name, "modem_log": "log" if log else "no log", "bins": score.bins},
                "agreement": score.agreement,
                "tolerant_agreement": score.tolerant_agreement,
            }


def _labels() -> Rows:
    scores = {folder.name: kept.verdict(folder) for folder in kept.LABELLED}
    for name, score in {**scores, ALL: sum(scores.values(), Score())}.items():
        recall = score.recall()
        for label, bins in score.labels().items():
            said = sorted(
                (cause, n) for (true, cause), n in score.confusion.items() if true == label
            )
            causes = " ".join(f"{cause} {count}" for cause, count in said)
            yield {
                **{"set": name, "label": label, "bins": bins},
                **{"recall": recall[label], "causes": causes},
            }


def _quantities() -> Rows:
    runs = {run.name: kept.scored(run) for run in kept.RUNS}
    for name, scored in {**runs, ALL: sum(runs.values(), Scored())}.items():
        for quantity, compared in scored.quantities.items():
            if compared.pairs:
                yield {"run": name, "quantity": quantity, **compared.summary()}


def _bandwidths() -> Rows:
    for folder in kept.WITH_TTIS:
        for window_s, compared in kept.bandwidths(folder).items():
            yield {"set": folder.name, "window_s": window_s, **compared.summary()}


def _rates() -> Rows:
    for (name, direction), link_bps in kept.KNOWN_RATES.items():
        found = kept.rate(name, direction)
        yield {"set": name, "direction": direction, "link_bps": int(link_bps), **found}


def _demands() -> Rows:
    for folder in kept.WITH_LOG:
        for row in kept.demands(folder):
            said = {estimator: row.estimates.get(estimator) for estimator in ESTIMATORS}
            span = {"set": row.name, "span": row.span, "length_s": row.length_s}
            yield {**span, "truth": row.truth, **said}


def _clocks() -> Rows:
    for folder in kept.CLOCK_SETS:
        for clock in (*kept.LIKELY_CLOCKS, *kept.OTHER_CLOCKS):
            if found := kept.aligned(folder, clock):
                yield {
                    **{"set": found.name, "clock": clock, "error_ms": found.error_ms},
                    **{"uncertainty_ms": found.uncertainty_ms, "reason": found.reason},
                }


@cache
def _everyday() -> tuple[dict[str, Tally], dict[str, Waits]]:
    """Score each capture of the selection, analysed without options, as most users do."""
    tallies, waits = {}, {}
    for selected in SELECTED:
        folder = EVERYDAY / selected.name
        said = analyse(folder / f"{selected.tap}.pcap.gz")
        tallies[selected.name] = tally_of(folder, selected.tap, said)
        waits[selected.name] = Waits()
        waits[selected.name].add(read_rows(folder / "requests.csv.gz"), said)
    return tallies, waits


def _everyday_causes() -> Rows:
    tallies, _ = _everyday()
    for name, tally in {**tallies, ALL: sum(tallies.values(), Tally())}.items():
        yield from table.causes({"capture": name}, tally, recall=True)


def _everyday_waits() -> Rows:
    _, waits = _everyday()
    for name, each in waits.items():
        yield from each.rows({"capture": name})


@cache
def _physics() -> Physics:
    return score_kept(PHYSICS)


@cache
def _taps(way: str) -> list[taps.Scored]:
    """Score each capture of the selection in a way."""
    return list(taps.score(kept_runs(), tuple(POINTS), (way,)))


def _taps_shares(*ways: str) -> Rows:
    every = taps_tables.shares(each for way in ways for each in _taps(way))
    return (row for row in every if row["world"] == taps_tables.EVERY)


SOON = (WHOLE, "no first third", "64 bytes")
"""The ways of which captures are given in `make test`; the others in `make check-all` too."""

CAUSE = tuple(column for column in table.CAUSE_COLUMNS if column not in ("cause", "below"))

TABLES = (
    Table(
        "verdict",
        ("set", "modem_log"),
        ("bins", "agreement", "tolerant_agreement"),
        _verdicts,
    ),
    Table("labels", ("set", "label"), ("bins", "recall", "causes"), _labels),
    Table("quantities", ("run", "quantity"), table.COMPARED_COLUMNS, _quantities),
    Table("bandwidth", ("set", "window_s"), table.COMPARED_COLUMNS, _bandwidths),
    Table(
        "link_rates",
        ("set", "direction"),
        ("link_bps", "samples", "flows", "bandwidth_bps"),
        _rates,
    ),
    Table("link_demand", ("set", "span"), ("length_s", "truth", *ESTIMATORS), _demands),
    Table("clocks", ("set", "clock"), ("error_ms", "uncertainty_ms", "reason"), _clocks),
    Table("everyday_causes", ("capture", "cause"), CAUSE, _everyday_causes),
    Table("everyday_waits", ("capture", "what"), WAIT_COLUMNS[4:], _everyday_waits),
    Table("physics_causes", ("kind", "cause"), CAUSE, lambda: _physics().causes()),
    Table("physics_figures", ("kind", "what"), figures.COLUMNS[1:], lambda: _physics().rows()),
    Table("taps_shares", ("tap", "way"), taps_tables.SHARES, lambda: _taps_shares(*SOON)),
    Table(
        "taps_cut",
        ("tap", "way"),
        taps_tables.SHARES,
        lambda: _taps_shares(*(way for way in WAYS if way not in SOON)),
    ),
    Table(
        "taps_labels",
        ("tap", "way", "label"),
        taps_tables.LABELS,
        lambda: taps_tables.labels(_taps(WHOLE)),
    ),
    Table(
        "taps_causes",
        ("tap", "way", "cause"),
        taps_tables.CAUSES,
        lambda: taps_tables.causes(_taps(WHOLE)),
    ),
)

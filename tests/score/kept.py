"""The scores of the sets that are kept with the project; each set is analysed once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import airmile
from airmile.testbed.scoring import Compared, Score, Scored, score_run
from tests.score.bandwidth import WINDOWS_S, compare, read_samples, read_truth
from tests.score.capture import span_ns
from tests.score.clocks import Found, align
from tests.score.radio import Row, rows_of
from tests.score.score import score_set

DATA = Path(__file__).parents[1] / "data"
EMU, EMU_OWN = DATA / "emu", DATA / "emu_own"

LABELLED = sorted(path.parent for path in DATA.glob("emu*/*/labels.csv.gz"))
"""The sets with labels per 100 ms and the monitor's capture."""

WITH_LOG = sorted(path.parent for path in EMU.glob("*/modem*.csv.gz"))
"""Those sets that have a modem log, too."""

RUNS = sorted(path.parent for path in EMU.glob("*/*.toml"))
"""The sets that this testbed recorded, with every table of the truth."""


_SCRATCH = tempfile.TemporaryDirectory(prefix="airmile-score-")


@cache
def analysed(folder: Path) -> airmile.Dataset:
    """Analyse the monitor's capture of a set, without options."""
    out = Path(_SCRATCH.name) / folder.parent.name / f"{folder.name}.airmile"
    out.parent.mkdir(exist_ok=True)
    return airmile.analyze(folder / "monitor.pcap.gz", out=out)


@cache
def verdict(folder: Path) -> Score:
    """Score the causes of a set's slices, from its capture alone."""
    return _scored(folder, analysed(folder).path)


@cache
def verdict_with_log(folder: Path) -> Score:
    """Score the causes of a set's slices, from its capture and the modem's log."""
    with tempfile.TemporaryDirectory(dir=_SCRATCH.name) as scratch:
        out = Path(scratch) / "x.airmile"
        logs = sorted(folder.glob("modem*.csv.gz"))
        airmile.analyze(folder / "monitor.pcap.gz", modem=logs, out=out)
        return _scored(folder, out)


def _scored(folder: Path, dataset: Path) -> Score:
    span = span_ns(folder / "monitor.pcap.gz")
    return score_set(dataset / "slices", folder / "labels.csv.gz", *span)


@cache
def scored(run: Path) -> Scored:
    """Score a run as ``airmile testbed score`` does."""
    return score_run(run)


@cache
def demands(folder: Path) -> tuple[Row, ...]:
    """Compare the link demand of each span of a set with the truth, by each estimator."""
    with tempfile.TemporaryDirectory(prefix="airmile-score-") as scratch:
        return tuple(rows_of(folder, Path(scratch)))


@cache
def aligned(folder: Path, clock: str) -> Found | None:
    """Align the log of a set, moved to another clock, with its monitor's capture."""
    with tempfile.TemporaryDirectory(prefix="airmile-score-") as scratch:
        return align(folder, clock, "monitor", Path(scratch))


LIKELY_CLOCKS = ("equal", "hours", "gps")
"""The clocks that are always found."""

OTHER_CLOCKS = ("shifted", "drifting", "ends early", "middle", "twice, shifted", "uplink only")

CLOCK_SETS = tuple(
    EMU / name
    for name in (
        *("a_link_cubic", "f2_loss_rto", "t04_receive_window", "t10_sender_app"),
        "t16_periodic",
    )
)


@cache
def bandwidths(folder: Path) -> dict[float, Compared]:
    """Compare the bandwidth samples of a set with a truth per TTI as CSV, by length of window."""
    samples = read_samples(analysed(folder).path / "bandwidth_samples", "queue_evident")
    truth = read_truth(folder / "truth_dl.csv.gz")
    return {window: compare(samples, truth, window) for window in WINDOWS_S}


WITH_TTIS = sorted(path.parent for path in EMU.glob("*/truth_dl.csv.gz"))
"""The sets whose truth per TTI is a CSV file."""


KNOWN_RATES = {
    # Four downloads of one phone at once, on 40 Mbps shared with one competitor.
    ("g14_four_parallel", "downlink"): 20e6,
    # A download whose ACKs wait in the queue of an upload.
    ("g13_both_ways", "downlink"): 20e6,
    ("g01_upload_link", "uplink"): 5e6,
}
"""The rates of links of a constant rate in bit/s, by set and direction."""


@cache
def rate(name: str, direction: str) -> dict[str, Any]:
    """Average the bandwidth samples of a set that were taken with a queue."""
    query = f"""SELECT avg(bandwidth_bps) AS bandwidth_bps, count(*) AS samples,
            max(flows) AS flows
        FROM bandwidth_samples
        WHERE source = 'queue_evident' AND direction = '{direction}'"""
    (found,) = analysed(EMU_OWN / name).sql(query).to_pylist()
    return dict(found)

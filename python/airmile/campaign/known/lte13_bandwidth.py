"""LTE13 section 6.2: bandwidth estimated at the server, compared with the phone, for 30 minutes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airmile.campaign.design import DERIVED, Arm, Campaign, Statement
from airmile.store import _manifest, _parts, _runs

if TYPE_CHECKING:
    from airmile.store import Tables

CHANNEL = {
    "kind": "sinr", "sinr": {"kind": "ar1", "mean_db": 12, "sigma_db": 3, "tau_ms": 2000},
}  # fmt: skip
"""The settings of the link: 25 PRBs carry some 10 Mbit/s, as in figure 20."""


def aligned(dataset: Tables, out: Path) -> None:
    """Align the captures of phone and server of each run, and write them as one dataset.

    Alignments of other runs remain while their runs are there: the folder of a whole campaign may
    be read with the runs of `--quick` alone.
    """
    import airmile

    folders = _runs.folders(dataset.path, dataset.manifest)
    for run, folder in folders.items():
        to = out / f"{run}.airmile"
        if not to.exists():
            airmile.align(folder / "ue.pcap", folder / "server.pcap", out=to)
    there = _runs.folders(dataset.path, airmile.open(dataset.path).manifest)
    for stale in set(out.glob("*.airmile")) - {out / f"{run}.airmile" for run in there}:
        _parts.refuse_link(stale)
        shutil.rmtree(stale)
    named = {key: dataset.manifest[key] for key in ("schema", "tool", "version")}
    names = [f"{run}.airmile" for run in folders]
    _manifest.put(out, {**named, "status": "ok", "runs": names, "planned": []})


def _errors(window_s: float, estimator: str) -> Callable[[Tables], Iterator[dict[str, Any]]]:
    """Return rows: the mean absolute error of each run, in percent (methods E5)."""

    def rows(dataset: Tables) -> Iterator[dict[str, Any]]:
        import airmile

        out = dataset.path.parent / DERIVED
        aligned(dataset, out)
        yield from (
            airmile.open(out)
            .sql(f"""
            SELECT run, 100 * avg(abs(error_ratio)) AS value FROM e5
            WHERE busy AND source = '{estimator}' AND window_s = {window_s}
            GROUP BY run""")
            .to_pylist()
        )

    return rows


def _extra_error(dataset: Tables) -> Iterator[dict[str, Any]]:
    """Return rows: by how much the error is larger in short windows of each run, in percent."""
    long = {row["run"]: row["value"] for row in _errors(1.0, "c_rule")(dataset)}
    for row in _errors(0.1, "c_rule")(dataset):
        if row["run"] in long:
            yield {"run": row["run"], "value": row["value"] - long[row["run"]]}


SHORT = (
    "Most windows are compared with a sample of less than 50 ms: a burst of some 10 packets that "
    "the server sent above 30 Mbps. airmile asks for 20 ticks (20 ms) at the phone; the paper "
    "prints no least length, and says that its windows are typically of a few round trips. So of "
    "short bursts only those that the link carried slowly count, and the estimate is too low. "
    "Where the sample is of 50 ms or more, the error is near the published one."
)
"""Why the estimate by the paper's rule is too low here.

In the 30 runs of the whole campaign, 86 % of the windows of 1 s had a sample below 50 ms, and a
mean error of -18 %, without its sign 25 %. With samples of 50 ms or more it was -3 % and 10 %.
Samples of 4, 8 and 14 packets took 23 ms each, and gave 2.0, 4.1 and 6.9 Mbps. With
`bandwidth.min_ticks` of 1, 20, 40 and 80, the error without its sign was 48, 24, 10 and 9 % in
three of the runs. In the places where windows of 0.1 s count, those of 1 s had 19 %, and those of
0.1 s had 18 %.
"""

CAMPAIGN = Campaign(
    study="lte13",
    section="section 6.2",
    title="how exact is the bandwidth that a capture at the server shows?",
    arms=[
        Arm(
            "download",
            "bulk_download",
            {
                "workload.bytes": 1_000_000_000,
                "workload.seconds": 60,
                "longest_s": 120,
                "link.downlink.prbs": 25,
                "link.downlink.rate": CHANNEL,
            },
            expected_s=61,
            megabytes=45,
        )
    ],
    whole=30,
    quick=8,
    exhibits=["fig19", "fig20", "fig22"],
    statements=[
        Statement(
            "error in windows of 1.0 s, by the paper's rule", "section 6.2, figure 19", "7.9 %",
            7.9, "%", "mean", _errors(1.0, "c_rule"), because=SHORT,
        ),
        Statement(
            "error in windows of 1.0 s, by the queue", "section 6.2, figure 19", "7.9 %", 7.9, "%",
            "mean", _errors(1.0, "queue_evident"),
            because="This is airmile's own estimator, which the paper does not have. "
            "\u201cNot\u201d says that its error differs from the published one; it is smaller.",
        ),
        Statement(
            "error in windows of 0.1 s minus that of 1.0 s, by the paper's rule",
            "section 6.2, figure 19", "slightly higher", None, "%", "mean", _extra_error,
            side=1, no_effect=0,
            because="A short window counts only where a sample is near it. There, windows of 1.0 s "
            "have about the same error.",
        ),
    ],
    notes=[
        "30 minutes as 30 downloads of a minute, each on a channel of its own, so that there are "
        "30 independent samples where the paper has one trace.",
        "A minute begins with a slow start of its own.",
    ],
    derived=aligned,
)  # fmt: skip

"""The scores of a folder of runs, per run and for all together, as text, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from airmile._errors import InputError
from airmile.testbed.record.outcome import SUFFIX, has_truth
from airmile.testbed.run.campaign import runs
from airmile.testbed.scoring import Score, Scored, score_run
from airmile.testbed.scoring.run import ANOTHER, has_capture

ALL = "all"
"""The name of the row for all runs together."""


def of(folder: Path, capture: str = "monitor") -> Iterator[tuple[str, Scored]]:
    """Score each run in a folder that has the capture, then all of them together.

    Parameters
    ----------
    folder : Path
        The folder of a campaign, or of one run.
    capture : str
        The capture point: `monitor`, `server` or `ue`.

    Raises
    ------
    InputError
        No run in the folder has a truth, or none of those with a truth has the capture.
    """
    total = Scored()
    truths = [run for run in runs(folder) if has_truth(run)]
    if not truths:
        raise InputError(
            f"{folder}: no truth to score against: the runs were over a real interface",
            "score runs over the emulated link: airmile testbed run bulk_download",
        )
    found = [run for run in truths if has_capture(run, capture)]
    if not found:
        raise InputError(f"{folder}: no run has a {capture}.pcap", ANOTHER)
    for run in found:
        scored = score_run(run, capture)
        total += scored
        yield run.name.removesuffix(SUFFIX), scored
    if len(found) > 1:
        yield ALL, total


def unscored(folder: Path) -> list[str]:
    """Return the names of the runs without a truth, which :func:`of` leaves out."""
    return [run.name.removesuffix(SUFFIX) for run in runs(folder) if not has_truth(run)]


def lacking(folder: Path, capture: str) -> list[str]:
    """Return the names of the runs with a truth but without a capture, which have no score."""
    return [
        run.name.removesuffix(SUFFIX)
        for run in runs(folder)
        if has_truth(run) and not has_capture(run, capture)
    ]


def text(scored: Iterable[tuple[str, Scored]]) -> Iterator[str]:
    """Yield the lines of a paragraph for each run."""
    for name, score in scored:
        yield "\n".join([f"{name}: {score.cause}", *_quantities(score), *_doubts(name, score)])


def as_json(scored: Iterable[tuple[str, Scored]]) -> Iterator[str]:
    """Yield the lines of one JSON document."""
    yield json.dumps([{**row, **more} for row, more in _rows(scored)], indent=1)


def as_csv(scored: Iterable[tuple[str, Scored]]) -> Iterator[str]:
    """Yield a line of CSV per run and quantity, after a header."""
    rows = [row for row, _ in _rows(scored)]
    file = io.StringIO()
    lines = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    yield file.getvalue().rstrip("\n")


def _quantities(score: Scored) -> Iterator[str]:
    for name, compared in score.quantities.items():
        if compared.pairs:
            yield f"  {name:<20} {compared}"


def _doubts(name: str, score: Scored) -> Iterator[str]:
    if score.doubts and name == ALL:
        yield "  some of these runs are NOT to be trusted"
    elif score.doubts:
        yield f"  NOT to be trusted: {'; '.join(score.doubts)}"


def _rows(
    scored: Iterable[tuple[str, Scored]],
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Yield the columns of each row, and further keys that only JSON has."""
    for name, score in scored:
        head = {"run": name, "trustworthy": not score.doubts}
        yield {**head, "quantity": "cause", **_cause(score.cause)}, _labels(score.cause)
        for quantity, compared in score.quantities.items():
            if compared.pairs:
                yield {**head, "quantity": quantity, **compared.summary(), **_NO_AGREEMENT}, {}


_NO_AGREEMENT = {"agreement": None, "tolerant_agreement": None}


def _cause(cause: Score) -> dict[str, float | int | None]:
    shares = {"agreement": cause.agreement, "tolerant_agreement": cause.tolerant_agreement}
    return {
        "cases": cause.bins,
        "answered": cause.bins,
        "right": cause.strict,
        "mean_error": None,
        "worst_error": None,
        "unit": None,
        **(shares if cause.bins else _NO_AGREEMENT),
    }


def _labels(cause: Score) -> dict[str, Any]:
    """Return the recall of each label, and the number of the label's bins by cause."""
    table: dict[str, dict[str, int]] = {}
    for (label, said), bins in sorted(cause.confusion.items()):
        table.setdefault(label, {})[said] = bins
    return {"recall": cause.recall(), "causes_by_label": table}

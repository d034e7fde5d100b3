"""Computes, from the runs of a campaign, a value for each statement of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from airmile import _intervals, _statistics
from airmile._errors import AirmileError
from airmile._intervals import Estimate
from airmile.campaign import rule
from airmile.campaign.design import Campaign, Rows, Statement, Trial

if TYPE_CHECKING:
    from airmile.dataset import Dataset

QUANTILES = {"p5": 0.05, "median": 0.5, "p95": 0.95}


@dataclass(frozen=True)
class Line:
    """A published statement with the value that our runs give.

    Attributes
    ----------
    statement : Statement
        What the paper states.
    found : Estimate or None
        Our value with its interval; None if the runs do not give one.
    truth : Estimate or None
        The value from the truth of the link, if ours is an estimate of airmile.
    outcome : str
        What the rule decides about `found`.
    p_value : float or None
        The p-value against no effect or the margin, adjusted for all statements of the page.
    reason : str
        Why there is no value.
    """

    statement: Statement
    found: Estimate | None
    truth: Estimate | None
    outcome: rule.Outcome
    p_value: float | None
    reason: str = ""


def lines(
    campaign: Campaign,
    datasets: Mapping[str, Dataset],
    finished: Sequence[Trial],
    margin: float = rule.MARGIN,
) -> list[Line]:
    """Compute all statements of a campaign, and judge them together, because of Holm's correction.

    Parameters
    ----------
    campaign : Campaign
        The campaign whose runs these are.
    datasets : mapping of str to Dataset
        The datasets of the runs, by group.
    finished : sequence of Trial
        The trials that can be trusted.
    margin : float
        The half-width of the margin around a published value, as a share of the value.
    """
    values = _Values(datasets)
    found = [_asked(each, values, finished, each.rows) for each in campaign.statements]
    truths = [
        _asked(each, values, finished, each.truth)[0] if each.truth else None
        for each in campaign.statements
    ]
    adjusted = rule.holm(
        [_p(each, own, margin) for each, (own, _) in zip(campaign.statements, found, strict=True)]
    )
    return [
        Line(each, own, truth, _outcome(each, own, p, margin), p, reason)
        for each, (own, reason), truth, p in zip(
            campaign.statements, found, truths, adjusted, strict=True
        )
    ]


def published(statement: Statement) -> rule.Published:
    """Return the published value, direction and no effect of a statement, for the rule."""
    return rule.Published(statement.value, statement.side, statement.no_effect, statement.bound)


def _p(statement: Statement, found: Estimate | None, margin: float) -> float | None:
    """Return the p-value of a statement; None if there are too few samples for a test."""
    if found is None or found.n < rule.LEAST:
        return None
    return found.p_value(published(statement).reference(found.value, margin))


def _outcome(
    statement: Statement, found: Estimate | None, p: float | None, margin: float
) -> rule.Outcome:
    if found is None or p is None:
        return "undecided"
    interval = (found.low, found.high)
    return rule.outcome(published(statement), interval, found.n, p_value=p, margin=margin)


def _asked(
    statement: Statement, known: _Values, finished: Sequence[Trial], rows: str | Rows
) -> tuple[Estimate | None, str]:
    """Return the value of a statement from its rows or its truth, or the reason for none."""
    values = known.by_run(statement.group, rows)
    if isinstance(values, str):
        return None, values
    samples = [
        _by_seed(values, [trial for trial in finished if fnmatchcase(trial.arm.name, arms)])
        for arms in (statement.arms, statement.against)
        if arms
    ]
    shared = sorted(set.intersection(*(set(each) for each in samples)))
    if not shared:
        return None, "no run gives a value" if len(samples) == 1 else "no pair of runs gives values"
    return estimate(statement, *([each[seed] for seed in shared] for each in samples))


class _Values:
    """The values of each run; statements with the same query share them."""

    def __init__(self, datasets: Mapping[str, Dataset]) -> None:
        self._datasets = datasets
        self._known: dict[tuple[str, str | Rows], dict[str, list[float]] | str] = {}

    def by_run(self, group: str, rows: str | Rows) -> dict[str, list[float]] | str:
        """Return the values of each run of a group, or the reason why there are none."""
        if (group, rows) not in self._known:
            self._known[group, rows] = self._asked(group, rows)
        return self._known[group, rows]

    def _asked(self, group: str, rows: str | Rows) -> dict[str, list[float]] | str:
        dataset = self._datasets.get(group)
        if dataset is None:
            return "this form of the campaign has none of its runs"
        try:
            return _by_run(dataset, rows)
        except AirmileError as error:
            return error.message.removeprefix(f"{dataset.path}: ")


def _by_run(dataset: Dataset, rows: str | Rows) -> dict[str, list[float]]:
    """Return the values of each run; rows without a value are left out."""
    asked = rows if isinstance(rows, str) else rows(dataset)
    found: dict[str, list[float]] = {}
    for row in dataset.sql(asked).to_pylist() if isinstance(asked, str) else asked:
        if row["value"] is not None and math.isfinite(row["value"]):
            found.setdefault(row["run"], []).append(float(row["value"]))
    return found


def _by_seed(values: Mapping[str, Sequence[float]], trials: Sequence[Trial]) -> dict[int, float]:
    """Return one sample for each seed, because runs on one link are not independent."""
    found: dict[int, list[float]] = {}
    for trial in trials:
        if trial.name in values:
            found.setdefault(trial.seed, []).append(_statistics.mean(values[trial.name]))
    return {seed: _statistics.mean(each) for seed, each in found.items()}


def estimate(statement: Statement, *samples: Sequence[float]) -> tuple[Estimate | None, str]:
    """Return the figure of independent samples, or of pairs, by the statement's estimator."""
    if statement.estimator == "difference":
        return _intervals.difference(*samples), ""
    if statement.estimator == "ratio":
        return _intervals.ratio(*samples), ""
    if statement.estimator == "change":
        changes = [a / b - 1 for a, b in zip(*samples, strict=True) if b]
        lacking = "" if changes else "all compared runs have the value 0"
        return (_intervals.quantile(changes, 0.5) if changes else None), lacking
    if statement.estimator in ("mean", "share"):
        figure = _intervals.mean if statement.estimator == "mean" else _intervals.share
        return figure(*samples), ""
    return _intervals.quantile(samples[0], QUANTILES[statement.estimator]), ""

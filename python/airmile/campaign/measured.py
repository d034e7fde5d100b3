"""Computes, from the runs of a campaign, a value for each statement of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from airmile import _intervals, _statistics
from airmile._errors import AirmileError
from airmile._intervals import Estimate
from airmile._words import counted
from airmile.campaign import rule
from airmile.campaign.design import Rows, Statement, Trial
from airmile.campaign.needs import MOST, QUANTILES
from airmile.campaign.plans import Plan, Planned, published

if TYPE_CHECKING:
    from airmile.store import Tables


@dataclass(frozen=True)
class Line:
    """A published statement with the value that our runs give.

    Attributes
    ----------
    planned : Planned
        What the paper states, and what the plan does with it.
    found : Estimate or None
        Our value with its interval; None if the runs do not give one.
    truth : Estimate or None
        The value from the truth of the link, if ours is an estimate of airmile.
    outcome : str
        What the rule decides about `found`.
    p_value : float or None
        The p-value against no effect or the margin, adjusted for the family; None if there is none.
    reason : str
        Why there is no value, or why the statement is not tested.
    """

    planned: Planned
    found: Estimate | None
    truth: Estimate | None
    outcome: rule.Outcome
    p_value: float | None
    reason: str = ""

    @property
    def statement(self) -> Statement:
        """What the paper states."""
        return self.planned.statement


def lines(plan: Plan, datasets: Mapping[str, Tables], finished: Sequence[Trial]) -> list[Line]:
    """Compute all statements of a plan, and judge them together, because of Holm's procedure.

    Parameters
    ----------
    plan : Plan
        The plan by which the runs were made.
    datasets : mapping of str to Tables
        The datasets of the runs, by group.
    finished : sequence of Trial
        The trials that can be trusted.
    """
    values = _Values(datasets)
    runs = _Runs(plan.trials, {trial.name for trial in finished})
    found = [_measured(each, values, runs) for each in plan.statements]
    p_values = _adjusted(plan, [own for own, _, _ in found])
    return [
        _line(each, own, truth, why, p, plan.margin)
        for each, (own, truth, why), p in zip(plan.statements, found, p_values, strict=True)
    ]


def _measured(
    planned: Planned, values: _Values, runs: _Runs
) -> tuple[Estimate | None, Estimate | None, str]:
    """Return our value, that of the truth, and the reason if there is none."""
    statement = planned.statement
    if not planned.seeds:
        return None, None, "its arms are not in this form of the campaign"
    own, why = _asked(statement, values, runs, statement.rows)
    truth = _asked(statement, values, runs, statement.truth)[0] if statement.truth else None
    return own, truth, why


def _adjusted(plan: Plan, found: Sequence[Estimate | None]) -> list[float | None]:
    """Return the p-values of the family after Holm; None for statements outside of it.

    The family is that of the plan: a statement of it without enough samples counts as p = 1.
    """
    places = [place for place, each in enumerate(plan.statements) if each.state == "tested"]
    plain = [_p(plan.statements[place], found[place], plan.margin) for place in places]
    adjusted: list[float | None] = [None] * len(plan.statements)
    for place, p, after in zip(
        places, plain, rule.holm([1.0 if p is None else p for p in plain]), strict=True
    ):
        adjusted[place] = None if p is None else after
    return adjusted


def _p(planned: Planned, found: Estimate | None, margin: float) -> float | None:
    """Return the p-value of a statement; None if there are too few samples for its test."""
    if found is None or planned.least is None or found.n < planned.least:
        return None
    return found.p_value(published(planned.statement).reference(found.value, margin))


def _line(
    planned: Planned,
    found: Estimate | None,
    truth: Estimate | None,
    why: str,
    p: float | None,
    margin: float,
) -> Line:
    if found is None:
        lacking: rule.Outcome = "no value" if planned.seeds else "not run"
        return Line(planned, None, truth, lacking, None, why)
    if planned.state == "set":
        return Line(planned, found, truth, "set", None, planned.statement.set_by)
    if p is None or planned.least is None:
        return Line(planned, found, truth, "too few", None, _few(planned, found.n))
    outcome = rule.outcome(
        published(planned.statement),
        (found.low, found.high),
        found.n,
        least=planned.least,
        p_value=p,
        margin=margin,
    )
    return Line(planned, found, truth, outcome, p)


def _few(planned: Planned, n: int) -> str:
    """Return how many samples there are and how many it takes, in words."""
    if planned.least is None:
        return f"{counted(n, 'sample')}; no number up to {MOST} decides it"
    return f"{counted(n, 'sample')}, and {planned.least} decide it"


def _asked(
    statement: Statement, known: _Values, runs: _Runs, rows: str | Rows
) -> tuple[Estimate | None, str]:
    """Return the value of a statement from its rows or its truth, or the reason for none."""
    values = known.by_run(statement.group, rows)
    if isinstance(values, str):
        return None, values
    samples = [
        _by_seed(values, runs.of(statement.group, arms))
        for arms in (statement.arms, statement.against)
        if arms
    ]
    shared = sorted(set.intersection(*(set(each) for each in samples)))
    if not shared:
        return None, "no run gives a value" if len(samples) == 1 else "no pair of runs gives values"
    return estimate(statement, *([each[seed] for seed in shared] for each in samples))


@dataclass(frozen=True)
class _Runs:
    """The trials of a plan, and the names of those that count."""

    planned: Sequence[Trial]
    finished: Set[str]

    def of(self, group: str, arms: str) -> list[Trial]:
        """Return the trials of arms, of the seeds of which all these arms count.

        The mean of a seed over the arms that are left would be one of other arms than those of the
        other seeds.
        """
        own = [
            trial
            for trial in self.planned
            if trial.arm.group == group and fnmatchcase(trial.arm.name, arms)
        ]
        lacking = {trial.seed for trial in own if trial.name not in self.finished}
        return [trial for trial in own if trial.seed not in lacking]


class _Values:
    """The values of each run; statements with the same query share them."""

    def __init__(self, datasets: Mapping[str, Tables]) -> None:
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


def _by_run(dataset: Tables, rows: str | Rows) -> dict[str, list[float]]:
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

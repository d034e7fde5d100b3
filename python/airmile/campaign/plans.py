"""The plan of a campaign: which statements how many seeds decide, fixed before the first run.

A plan is kept in the folder of the campaign. Another one in the same folder, with more seeds or
another margin, is kept beside it with the number of runs that had been finished by then: whoever
made it may have seen their results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from importlib.metadata import version
from typing import Any, Literal

from airmile._errors import InputError
from airmile.campaign import needs, rule
from airmile.campaign.design import Campaign, Statement, Trial
from airmile.campaign.folder import Place

State = Literal["tested", "too few", "set", "not run"]
"""What a plan does with a statement; `not run` means that its arms are not in this form."""


@dataclass(frozen=True)
class Planned:
    """A statement in a plan.

    Attributes
    ----------
    statement : Statement
        What the paper states.
    state : str
        What the plan does with it.
    seeds : int
        The number of its samples: seeds for which all its arms are run.
    least : int or None
        The fewest seeds that decide it in its family; None if no number below `needs.MOST` does, or
        if it is not tested.
    spread : float or None
        The largest standard deviation of its samples, over the published value, that can reproduce
        it; None where the interval does not depend on it.
    effect : float or None
        The smallest effect, in standard deviations of its samples, that shows a published
        direction; None where the test does not depend on it.
    """

    statement: Statement
    state: State
    seeds: int
    least: int | None = None
    spread: float | None = None
    effect: float | None = None


@dataclass(frozen=True)
class Plan:
    """What a campaign runs, and what it decides.

    Attributes
    ----------
    quick : bool
        Whether it is the short form.
    margin : float
        The half-width of the margin around a published value, as a share of the value.
    trials : sequence of Trial
        The runs in their order.
    statements : sequence of Planned
        The statements of the campaign in their order.
    """

    quick: bool
    margin: float
    trials: Sequence[Trial]
    statements: Sequence[Planned]

    @property
    def family(self) -> int:
        """The number of statements that are tested together, for Holm's procedure."""
        return len(self.of("tested"))

    def of(self, *states: State) -> list[Planned]:
        """Return the statements of some states."""
        return [each for each in self.statements if each.state in states]

    def plain(self) -> dict[str, Any]:
        """Return what makes two plans the same one, as plain values."""
        return {
            "quick": self.quick,
            "margin": self.margin,
            "runs": [trial.name for trial in self.trials],
            "family": self.family,
            "statements": [
                {
                    "quantity": each.statement.quantity,
                    "state": each.state,
                    "seeds": each.seeds,
                    "least": each.least,
                }
                for each in self.statements
            ],
        }


@dataclass(frozen=True)
class Kept:
    """The place of a plan among those of its folder.

    Attributes
    ----------
    number : int
        Its number among the plans of the folder, from 1.
    finished : int
        The number of runs in the folder that had been finished when it was made.
    made : str
        When it was made, as ISO 8601 in UTC.
    """

    number: int
    finished: int
    made: str


def plan(
    campaign: Campaign, trials: Sequence[Trial], *, quick: bool = False, margin: float = rule.MARGIN
) -> Plan:
    """Return the plan of a campaign for some trials.

    The family is what these trials can decide: a statement for which they are too few if all are
    tested together is left out of it, so that it takes nothing from the others.
    """
    asked = [(each, _seeds(each, trials)) for each in campaign.statements]
    most = sum(seeds > 0 for each, seeds in asked if not each.set_by)
    first = [_planned(each, seeds, most, margin) for each, seeds in asked]
    family = sum(each.state == "tested" for each in first)
    found = [
        _planned(each.statement, each.seeds, family, margin) if each.state == "tested" else each
        for each in first
    ]
    return Plan(quick, margin, trials, found)


def published(statement: Statement) -> rule.Published:
    """Return the published value, direction and no effect of a statement, for the rule."""
    return rule.Published(statement.value, statement.side, statement.no_effect, statement.bound)


def _seeds(statement: Statement, trials: Iterable[Trial]) -> int:
    """Return for how many seeds trials have the arms of a statement, and those compared with."""
    own = [trial for trial in trials if trial.arm.group == statement.group]
    sides = [
        {trial.seed for trial in own if fnmatchcase(trial.arm.name, arms)}
        for arms in (statement.arms, statement.against)
        if arms
    ]
    return len(set.intersection(*sides))


def _planned(statement: Statement, seeds: int, family: int, margin: float) -> Planned:
    if not seeds:
        return Planned(statement, "not run", 0)
    if statement.set_by:
        return Planned(statement, "set", seeds)
    stated, estimator = published(statement), statement.estimator
    fewest = needs.least(stated, estimator, family, margin)
    if fewest is None or seeds < fewest:
        return Planned(statement, "too few", seeds, fewest)
    spread = needs.spread(stated, estimator, seeds, margin)
    effect = needs.effect(stated, estimator, seeds, family)
    return Planned(statement, "tested", seeds, fewest, spread, effect)


def keep(place: Place, wanted: Plan, finished: int) -> Kept:
    """Write a plan into the folder of its campaign, unless it is there, and return its place.

    Raises
    ------
    InputError
        The file of plans cannot be read.
    """
    found = kept(place, wanted)
    if found is not None:
        return found
    made = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"made": made, "finished": finished, "airmile": version("airmile"), **wanted.plain()}
    entries = [*_read(place), entry]
    part = place.plans.with_suffix(".part")
    part.write_text(json.dumps(entries, indent=1) + "\n")
    part.replace(place.plans)
    return Kept(len(entries), finished, made)


def kept(place: Place, wanted: Plan) -> Kept | None:
    """Return the place of a plan among those of its folder; None if it is not there."""
    plain = wanted.plain()
    for number, entry in enumerate(_read(place), 1):
        if {key: entry.get(key) for key in plain} == plain:
            return Kept(number, entry["finished"], entry["made"])
    return None


def _read(place: Place) -> list[dict[str, Any]]:
    if not place.plans.exists():
        return []
    try:
        found = json.loads(place.plans.read_text())
        if all(isinstance(each["made"], str) and each["finished"] >= 0 for each in found):
            return list(found)
    except (ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{place.plans}: not the plans of a campaign", "name another folder with -o")

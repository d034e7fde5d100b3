"""The plan of a campaign in words, as it is printed before the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile._words import NBSP, counted, percent, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airmile.campaign.drive import Drive
    from airmile.campaign.plans import Kept, Planned

KEY = (
    "in brackets, with the standard deviation (sd) of the seeds' values: up to which sd over the "
    "published value these seeds can reproduce it (%), and from which effect on they can show a "
    "direction (sd)"
)


def lines(drive: Drive) -> Iterator[str]:
    """Yield what a campaign runs, which statements that decides, and what it leaves open."""
    plan = drive.plan
    yield _expected(drive)
    if drive.quick:
        yield f"  the short form: {drive.campaign.shorter()}"
    yield from (f"  {_planned(each)}" for each in plan.statements)
    if any(_limits(each) for each in plan.statements):
        yield f"  {KEY}"
    if not plan.family:
        yield "  no statement can be decided; the runs only show what they give"
    else:
        together = counted(plan.family, "statement")
        yield f"  Holm's family, fixed now: {together}; margin {percent(plan.margin)}"


def another(kept: Kept) -> Iterator[str]:
    """Yield a line if the folder held runs before this plan was made."""
    if kept.finished:
        runs = counted(kept.finished, "run")
        yield (
            f"  this is plan {kept.number} of the folder: {runs} had been finished before, whose "
            "results may have been seen; the page says so"
        )


def _expected(drive: Drive) -> str:
    from airmile.campaign.design import expected_bytes, expected_s

    missing = drive.missing
    seeds = len({trial.seed for trial in drive.trials})
    return (
        f"{drive.place.name}: {counted(len(missing), 'run')} to make, which take some "
        f"{long(expected_s(missing))} and {size(expected_bytes(missing))}, in {drive.place.out}; "
        f"{counted(seeds, 'seed')} in all"
    )


def long(spent_s: float) -> str:
    """Return a long time in minutes or hours.

    >>> long(540), long(7200)
    ('9 min', '2.0 h')
    """
    return f"{spent_s / 60:.0f} min" if spent_s < 5400 else f"{spent_s / 3600:.1f} h"


def _planned(planned: Planned) -> str:
    seeds = _seeds(planned) if planned.state in ("tested", "too few") else ""
    return f"{planned.state:8} {seeds:22} {planned.statement.quantity}{_limits(planned)}"


def _limits(planned: Planned) -> str:
    """Return the spread and the effect up to and from which the seeds decide."""
    limits = []
    if planned.spread is not None:
        limits.append(percent(planned.spread))
    if planned.effect is not None:
        limits.append(f"{planned.effect:.1f}{NBSP}sd")
    return f" [{', '.join(limits)}]" if limits else ""


def _seeds(planned: Planned) -> str:
    from airmile.campaign.needs import MOST

    needed = f"over {MOST}" if planned.least is None else str(planned.least)
    return f"{planned.seeds} seeds, {needed} needed"

"""The outcome of a campaign as `results.json`, and its statements as `results.csv`."""

from __future__ import annotations

import csv
import io
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from airmile._intervals import Estimate
from airmile.campaign.design import Campaign, Trial
from airmile.campaign.folder import Place, Tally
from airmile.campaign.measured import Line
from airmile.campaign.plans import Kept, Plan
from airmile.study._several import Result
from airmile.testbed.record import outcome


@dataclass(frozen=True)
class Outcome:
    """The outcome of a campaign.

    Attributes
    ----------
    name : str
        The name of the campaign.
    campaign : Campaign
        The campaign itself.
    plan : Plan
        The plan by which the runs were made.
    kept : Kept or None
        Its place among the plans of the folder; None if it was not kept before the runs.
    tally : Tally
        What became of the trials.
    took_s : float
        How long the runs took, in seconds.
    others : int
        Finished runs in its folder that the page leaves out, as those of the whole campaign.
    loads : sequence of tuple
        The load of the machine each time it was measured before runs: shares in use and stolen.
    side_by_side : str
        What the trial of runs side by side found; empty if there was none.
    kernels : sequence of str
        The kernels on which the runs were made.
    lines : sequence of Line
        The statements with our values.
    exhibits : sequence of Result
        The figures and tables of the page.
    """

    name: str
    campaign: Campaign
    plan: Plan
    kept: Kept | None
    tally: Tally
    took_s: float
    others: int
    loads: Sequence[tuple[float, float]]
    side_by_side: str
    kernels: Sequence[str]
    lines: Sequence[Line]
    exhibits: Sequence[Result]

    @property
    def command(self) -> str:
        """The command that runs the campaign again."""
        return f"sudo airmile testbed campaign {self.name}" + " --quick" * self.plan.quick

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs that can be trusted."""
        return sorted({trial.seed for trial in self.tally.finished})


def kernels(place: Place, trials: Iterable[Trial]) -> list[str]:
    """Return the kernels on which the runs were made."""
    facts = (outcome.manifest_of(place.run(trial)) for trial in trials)
    return sorted({str(each.get("kernel", "unknown")) for each in facts})


def versions() -> dict[str, str]:
    """Return the versions of the software that makes the values."""
    return {
        "airmile": version("airmile"),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def as_json(found: Outcome) -> str:
    """Return the outcome as JSON; an unknown value or an infinite end of an interval is null."""
    plain = {
        "campaign": found.name,
        "quick": found.plan.quick,
        "command": found.command,
        "margin": found.plan.margin,
        "family": found.plan.family,
        "plan": asdict(found.kept) if found.kept else None,
        "runs": {
            "planned": len(found.plan.trials),
            "finished": len(found.tally.finished),
            "repeated": len(found.tally.repeated),
            "left_out": found.tally.left_out,
            "arms": {arm: asdict(own) for arm, own in found.tally.arms.items()},
            "others": found.others,
            "took_s": round(found.took_s, 1),
        },
        "side_by_side": found.side_by_side,
        "load_before_runs": [sum(each) for each in found.loads],
        "seeds": found.seeds,
        "kernels": list(found.kernels),
        "versions": versions(),
        "statements": [_plain(line) for line in found.lines],
        "exhibits": [_exhibit(each) for each in found.exhibits],
    }
    return json.dumps(plain, indent=1, allow_nan=False) + "\n"


def as_csv(found: Outcome) -> str:
    """Return CSV with a row for each statement."""
    rows = [{"campaign": found.name, **_plain(line)} for line in found.lines]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["campaign"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _plain(line: Line) -> dict[str, Any]:
    statement = line.statement
    return {
        "quantity": statement.quantity,
        "section": statement.section,
        "published": statement.published,
        "published_value": statement.value,
        "unit": statement.unit,
        "estimator": statement.estimator,
        "direction": {1: "above", -1: "below", 0: ""}[statement.side],
        "no_effect": statement.no_effect,
        "seeds_planned": line.planned.seeds,
        "seeds_needed": line.planned.least,
        **_figure(line.found, ""),
        **_figure(line.truth, "truth_"),
        "p_holm": line.p_value,
        "outcome": line.outcome,
        "reason": line.reason,
        "because": statement.because,
    }


def _figure(found: Estimate | None, prefix: str) -> dict[str, float | None]:
    if found is None:
        values: Mapping[str, float | None] = dict.fromkeys(("n", "value", "low", "high"))
    else:
        values = {"n": found.n, "value": found.value, "low": found.low, "high": found.high}
    return {f"{prefix}{name}": _finite(value) for name, value in values.items()}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _exhibit(result: Result) -> dict[str, Any]:
    return {
        "name": f"{result.exhibit.study} {result.exhibit.name}",
        "findings": [
            {**each._asdict(), "quantity": quantity.strip(), "label": label}
            for quantity, row in result.findings()
            for label, each in row.items()
        ],
        "lacking": {label: why.message for label, why in result.missing.items()},
    }

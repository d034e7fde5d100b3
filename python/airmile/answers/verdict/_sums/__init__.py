"""The sums from which a verdict is computed.

The engine writes them into the manifest (`crates/dataset/src/verdict`). For flows chosen by a
condition, a folder of runs, and datasets of an older airmile, SQL computes them from the tables.
Both give the same sums to the last digit, because all addends are integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airmile.store import _sums_shape
from airmile.store._sums_limits import FLOWS, SCHEMA

if TYPE_CHECKING:
    from airmile.store import Tables

Sums = Mapping[str, Any]


def of(dataset: Tables) -> Sums:
    """Return the sums of a dataset; those over transfers are of the class that it judges."""
    return dataset.once(_of)


def _of(dataset: Tables) -> Sums:
    if dataset.whole is not None:
        sums = of(dataset.whole)
        return {**sums, **(sums["small_calls"] or {})}
    stored = None if dataset.is_chosen else in_manifest(dataset.manifest)
    return by_sql(dataset) if stored is None else stored


def in_manifest(manifest: Mapping[str, Any]) -> Sums | None:
    """Return the sums in the manifest; None if there are none, or of another shape."""
    verdict = manifest.get("verdict")
    if not isinstance(verdict, dict) or verdict.get("schema") != SCHEMA:
        return None
    sums = verdict.get("sums")
    return sums if isinstance(sums, dict) and _sums_shape.fits(sums) else None


def is_left_out(manifest: Mapping[str, Any]) -> bool:
    """Return whether the engine wrote a reason instead of sums, which took too much memory."""
    verdict = manifest.get("verdict")
    return isinstance(verdict, dict) and (
        verdict.get("schema") == SCHEMA
        and verdict.get("sums") is None
        and isinstance(verdict.get("reason"), str)
    )


def by_sql(dataset: Tables) -> Sums:
    """Compute the sums from the tables."""
    # Imported here because these modules need DuckDB.
    from airmile.answers.verdict._sums import _failed, _judged, _totals

    small = dataset.of_small_calls
    calls = _judged.calls(small)
    return {
        "totals": _totals.totals(dataset),
        "failed": _failed.failed(dataset),
        **_of_class(dataset),
        "small_calls": calls and {**calls, **_of_class(small)},
        "link_demand_ratio": _judged.link_demand(dataset),
    }


def _of_class(dataset: Tables) -> dict[str, Any]:
    """Compute the sums over the transfers of the class that a dataset judges."""
    from airmile.answers.verdict._sums import _flows, _judged, _rates

    heaviest, judged_flows = _flows.heaviest(dataset, FLOWS)
    return {
        "active_ns": _rates.active_ns(dataset),
        **_judged.judged_sums(dataset),
        "rates": _rates.rates(dataset),
        "judged_flows": judged_flows,
        "flows": heaviest,
    }


def flows(dataset: Tables, number: int | None) -> Sequence[Sums]:
    """Return the sums of the heaviest and slowest flows; None means all."""
    sums = of(dataset)
    known: Sequence[Sums] = sums["flows"]
    if len(known) == sums["judged_flows"] or (number is not None and number <= len(known)):
        return known[:number]
    from airmile.answers.verdict._sums import _flows

    return _flows.heaviest(dataset, number)[0]


def flow(dataset: Tables, uid: int) -> Sums | None:
    """Return the sums of one flow; None if it has no judged transfer."""
    from airmile.answers.verdict._sums import _flows

    return _flows.known(dataset, [uid]).get(uid)

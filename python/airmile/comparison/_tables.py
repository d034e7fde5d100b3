"""The groups and the results of a comparison as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from airmile.comparison.inference import means
from airmile.comparison.inference._arrays import Array

if TYPE_CHECKING:
    from airmile.comparison._groups import Group
    from airmile.comparison._results import Result

_GROUPS = pa.schema(
    [("metric", pa.string()), ("unit", pa.string()), ("group", pa.string()),
     ("samples", pa.string()), ("n", pa.int64()), ("series", pa.int64()), ("rows", pa.int64()),
     ("left_out", pa.int64()), *((name, pa.float64()) for name in
     ("mean", "sd", "low", "high", "t_low", "t_high", "minimum", "q1", "median", "q3", "maximum"))]
)  # fmt: skip

_RESULTS = pa.schema(
    [("metric", pa.string()), ("unit", pa.string()), ("a", pa.string()), ("b", pa.string()),
     ("n_a", pa.int64()), ("n_b", pa.int64()), ("pairs", pa.int64()), ("estimate", pa.string()),
     ("difference", pa.float64()), ("low", pa.float64()), ("high", pa.float64()),
     ("interval", pa.string()), ("p_value", pa.float64()), ("test", pa.string()),
     ("p_holm", pa.float64()), ("family", pa.int64()), ("shown", pa.bool_()),
     ("effect", pa.string()), ("effect_size", pa.float64()), ("effect_low", pa.float64()),
     ("effect_high", pa.float64()), ("autocorrelation", pa.float64()),
     ("effective_n", pa.float64()), ("blocks", pa.int64()), ("p_welch", pa.float64()),
     ("p_rank_sums", pa.float64()), ("needed_for", pa.float64()), ("needed_trials", pa.int64()),
     ("needed_source", pa.string()), ("sentence", pa.string()), ("notes", pa.string())]
)  # fmt: skip


def groups(groups: Mapping[str, Sequence[Group]], results: Sequence[Result]) -> pa.Table:
    """Return a row for each group and metric."""
    units = {each.difference.metric: each.difference.unit for each in results}
    rows = [
        _group(group, metric, units[metric]) for metric, every in groups.items() for group in every
    ]
    return pa.Table.from_pylist(rows, schema=_GROUPS)


def interval(values: Array) -> tuple[float, float]:
    """Return the 95 % interval of a mean: by bootstrap, or by Student's t for few values."""
    few = values.size < means.FEWEST_FOR_BOOTSTRAP
    low, high = means.student(values) if few else means.studentised(values)
    return float(low), float(high)


def _group(group: Group, metric: str, unit: str) -> dict[str, Any]:
    values = group.values
    least, q1, median, q3, most = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
    low, high = interval(values)
    t_low, t_high = means.student(values)
    return {
        "metric": metric, "unit": unit, "group": group.label, "samples": group.word,
        "n": group.n, "series": len(set(group.series)), "rows": group.rows,
        "left_out": sum(group.left_out.values()), "mean": float(values.mean()),
        "sd": float(means.deviation(values)), "low": low, "high": high, "t_low": float(t_low),
        "t_high": float(t_high), "minimum": least, "q1": q1, "median": median, "q3": q3,
        "maximum": most,
    }  # fmt: skip


def results(results: Sequence[Result]) -> pa.Table:
    """Return a row for each metric and pair of groups."""
    return pa.Table.from_pylist([_result(each) for each in results], schema=_RESULTS)


def _result(result: Result) -> dict[str, Any]:
    found, needs = result.difference, result.needed[:1]
    tests = {**found.others, found.test: found.p_value}
    return {
        "metric": found.metric, "unit": found.unit, "a": found.a.label, "b": found.b.label,
        "n_a": found.a.n, "n_b": found.b.n, "pairs": found.pairs, "estimate": found.estimate,
        "difference": found.value, "low": found.low, "high": found.high,
        "interval": found.interval, "p_value": found.p_value, "test": found.test,
        "p_holm": result.holm, "family": result.family, "shown": result.shown,
        "effect": found.effect.name, "effect_size": found.effect.value,
        "effect_low": found.effect.low, "effect_high": found.effect.high,
        "autocorrelation": found.correlation, "effective_n": found.effective_n,
        "blocks": found.blocks, "p_welch": tests.get("Welch"),
        "p_rank_sums": tests.get("rank sums"),
        "needed_for": needs[0].difference if needs else None,
        "needed_trials": needs[0].trials if needs else None,
        "needed_source": needs[0].source if needs else None,
        "sentence": result.sentence, "notes": "; ".join(found.notes),
    }  # fmt: skip

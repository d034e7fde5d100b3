"""Pictures of a comparison: distributions, boxes, and means of rate against delay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from airmile._words import printable
from airmile.comparison._groups import LABEL, Group
from airmile.comparison._middlebox import RATES
from airmile.comparison._tables import interval
from airmile.study import _boxes, _style
from airmile.study._cells import BIN_DB
from airmile.study._curves import POINT, STEPS, Picture
from airmile.study._exhibit import blank

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airmile.comparison._results import Result
    from airmile.comparison._rows import Rows

_SCALES = {"bps": ("Mbps", 1e6), "bytes": ("MB", 1e6), "ratio": ("%", 0.01)}
_DELAYS = ("_ms", "_s")


def figures(
    groups: Mapping[str, Sequence[Group]],
    results: Sequence[Result],
    sources: Sequence[Rows],
    by: str,
) -> Iterator[tuple[str, Figure]]:
    """Yield the pictures for which the data are enough, each with a name for its file."""
    units = {each.difference.metric: each.difference.unit for each in results}
    for metric, own in groups.items():
        yield f"cdf-{_in_name(metric)}", _distributions(own, metric, units[metric])
        for kind in ("sinr", "handovers"):
            rows = _rows(sources, by, metric, units[metric], kind)
            if rows.num_rows:
                title = _title(metric, units[metric])
                order = [printable(each.label) for each in own]
                yield f"{kind}-{_in_name(metric)}", _boxed(rows, title, kind, order)
    rate = next((name for name in units if name.endswith(RATES)), None)
    delay = next((name for name in units if name.endswith(_DELAYS)), None)
    if rate is not None and delay is not None:
        yield "rate-delay", _means(groups, (rate, units[rate]), (delay, units[delay]))


def _in_name(metric: str) -> str:
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in metric)


def _scaled(unit: str) -> tuple[str, float]:
    return _SCALES.get(unit, (unit, 1.0))


def _title(metric: str, unit: str) -> str:
    name, _ = _scaled(unit)
    return f"{printable(metric)} ({name})" if name else printable(metric)


def _distributions(groups: Sequence[Group], metric: str, unit: str) -> Figure:
    figure = blank()
    grid = np.linspace(0, 1, STEPS + 1)
    _, scale = _scaled(unit)
    tables = [
        pa.table({
            "curve": [printable(each.label)] * grid.size, "n": [each.n] * grid.size,
            "kind": [POINT] * grid.size, "share_ratio": grid,
            "value": np.quantile(each.values, grid, method="inverted_cdf") / scale,
        })
        for each in groups
    ]  # fmt: skip
    Picture(_title(metric, unit), log=False)(figure, pa.concat_tables(tables))
    figure.suptitle(f"Distribution of {printable(metric)}", **_HEADING)
    return figure


_HEADING: dict[str, Any] = {"x": 0.012, "ha": "left", "fontsize": 12, "fontweight": "bold"}


def _rows(sources: Sequence[Rows], by: str, metric: str, unit: str, kind: str) -> pa.Table:
    """Return a row per measurement with its bin of SINR or its number of handovers."""
    _, scale = _scaled(unit)
    found: dict[str, list[Any]] = {"control": [], "bin": [], "value": []}
    for source in sources:
        for group, value, place in zip(
            source.group, source.values[metric], getattr(source, kind), strict=True
        ):
            if value is None or place is None or not np.isfinite([value, place]).all():
                continue
            name = source.label if by == LABEL else str(group)
            found["control"].append(printable(name))
            found["bin"].append(
                int(np.floor(place / BIN_DB)) * BIN_DB if kind == "sinr" else int(place)
            )
            found["value"].append(value / scale)
    return pa.table(found)


def _boxed(rows: pa.Table, title: str, kind: str, order: Sequence[str]) -> Figure:
    """Draw a box for each bin and group."""
    figure = blank()
    axes = figure.subplots()
    bins = sorted(set(rows["bin"].to_pylist()))
    names = [f"{low} to {low + BIN_DB}" for low in bins] if kind == "sinr" else map(str, bins)
    _boxes.boxes(axes, rows, ("bin", "value"), (bins, list(names)), title, order)
    if min(rows["value"].to_pylist()) >= 0:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("mean SINR (dB)" if kind == "sinr" else "handovers")
    by = "SINR" if kind == "sinr" else "handovers"
    figure.suptitle(f"{title.partition(' (')[0]} by {by}", **_HEADING)
    return figure


def _means(
    groups: Mapping[str, Sequence[Group]], rate: tuple[str, str], delay: tuple[str, str]
) -> Figure:
    """Draw a point for each group: the means of rate and delay, with their intervals."""
    figure = blank()
    axes = figure.subplots()
    delays = {each.label: each for each in groups[delay[0]]}
    for place, group in enumerate(groups[rate[0]]):
        y, below, above = _bars(group, rate[1])
        x, left, right = _bars(delays[group.label], delay[1])
        colour, mark = _style.series(place)
        axes.errorbar(
            x, y, xerr=[[left], [right]], yerr=[[below], [above]], color=colour, marker=mark,
            capsize=4, linestyle="none", label=f"{printable(group.label)} (n = {group.n})",
        )  # fmt: skip
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    _style.plain(axes, f"mean {_title(*delay)}", f"mean {_title(*rate)}")
    _style.legend(axes)
    figure.suptitle("Means with their 95 % intervals", **_HEADING)
    return figure


def _bars(group: Group, unit: str) -> tuple[float, float, float]:
    """Return a mean, and how far its interval reaches below it and above it."""
    _, scale = _scaled(unit)
    middle = float(group.values.mean())
    low, high = interval(group.values)
    return middle / scale, (middle - low) / scale, (high - middle) / scale

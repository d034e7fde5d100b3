"""Ours: completion times of real short flows beside the model's, by size and by effect.

The paper infers completion times from formula 1 and measures those of one size. The testbed
measures the others, and switches off what the formula leaves out (methods I1).
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._words import NBSP, percent, size
from airmile.study import _style
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._source import Source
from airmile.study.eff14._model_flows import RULES, Rows, flows
from airmile.study.eff14._runs import runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MEDIANS = ("rtt_ms", "link_bps", "measured_s", *(f"{rule}_s" for rule in RULES))
_MEANS = ("harq_retransmissions", "grant_wait_ms", "left_slow_start", "lost_packets")

_SCHEMA = pa.schema(
    {
        **{"arm": pa.string(), "requested_bytes": pa.int64(), "flows": pa.int64()},
        **{"seeds": pa.int64()},
        **dict.fromkeys(_MEDIANS, pa.float64()),
        **{f"{rule}_error_ratio": pa.float64() for rule in RULES},
        **{f"{rule}_absolute_error_ratio": pa.float64() for rule in RULES},
        "effect_ratio": pa.float64(),
        **dict.fromkeys(_MEANS, pa.float64()),
    }
)

Groups = Mapping[tuple[str, int], Rows]


def table(given: Source) -> pa.Table:
    """Return one row per arm and size; an arm is what the names of runs have before their seed.

    Times and errors are medians of the flows; `effect_ratio` is the median, over seeds, of how far
    the arm's error by `exact` lies above that of the arm without its suffix: what the effects that
    it switches off cost. Counts of effects are means.
    """
    groups: dict[tuple[str, int], Rows] = {}
    for each in flows(runs(given)):
        groups.setdefault((_arm(each), each["requested_bytes"]), []).append(each)
    rows = [_row(key, own, groups) for key, own in sorted(groups.items(), key=lambda of: of[0])]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _arm(row: Mapping[str, Any]) -> str:
    return str(row["run"]).removesuffix(f"-{row['seed']}")


def _base(arm: str) -> str:
    """Return the arm with every effect, of which this one lacks some."""
    return arm.partition("-")[0]


def _row(key: tuple[str, int], own: Rows, groups: Groups) -> dict[str, Any]:
    arm, requested = key
    errors = {rule: [each[f"{rule}_error"] for each in own] for rule in RULES}
    return {
        **{"arm": arm, "requested_bytes": requested, "flows": len(own)},
        "seeds": len({each["seed"] for each in own}),
        **{name: median(each[name] for each in own) for name in _MEDIANS},
        **{f"{rule}_error_ratio": median(errors[rule]) for rule in RULES},
        **{f"{rule}_absolute_error_ratio": median(map(abs, errors[rule])) for rule in RULES},
        "effect_ratio": _effect(own, groups.get((_base(arm), requested), [])),
        **{name: fmean(float(each[name]) for each in own) for name in _MEANS},
    }


def _effect(own: Rows, base: Rows) -> float | None:
    """Return the median difference of errors from the base, over the seeds that both have."""
    without, within = _by_seed(own), _by_seed(base)
    shared = [seed for seed in without if seed in within]
    if own is base or not shared:
        return None
    return median(without[seed] - within[seed] for seed in shared)


def _by_seed(rows: Rows) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for each in rows:
        found.setdefault(each["seed"], []).append(each["exact_error"])
    return {seed: fmean(errors) for seed, errors in found.items()}


def findings(rows: pa.Table) -> list[Finding]:
    """Return the errors of each arm and size; the paper prints none."""
    return [_finding(row) for row in rows.to_pylist()]


def _finding(row: Mapping[str, Any]) -> Finding:
    said = [
        f"{rule} {_points(row[f'{rule}_error_ratio'])} "
        f"({_percent(row[f'{rule}_absolute_error_ratio'])} either way)"
        for rule in RULES
    ]
    if row["effect_ratio"] is None:
        said.append(_truth(row))
    else:
        said.append(f"what it lacks costs {_points(row['effect_ratio'])}")
    return Finding(
        f"{row['arm']}, {size(row['requested_bytes'])}", "; ".join(said), "", row["flows"]
    )


def _truth(row: Mapping[str, Any]) -> str:
    """Say what the link and the sender did during a flow, on average."""
    return (
        f"truth: {row['harq_retransmissions']:.1f} HARQ retransmissions, "
        f"{row['grant_wait_ms']:.0f}{NBSP}ms of waits for grants, {row['lost_packets']:.1f} lost "
        f"packets, {percent(row['left_slow_start'])} left slow start"
    )


def _points(ratio: float) -> str:
    r"""Write a share of the measured time with its sign.

    >>> _points(-0.0214)
    '-2.1\xa0%'
    """
    return f"{100 * ratio:+.1f}{NBSP}%"


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f}{NBSP}%"


def picture(figure: Figure, rows: pa.Table) -> None:
    """Draw the error by size: of both ways of counting, and of `exact` without each effect."""
    arms: dict[str, Rows] = {}
    for row in rows.to_pylist():
        arms.setdefault(row["arm"], []).append(row)
    whole = [arm for arm in arms if _base(arm) == arm or _base(arm) not in arms]
    lacking = {arm: own for arm, own in arms.items() if arm not in whole}
    panels = _panels(figure, 2 if lacking else 1)
    for place, (arm, rule) in enumerate((arm, rule) for arm in whole for rule in RULES):
        _line(panels[0], arms[arm], rule, place, f"{arm}, {rule}")
    if lacking:
        bases = dict.fromkeys(map(_base, lacking))
        for place, arm in enumerate((*bases, *lacking)):
            _line(panels[1], arms[arm], "exact", place, f"{arm}, exact")
    for axes in panels:
        _style.log_x(axes)
        axes.axhline(0, color=_style.GREY, linewidth=0.8)
        _style.plain(axes, "size (bytes)", "error (% of measured)")
        _style.legend(axes)


def _panels(figure: Figure, number: int) -> list[Axes]:
    """Return panels below each other: the legends take the whole width."""
    figure.set_figheight(figure.get_figheight() * (2 + number) / 3)
    return list(figure.subplots(number, 1, sharex=True, sharey=True, squeeze=False)[:, 0])


def _line(axes: Axes, rows: Rows, rule: str, place: int, name: str) -> None:
    colour, mark = _style.series(place)
    axes.plot(
        [row["requested_bytes"] for row in rows],
        [100 * row[f"{rule}_error_ratio"] for row in rows],
        _style.DASHES[place % len(_style.DASHES)],
        color=colour, marker=mark, markersize=4, linewidth=1.4, label=name,
    )  # fmt: skip


model = Exhibit(
    "eff14", "model", "section V", "Real short flows beside the model",
    table, findings, picture,
    caption=(
        "Median of the predicted less the measured completion time of real downloads, as a share "
        "of the measured one, by size: below 0 the flow took longer than predicted. Predictions "
        "take the round trip of the flow's own handshake, its initial window and the rate of the "
        "link, and count the rounds in which the sender waits in both ways (methods I1). "
        "\u201cEither way\u201d is the median size of the error, whatever its sign. An arm is what "
        "the names of runs have before their seed. Where an arm lacks effects of another one "
        "(link-no-harq the retransmissions of link), what they cost is the median difference of "
        "the errors by exact on the same seeds."
    ),
    apart=None,
)  # fmt: skip

"""Mechanisms by name: what made a cause, where packets show it (methods T10).

Each mechanism is a module of this package and a line of `NAMES`: a rule over the rows of a dataset,
which gives what was found, what shows it, and what to do. The causes stay what they are; a finding
says more about one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.store._needs import Missing

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

__all__ = ["NAMES", "Finding", "Mechanism", "found", "mechanism", "of_verdict", "table"]

NAMES = (
    "path_mtu_black_hole",
    "window_without_scale",
    "window_above_tcp",
    "nagle_and_delayed_ack",
    "lost_syn",
    "connection_forgotten",
    "silent_receiver",
    "policer",
    "needless_retransmission",
    "reset_by_middlebox",
    "happy_eyeballs",
    "bufferbloat",
    "congestion_marks",
    "recorded_twice",
)
"""The mechanisms, the one that explains most first."""


def mechanism(name: str) -> Mechanism:
    """Return the declaration of a mechanism.

    >>> from airmile import mechanisms
    >>> mechanisms.mechanism("lost_syn").words
    'lost SYN'
    """
    declared: Mechanism = import_module(f"airmile.mechanisms.{name}").DECLARATION
    return declared


def found(dataset: Tables) -> dict[str, list[Finding]]:
    """Return the findings of each mechanism that was found, in the order of `NAMES`.

    Parameters
    ----------
    dataset : Tables
        A dataset; a mechanism whose tables it lacks is not looked for.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile import mechanisms
    >>> mechanisms.found(am.open("run.airmile"))  # doctest: +SKIP
    """
    return _found(dataset, NAMES)


def of_verdict(dataset: Tables, sums: Mapping[str, Any]) -> dict[str, list[Finding]]:
    """Return the same, but query only for what the sums of the verdict leave possible.

    A report of a capture without mechanisms needs no query. Flows that are none of the heaviest and
    slowest may have findings that only `found` returns.
    """
    return _found(dataset, [name for name in NAMES if mechanism(name).may_be(sums)])


def _found(dataset: Tables, names: Iterable[str]) -> dict[str, list[Finding]]:
    every: dict[str, list[Finding]] = defaultdict(list)
    for name in names:
        try:
            every[name].extend(mechanism(name).find(dataset))
        except Missing:
            continue
    return {name: findings for name, findings in every.items() if findings}


def table(dataset: Tables) -> pa.Table:
    """Return the findings of a dataset, a row each (methods T10).

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.

    Returns
    -------
    pyarrow.Table
        ``run``, ``uid``, ``transfer_id``, ``direction``, ``mechanism``, ``certainty``,
        ``start_ns``, ``end_ns``, ``first_frame``, ``last_frame``, ``evidence``, ``advice``;
        `airmile schema findings`
        describes them.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile import mechanisms
    >>> mechanisms.table(am.open("run.airmile"))  # doctest: +SKIP
    """
    import pyarrow as pa

    from airmile.store._derived_tables import FINDINGS

    rows = list(_rows(found(dataset).items()))
    return pa.table(
        {
            column.name: pa.array([row[column.name] for row in rows], column.type)
            for column in FINDINGS
        }
    )


def _rows(every: Iterable[tuple[str, list[Finding]]]) -> Iterator[dict[str, Any]]:
    for name, findings in every:
        for finding in findings:
            words = {
                each: getattr(finding, each).replace(NBSP, " ") for each in ("evidence", "advice")
            }
            yield {"mechanism": name, **vars(finding), **words}

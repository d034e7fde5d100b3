"""The numbers in BT19's text: choice of thresholds, link demand, and false empty queues."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from airmile.study import _numbers
from airmile.study._exhibit import Exhibit
from airmile.study._numbers import Number, Sql, level_word, share
from airmile.study._radio import BEGIN_SHARE, END_SHARE, ESTIMATORS, scheduled
from airmile.study._transfers import FILE, SEGMENTS, SPOKEN, applications, at_phone
from airmile.study.bt19 import _no_underflow

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

BEGIN_SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, BEGIN_SHARE, 0.95, 0.99)
END_SHARES = (0.1, 0.2, 0.3, END_SHARE, 0.5, 0.6, 0.7)
"""Thresholds around the paper's: a good pair leaves similar shares beyond it and few between."""

LOW_BPS, HIGH_BPS = 2e6, 12e6
"""The range of link throughput for which the text describes figure 6, in bit/s."""


def table(dataset: Tables) -> pa.Table:
    """Return a row per number: section, quantity, value, unit, n, published, definition, reason."""
    return _numbers.table(at_phone(dataset), wanted())


def wanted() -> Iterator[Number]:
    """Yield the numbers in the order of the paper."""
    for threshold in BEGIN_SHARES:
        published = "35 %" if threshold == BEGIN_SHARE else ""
        yield _of_ms(f"ACTIVE ms above {level_word(threshold)} of the PRBs", published,
                     f"share > {threshold}")  # fmt: skip
    for threshold in END_SHARES:
        published = "40 %" if threshold == END_SHARE else ""
        yield _of_ms(f"ACTIVE ms below {level_word(threshold)} of the PRBs", published,
                     f"share < {threshold}")  # fmt: skip
    yield from _link_demand()
    yield from _no_underflow.numbers()


def _of_ms(quantity: str, published: str, condition: str) -> Number:
    def sql(dataset: Tables) -> str:
        return share(condition, scheduled(dataset), "share IS NOT NULL")

    return Number("3.2.2", quantity, "share", published, "G2", sql)


def _link_demand() -> Iterator[Number]:
    for estimator, (kind, spoken, published) in product(ESTIMATORS, (
        (FILE, "files", "95 %"), (SEGMENTS, "videos", "50 to 75 %"),
    )):  # fmt: skip
        of = f"application = '{kind}' AND link_throughput_bps BETWEEN {LOW_BPS} AND {HIGH_BPS}"
        mean = f"SELECT avg(link_demand_ratio), count(*) FROM {{}} WHERE {of}"
        yield Number("4.2.1", f"link demand of {spoken}, 2 to 12 Mbps, mean, {SPOKEN[estimator]}",
                     "share", published, "G3", _of_applications(mean, estimator))  # fmt: skip
    gap = f"""SELECT avg(link_demand_ratio) FILTER (application = '{FILE}')
        - avg(link_demand_ratio) FILTER (application = '{SEGMENTS}'), count(*) FROM {{}}"""
    for estimator in ESTIMATORS:
        quantity = f"link demand of files less that of videos, {SPOKEN[estimator]}"
        yield Number("4.2.1", quantity, "share", "25 to 30 %", "G3",
                     _of_applications(gap, estimator))  # fmt: skip


def _of_applications(query: str, estimator: str) -> Sql:
    return lambda dataset: query.format(applications(dataset, estimator))


numbers = Exhibit(
    "bt19", "numbers", "sections 3.2.2 and 4.2", "The numbers of the text", table,
    _numbers.findings,
    caption=(
        "The numbers of the text in the order of the paper, beside those of this data. They "
        "show how well the thresholds of the burst rule separate, and what link demand files "
        "and videos have (methods G2, G3)."
    ),
)  # fmt: skip

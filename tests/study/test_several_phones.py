"""A capture of several phones gives what those of the single phones give together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import airmile as am
from airmile.study import EXHIBITS, Exhibit, Missing, eff14, hwy18
from airmile.study._curves import Points, names
from tests.study.phones import Captures
from tests.support.made import at, dataset, flow, transfer
from tests.support.share import sample

ADDED = {
    "fig6": ("flows", "seconds"), "fig5": ("flows", "slots"), "fig10": ("in_flight_kb", "n"),
}  # fmt: skip
"""Exhibits with a row per bin, of which a column adds up over phones."""

RANKED = ("top 5 %", "video or audio, of their bytes", "largest 20 %")
"""Numbers of the largest flows or sessions, which are others where there are more of them."""


NUMBERED = ("uid", "transfer_id", "session_id")


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Captures:
    return Captures(tmp_path_factory.mktemp("phones"))


def tables(exhibit: Exhibit, captures: Captures) -> tuple[pa.Table | None, list[pa.Table]]:
    """Return the table of all phones, and those of the single phones that have one."""
    every = [_table(exhibit, each) for each in (captures.together, *captures.single)]
    return every[0], [each for each in every[1:] if each is not None]


def _table(exhibit: Exhibit, d: am.Dataset) -> pa.Table | None:
    try:
        return exhibit.table(d)
    except Missing:
        return None


@pytest.mark.parametrize(
    ("study", "name"),
    sample(
        ((study, name) for study in EXHIBITS if study != "eff14" for name in EXHIBITS[study]),
        few=20,
        what="exhibits of several phones",
    ),
)
def test_the_rows_of_an_exhibit_are_those_of_the_single_phones(
    captures: Captures, study: str, name: str
) -> None:
    together, single = tables(EXHIBITS[study][name], captures)
    if together is None:
        assert not single
    elif "curve" in together.column_names:
        assert dict(curves([together])) == dict(curves(single))
    elif name == "numbers":
        assert counts([together]) == counts(single)
    elif name in ADDED and set(ADDED[name]) <= set(together.column_names):
        assert bins([together], *ADDED[name]) == pytest.approx(bins(single, *ADDED[name]))
    elif "trials" in together.column_names:
        assert sum(together["trials"].to_pylist()) == sum(
            sum(each["trials"].to_pylist()) for each in single
        )
    else:
        assert rows([together]) <= rows(single)


def curves(of: list[pa.Table]) -> Iterator[tuple[str, tuple[int, float, float]]]:
    """Yield each distribution with its number of values, the least and the greatest."""
    for name in dict.fromkeys(each for table in of for each in names(table)):
        own = [Points(table, name) for table in of if name in names(table)]
        ends = min(each.quantile(0) for each in own), max(each.quantile(1) for each in own)
        yield name, (sum(each.n for each in own), *ends)


def counts(of: list[pa.Table]) -> Mapping[str, int]:
    """Return how many values are behind each number."""
    found: Counter[str] = Counter()
    for table in of:
        for row in table.to_pylist():
            if not any(each in row["quantity"] for each in RANKED):
                found[row["quantity"]] += row["n"] or 0
    return found


def bins(of: list[pa.Table], key: str, value: str) -> dict[Any, float]:
    found: Counter[Any] = Counter()
    for table in of:
        for row in table.to_pylist():
            found[row[key]] += row[value]
    return dict(found)


def rows(of: list[pa.Table]) -> Counter[str]:
    """Return the rows of tables as texts, without the numbers that an analysis gives its rows."""
    return Counter(
        repr([_plain(value) for column, value in row.items() if column not in NUMBERED])
        for table in of
        for row in table.to_pylist()
    )


def _plain(value: Any) -> Any:
    return f"{value:.9g}" if isinstance(value, float) and math.isfinite(value) else value


@pytest.mark.parametrize("group", ["rates_bps", "rtts_s", "loaded_rtts_s"])
def test_the_samples_of_the_model_are_those_of_the_single_phones(
    captures: Captures, group: str
) -> None:
    def size(d: am.Dataset) -> int:
        (inputs,) = eff14.read(d)
        return int(getattr(inputs, group).size)

    assert size(captures.together) == sum(map(size, captures.single))


def test_the_flows_beside_a_short_one_are_those_of_its_phone(tmp_path: Path) -> None:
    """EFF14 figure 4 counted the flows of every phone in the capture as beside."""

    def download(uid: int, ue: str, begin_ms: float, end_ms: float, size: int) -> dict[str, Any]:
        return flow(
            uid, ue=ue, start_ns=at(begin_ms), end_ns=at(end_ms), dl_unique_bytes=size,
            dl_first_payload_ns=at(begin_ms + 50), dl_last_payload_ns=at(end_ms),
        )  # fmt: skip

    short, long = 320 * 1024, 50_000_000
    flows = [
        download(1, "10.0.0.1", 1000, 2000, short), download(2, "10.0.0.1", 0, 9000, long),
        download(3, "10.0.0.2", 1000, 2000, short), download(4, "10.0.0.3", 0, 9000, long),
    ]  # fmt: skip
    found = eff14.fig4.table(dataset(tmp_path / "d", flows=flows)).to_pylist()
    assert [(row["background_flows"], row["flows"]) for row in found] == [(0, 1), (1, 1)]


def test_a_modem_log_is_that_of_the_phone_with_which_it_was_joined(tmp_path: Path) -> None:
    """HWY18: the SINR of one phone is not that of the downloads of others (methods G9)."""
    flows = [flow(uid, ue=f"10.0.0.{uid}") for uid in (1, 2, 3)]
    measured = [
        {"user": user, "cell": 1, "earfcn": 2000, "carrier": 0, "serving": True,
         "time_ns": at(500), "sinr_db": sinr_db}
        for user, sinr_db in ((0, 5.0), (1, 25.0))
    ]  # fmt: skip
    tables: dict[str, Any] = {"flows": flows, "cells": measured, "handovers": [],
              "transfers": [transfer(uid, uid, 0, 2000) for uid in (1, 2, 3)]}  # fmt: skip
    joined = [{"user": user, "ue": ue, "aligned": {"offset_ms": 0.0}}
              for user, ue in ((0, "10.0.0.2"), (1, "10.0.0.1"))]  # fmt: skip
    d = dataset(tmp_path / "d", **tables)
    d.manifest["radio"] = joined
    found = {row["transfer_id"]: row["sinr_db"] for row in hwy18.fig3.table(d).to_pylist()}
    assert found == {1: 25.0, 2: 5.0}
    with pytest.raises(Missing):
        hwy18.fig3.table(dataset(tmp_path / "unjoined", **tables))

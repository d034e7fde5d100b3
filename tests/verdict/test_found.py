"""The sentences of mechanisms that were found in several connections."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airmile import mechanisms
from airmile.dataset import Dataset
from airmile.mechanisms import Finding
from airmile.render.findings import findings
from tests.support.handmade import flow, slice_, transfer, write


def test_what_one_of_several_connections_shows_is_not_called_that_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Finding(
        *("", 1, 1, "downlink", "likely", 0, 9, 215, 313),
        evidence="the sender may have held its data, 20.8 s in all",
        advice="set TCP_NODELAY",
    )
    known = {"lost_syn": [one, replace(one, uid=2, end_ns=4)]}
    monkeypatch.setattr(mechanisms, "of_verdict", lambda dataset, sums: known)
    tables = {
        "flows": [flow(1)],
        "transfers": [transfer(1, 1, 0, 1)],
        "slices": [slice_(1, 1, 0, 1, "slow_start")],
    }
    verdict = Dataset(write(tmp_path / "hand.airmile", tables)).verdict
    (said,) = (text.replace("\u00a0", " ") for text in findings(verdict))
    assert said.startswith("likely lost SYN (2 connections; one of them): the sender may have")

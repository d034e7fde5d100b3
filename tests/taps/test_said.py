"""What is read of an analysis: with and without the columns of the certainty."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from airmile.dataset import Dataset
from tests.support.made_up import dataset, flow
from tests.taps.said import Claim, Said, _read


def read(more: dict[str, Any], headline: dict[str, Any], **ports: int) -> Said:
    row = {"uid": 1, "transfer_id": 1, "direction": "downlink", "start_ns": 0, "end_ns": 9}
    rows = [{**row, "cause": "slow_start", **more}, {**row, "transfer_id": None, "cause": "idle"}]
    flows = [flow(limited_by="slow_start", **headline, **ports)]
    made = dataset(slices=rows, flows=flows)
    return _read(cast(Dataset, SimpleNamespace(sql=made.arrow)), "downlink", {5000})


def test_without_the_columns_all_that_is_named_is_sure() -> None:
    said = read({}, {})
    assert said.slices[5000][0] == ((0, 9), Claim("slow_start", "sure"))
    assert said.headlines == {5000: Claim("slow_start", "sure")}


def test_the_columns_say_how_sure_it_is_and_what_else_it_may_be() -> None:
    more = {"certainty": "likely", "second": "sender_app, lte_downlink"}
    said = read(more, {"certainty": "open", "second": "sender_app"})
    claim = Claim("slow_start", "likely", ("sender_app", "lte_downlink"))
    assert said.slices[5000][0] == ((0, 9), claim)
    assert said.headlines[5000].is_open and said.headlines[5000].named == (
        *("slow_start", "sender_app"),
    )


def test_the_phone_is_found_at_either_end() -> None:
    assert read({}, {}, ue_port=80, server_port=5000).headlines.keys() == {5000}

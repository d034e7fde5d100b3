"""A window above TCP is found where short records let the sender go on (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.mechanisms.window_above_tcp import RELEASED, may_be
from tests.mechanisms.test_rules import found, slices

SILENT = "an ACK freed the window and nothing came"


def stops(*lengths_ms: int, **values: Any) -> list[dict[str, Any]]:
    given = {"cause": "sender_app", "reason": RELEASED, "direction": "uplink"}
    return slices(*lengths_ms, **{**given, "flight_known_bytes": 65_577, **values})


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        pytest.param(stops(100, 100, 100), "300 ms in 3 spans", id="three spans"),
        pytest.param(stops(1000), ": 1.0 s", id="one second without a gap"),
        pytest.param(stops(40, 20, 30, 60), "in 4 spans", id="short ones"),
        pytest.param(
            stops(100, 100, 100, flight_known_bytes=65_577),
            "at most 65.6 KB in flight",
            id="flight",
        ),
        pytest.param(
            stops(100, 100, 100, direction="downlink"), "the server stopped", id="download"
        ),
        pytest.param(
            [*stops(100, 100, 100), *slices(100, reason=SILENT, direction="uplink")],
            "in 3 spans",
            id="among other silences",
        ),
    ],
)
def test_stops_until_a_short_record_are_a_window_above_tcp(
    rows: list[dict[str, Any]], words: str, tmp_path: Path
) -> None:
    [finding] = found(tmp_path, slices=rows)["window_above_tcp"]
    assert finding.certainty == "likely"
    assert words in finding.evidence.replace("\N{NO-BREAK SPACE}", " ")
    receiver = "phone" if finding.direction == "downlink" else "server"
    assert f"at the {receiver}" in finding.advice


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(stops(100), id="once"),
        pytest.param(stops(100, 100, 1000, flight_known_bytes=1448), id="small answers"),
        pytest.param(stops(100, 100, 1000, flight_known_bytes=None), id="nothing in flight"),
        pytest.param(stops(100, 300), id="twice"),
        pytest.param(stops(100, 100, 100, reason=SILENT), id="no record came"),
        pytest.param(
            stops(100, 100, 100, reason="the sender has filled the receiver's window"),
            id="the window of TCP",
        ),
        pytest.param(
            stops(
                *(100, 100, 100),
                reason="the sender may have held its next data until the ACK of what it had sent "
                "(Nagle's algorithm)",
            ),
            id="Nagle's algorithm",
        ),
        pytest.param(
            [*stops(100, 100), *stops(100, direction="downlink")], id="twice and once, other ways"
        ),
    ],
)
def test_what_looks_like_a_window_above_tcp_is_none(
    rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    assert "window_above_tcp" not in found(tmp_path, slices=rows)


@pytest.mark.parametrize(
    ("reasons", "looked_for"),
    [({"sender_app": RELEASED}, True), ({"sender_app": SILENT}, False), ({}, False)],
)
def test_a_report_looks_for_it_where_it_is_a_flows_main_reason(
    reasons: dict[str, str], looked_for: bool
) -> None:
    assert may_be({"flows": [{"reasons": reasons}]}) is looked_for

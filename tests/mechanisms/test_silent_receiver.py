"""A receiver that falls silent in a transfer is found, and others are not (methods T10)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mechanisms.test_rules import MS, SCALED, START, found

SENT_AGAIN = {
    **{"uid": 7, "direction": "downlink", "start_ns": START + 1_200 * MS},
    **{"end_ns": START + 80_000 * MS, "closed": False, "timeouts_seen": 7},
}
FLOW = {
    **{**SCALED, "vantage": "ue", "ul_last_ns": START + 1_000 * MS, "dl_rst": 0, "ul_rst": 0},
    **{"dl_last_payload_ns": START + 66_000 * MS, "dl_last_ns": START + 66_000 * MS},
    **{"ul_last_payload_ns": START},
}
UPLOAD = {
    **{"dl_last_ns": START + 1_000 * MS, "ul_last_payload_ns": START + 66_000 * MS},
    "ul_last_ns": START + 66_000 * MS,
}


@pytest.mark.parametrize(
    ("flow", "episode", "certainty", "words"),
    [
        pytest.param({}, {}, "likely", "next to the phone", id="at the phone"),
        pytest.param({"vantage": "monitor"}, {}, "open", "would look the same", id="at a monitor"),
        pytest.param({"vantage": None}, {}, "open", "would look the same", id="place unknown"),
        pytest.param({"dl_rst": 1}, {}, "likely", "reset the connection", id="given up"),
        pytest.param({}, {"timeouts_seen": 3}, "likely", "3 timeouts", id="three copies"),
        pytest.param(
            {**UPLOAD, "vantage": "server"},
            {"direction": "uplink"},
            "likely",
            "next to the server",
            id="an upload, at the server",
        ),
        pytest.param(
            {**UPLOAD}, {"direction": "uplink"}, "open", "from the server", id="at the sender"
        ),
    ],
)
def test_a_receiver_that_says_nothing_more_fell_silent(
    flow: dict[str, Any], episode: dict[str, Any], certainty: str, words: str, tmp_path: Path
) -> None:
    every = found(tmp_path, flows=[{**FLOW, **flow}], loss_episodes=[{**SENT_AGAIN, **episode}])
    [finding] = every["silent_receiver"]
    assert finding.certainty == certainty
    assert words in finding.evidence.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("flow", "episode"),
    [
        pytest.param({}, {"closed": True}, id="an outage that ended"),
        pytest.param({}, {"timeouts_seen": 2}, id="two copies"),
        pytest.param({}, {"timeouts_seen": 0}, id="no copy"),
        pytest.param({"ul_last_ns": START + 65_000 * MS}, {}, id="a black hole: ACKs go on"),
        pytest.param(
            {"ul_last_ns": START - 60_000 * MS}, {}, id="forgotten while it rested: another rule"
        ),
        pytest.param({}, {"size_acked": False}, id="a black hole: no such size ever arrived"),
        pytest.param({"ul_last_ns": None}, {}, id="one direction was not captured"),
        pytest.param({}, {"direction": "uplink"}, id="the other way"),
    ],
)
def test_what_looks_like_a_silent_receiver_is_none(
    flow: dict[str, Any], episode: dict[str, Any], tmp_path: Path
) -> None:
    every = found(tmp_path, flows=[{**FLOW, **flow}], loss_episodes=[{**SENT_AGAIN, **episode}])
    assert "silent_receiver" not in every

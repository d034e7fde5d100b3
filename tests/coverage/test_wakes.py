"""What waking up costs, and which sessions share a radio (methods F3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.answers import radio_on
from airmile.render import energy
from airmile.store._needs import Missing
from tests.support.made import campaign, dataset

SECOND = 10**9
ON_S = 14.0
"""The radio-on time of `session` with a tail of 4 s, if waking takes no time: 3 s and 3 s of
packets, and two tails."""


def session(number: int = 1, start_s: float = 100, **more: Any) -> dict[str, Any]:
    """Return a session of 24 s, in which 18 s were silent."""
    start_ns = round(start_s * SECOND)
    return {
        "session_id": number, "ue": "10.0.0.1", "start_ns": start_ns,
        "end_ns": start_ns + 24 * SECOND, "ul_bytes": 0, "dl_bytes": 0, "radio_on_s": 26.0,
        "promotions": 2, "energy_j": 30.0, **more,
    }  # fmt: skip


def silence(number: int = 1, end_s: float = 121, by: str = "uplink") -> dict[str, Any]:
    return {
        "session_id": number, "silence_s": 18.0, "end_ns": round(end_s * SECOND), "ended_by": by,
    }  # fmt: skip


def flow(start_s: float, delay_ms: float, number: int = 1, **more: Any) -> dict[str, Any]:
    """Return a flow that showed how long the radio took to wake up."""
    return {
        "session_id": number, "protocol": "tcp", "start_ns": round(start_s * SECOND),
        "ue_idle_before_s": 18.0, "promotion_delay_ms": delay_ms,
        "promotion_uncertainty_ms": 20.0, "promotion_doubtful": delay_ms < 50,
        "promotion_source": "handshake", "dl_payload_bytes": 0, "bandwidth_bps": None, **more,
    }  # fmt: skip


def made(
    path: Path, flows: list[dict[str, Any]], sessions: list[dict[str, Any]],
    silences: list[dict[str, Any]],
) -> am.Dataset:  # fmt: skip
    return dataset(path / "d", flows=flows, sessions=sessions, silences=silences)


def on(path: Path, *flows: dict[str, Any], by: str = "uplink") -> tuple[float, float]:
    one = made(path, list(flows), [session()], [silence(by=by)])
    (row,) = radio_on.table(one, 4.0).to_pylist()
    assert (row["promotions_low"], row["promotions_high"]) == (2, 1)
    off_s = row["radio_on_high_s"] - row["radio_on_low_s"]
    assert row["energy_high_j"] - row["energy_low_j"] == pytest.approx(1.06 * off_s)
    return row["radio_on_low_s"], row["radio_on_high_s"]


def test_without_a_measured_promotion_waking_takes_no_time(tmp_path: Path) -> None:
    assert on(tmp_path) == pytest.approx((ON_S, ON_S))


def test_while_the_radio_wakes_up_it_is_not_on(tmp_path: Path) -> None:
    """The first packet of the session may have woken the radio too, or another one before it."""
    found = on(tmp_path, flow(121.001, 300))
    assert found == pytest.approx((ON_S - 0.3 - 0.3, ON_S - 0.3))


def test_an_unmeasured_waking_takes_as_long_as_the_measured_ones(tmp_path: Path) -> None:
    others = flow(5000, 250), flow(6000, 450), flow(7000, 20)
    found = on(tmp_path, *others)
    assert found == pytest.approx((ON_S - 2 * 0.45, ON_S - 0.25))


def test_a_packet_that_passes_after_its_promotion_takes_none_of_the_time(tmp_path: Path) -> None:
    assert on(tmp_path / "a", flow(5000, 300), by="downlink")[1] == pytest.approx(ON_S)
    seen_later = flow(121, 300, promotion_source="tsval")
    assert on(tmp_path / "b", seen_later) == pytest.approx((ON_S, ON_S))


@pytest.mark.parametrize(("pause_s", "on_s", "promotions"), [(3, 27, (3, 2)), (5, 28, (4, 2))])
def test_a_tail_that_reaches_into_the_next_capture_counts_once(
    pause_s: float, on_s: float, promotions: tuple[int, int], tmp_path: Path
) -> None:
    start_s = 124 + pause_s
    sessions = [session(), session(2, start_s)]
    silences = [silence(), silence(2, start_s + 21)]
    sums = radio_on.sums(found := made(tmp_path, [], sessions, silences), radio_on.given(found, 4))
    assert sums.radio_on_s == pytest.approx((on_s, on_s))
    assert sums.promotions == promotions


def test_other_phones_keep_their_tails(tmp_path: Path) -> None:
    sessions = [session(), session(2, 127, ue="10.0.0.2")]
    found = made(tmp_path, [], sessions, [silence(), silence(2, 148)])
    assert radio_on.sums(found, radio_on.given(found, 4)).promotions == (4, 2)


def test_a_wireless_lan_shows_no_tail(tmp_path: Path) -> None:
    lan = session(2, radio_on_s=None, promotions=None, energy_j=None)
    awake = flow(150, 1, 2)
    with pytest.raises(Missing, match="no flow shows"):
        radio_on.tail(made(tmp_path / "a", [awake], [session(), lan], []))
    both = [awake, flow(121, 300)]
    tail = radio_on.tail(made(tmp_path / "b", both, [session(), lan], []))
    assert (tail.high_s, tail.awake, tail.woken) == (18.0, 0, 1)


@pytest.mark.parametrize(("covered_s", "surely"), [(0, 1), (3, 1), (5, 2)])
def test_a_covered_silence_before_the_first_packet_shows_that_it_woke_the_radio(
    covered_s: float, surely: int, tmp_path: Path
) -> None:
    capture = {"capture": 0, "start_ns": round((100 - covered_s) * SECOND)}
    found = dataset(
        tmp_path / "d", flows=[], sessions=[session(capture=0)], silences=[silence()],
        coverage=[capture],
    )  # fmt: skip
    assert radio_on.sums(found, radio_on.given(found, 4)).promotions == (2, surely)


def test_captures_of_several_runs_have_the_same_numbers(tmp_path: Path) -> None:
    def run(number: int, covered_s: float) -> dict[str, Any]:
        capture = {"capture": 0, "start_ns": round((100 - covered_s) * SECOND)}
        sessions = [session(number, capture=0)]
        return {
            "flows": [], "sessions": sessions, "silences": [silence(number)],
            "coverage": [capture],
        }  # fmt: skip

    rows = radio_on.table(campaign(tmp_path, a=run(1, 0), b=run(2, 5)), 4.0).to_pylist()
    assert [each["promotions_high"] for each in rows] == [1, 2]


def opening(start_s: float, rtt_ms: float, **more: Any) -> dict[str, Any]:
    """Return a flow with a handshake that took `rtt_ms`, at the beginning of a capture."""
    unknown = dict.fromkeys(
        ("ue_idle_before_s", "promotion_delay_ms", "promotion_uncertainty_ms", "promotion_source",
         "promotion_doubtful")
    )  # fmt: skip
    return {**flow(start_s, 0), **unknown, "handshake_rtt_ms": rtt_ms, **more}


@pytest.mark.parametrize(
    ("rtt_ms", "promotions", "waited_s"),
    [(345, (2, 2), (0.3, 0.3)), (46, (1, 1), (0, 0)), (80, (2, 1), (0.25, 0))],
)
def test_the_handshake_of_the_first_flow_shows_whether_the_radio_was_awake(
    rtt_ms: float, promotions: tuple[int, int], waited_s: tuple[float, float], tmp_path: Path
) -> None:
    """Other handshakes with the server take 45 ms, without what the radio took to wake up."""
    woken = flow(121, 250, handshake_rtt_ms=295.0)
    flows = [opening(100, rtt_ms, server="203.0.113.9"), {**woken, "server": "203.0.113.9"}]
    found = made(tmp_path, flows, [session()], [silence()])
    sums = radio_on.sums(found, radio_on.given(found, 4))
    assert sums.promotions == promotions
    on_s = [ON_S - 0.25 - each for each in waited_s]
    assert sums.radio_on_s == pytest.approx(tuple(on_s))


def test_without_an_upper_end_of_the_tail_there_are_at_most_so_many_promotions(
    tmp_path: Path,
) -> None:
    awake = flow(103, 20, ue_idle_before_s=2.0)
    found = made(tmp_path, [awake], [session()], [silence()])
    tail = radio_on.tail(found)
    assert (tail.low_s, tail.high_s) == (2.0, None)
    text = energy.render(tail, radio_on.sums(found, tail))
    assert "with at most 2 promotions" in text

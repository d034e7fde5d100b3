"""Which time and frames a sentence names: those that show what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile.dataset import Dataset
from tests.support.handmade import Rows, flow, slice_, transfer, write


def why(tmp_path: Path, slices: Rows, **values: object) -> list[str]:
    """Return the evidence of a flow with one transfer of 10 s."""
    rtts = {"dl_rtt_min_ms": 20.0, "dl_rtt_p50_ms": 30.0, "dl_rtt_max_ms": 90.0}
    known = flow(1, **{**rtts, **values})
    tables = {"flows": [known], "transfers": [transfer(1, 1, 0, 10)], "slices": slices}
    (shown,) = Dataset(write(tmp_path / "hand.airmile", tables)).verdict.flows
    return [text.replace("\u00a0", " ") for text in shown.why]


def line(texts: list[str], words: str) -> str:
    (found,) = (text for text in texts if words in text)
    return found


def test_the_longest_round_trip_is_one_of_the_direction_that_the_sentence_is_of(
    tmp_path: Path,
) -> None:
    slices = [
        slice_(1, 1, 0, 1, "slow_start", rtt_ms=90.0, first_frame=1, last_frame=9),
        slice_(
            *(1, 1, 1, 2, "sender_app"),
            rtt_ms=400.0,
            direction="uplink",
            first_frame=10,
            last_frame=19,
        ),
    ]
    text = line(why(tmp_path, slices), "RTT")
    assert text.startswith("RTT of data between here and the phone 20 ms at least, 30 ms median")
    assert text.endswith("90 ms at most; longest from 0.00 to 1.00 s, frames 1-9")


def test_a_longest_round_trip_that_no_slice_ends_with_has_no_place(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 1, "slow_start", rtt_ms=20.0, first_frame=1, last_frame=9),
        slice_(1, 1, 1, 2, "slow_start", rtt_ms=30.0, first_frame=10, last_frame=19),
    ]
    text = line(why(tmp_path, slices), "RTT")
    assert text.endswith("90 ms at most; from 0.00 to 2.00 s, frames 1-19")


def test_what_slices_of_a_bin_repeat_is_placed_in_all_of_them(tmp_path: Path) -> None:
    """Both slices of a bin of 100 ms have its 11 retransmissions, which are in the second."""
    slices = [
        slice_(1, 1, 1, 1.04, "round_trip", retransmissions=11, first_frame=4, last_frame=7),
        slice_(1, 1, 1.04, 1.1, "loss_recovery", retransmissions=11, first_frame=7, last_frame=238),
        slice_(1, 1, 1.1, 1.2, "slow_start", retransmissions=2, first_frame=239, last_frame=244),
    ]
    text = line(why(tmp_path, slices, dl_retransmissions=13), "retransmitted (")
    assert text.endswith("most from 1.00 to 1.10 s, frames 4-238")


def test_retransmissions_of_the_other_direction_have_another_place(tmp_path: Path) -> None:
    slices = [
        slice_(
            *(1, 1, 0, 1, "slow_start"),
            retransmissions=9,
            direction="uplink",
            first_frame=1,
            last_frame=3,
        ),
        slice_(1, 1, 1, 2, "slow_start", retransmissions=1, first_frame=4, last_frame=9),
    ]
    text = line(why(tmp_path, slices, dl_retransmissions=1), "retransmitted (")
    assert text.endswith("(0.1 %); from 1.00 to 2.00 s, frames 4-9")


@pytest.mark.parametrize(
    ("each", "lost", "place"),
    [
        ((1, 1, 1), 3, "(0.3 %); from 0.00 to 3.00 s, frames 1-9"),
        ((2, 1, 1), 4, "(0.4 %); from 0.00 to 3.00 s, frames 1-9"),
        ((3, 1, 1), 5, "(0.5 %); most from 0.00 to 1.00 s, frames 1-3"),
        ((0, 4, 0), 4, "(0.4 %); all from 1.00 to 2.00 s, frames 4-6"),
    ],
)
def test_a_place_of_retransmissions_holds_most_of_them(
    tmp_path: Path, each: tuple[int, int, int], lost: int, place: str
) -> None:
    slices = [
        slice_(
            *(1, 1, second, second + 1, "slow_start"),
            retransmissions=again,
            first_frame=3 * second + 1,
            last_frame=3 * second + 3,
        )
        for second, again in enumerate(each)
    ]
    assert line(why(tmp_path, slices, dl_retransmissions=lost), "retransmitted (").endswith(place)


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (1, "RTT of data between here and the phone 910 ms (1 sample); from 0.00 to 1.00 s"),
        (None, "RTT of data between here and the phone 910 ms; from 0.00 to 1.00 s"),
    ],
)
def test_round_trips_that_are_said_alike_are_said_once(
    tmp_path: Path, samples: int | None, said: str
) -> None:
    rtts = {f"dl_rtt_{name}_ms": 910.0 for name in ("min", "p50", "p95", "max")}
    slices = [slice_(1, 1, 0, 1, "slow_start", rtt_ms=910.0)]
    assert line(why(tmp_path, slices, dl_rtt_samples=samples, **rtts), "RTT") == said


def test_a_cause_counts_what_was_sent_again_while_it_lasted(tmp_path: Path) -> None:
    """Of 20 packets 11 are of its time, which both of its slices in a bin repeat."""
    slices = [
        slice_(1, 1, 0, 1, "handshake_dns", retransmissions=2),
        slice_(1, 1, 1, 1.04, "loss_recovery", retransmissions=11),
        slice_(1, 1, 1.04, 1.1, "loss_recovery", retransmissions=11, reason="repairs"),
        slice_(1, 1, 1.1, 1.2, "slow_start", retransmissions=7),
    ]
    text = line(why(tmp_path, slices, dl_retransmissions=20), "loss recovery")
    assert "; 11 packets retransmitted in this time; from" in text


def test_bytes_in_flight_are_those_of_the_cause(tmp_path: Path) -> None:
    slices = [
        slice_(1, 1, 0, 1, "congestion_window", in_flight_bytes=213_840),
        slice_(1, 1, 1, 2, "loss_recovery", in_flight_bytes=437_184),
    ]
    text = line(why(tmp_path, slices, dl_in_flight_max_bytes=437_184), "congestion window")
    assert "up to 213 840 B in flight" in text

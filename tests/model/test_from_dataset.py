"""The flows of a dataset that give capacity, round trip, loaded round trip, and size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from airmile.dataset import Dataset
from airmile.model import monte_carlo, read
from airmile.store._needs import Missing
from tests.support import made
from tests.support.made import MS, START, at, flow

BIN_NS = 500 * MS


def handshake(uid: int, begin_ms: float, rtt_ms: float | None, **values: Any) -> dict[str, Any]:
    """Return a flow without payload that opens at a time."""
    bytes_ = {"dl_unique_bytes": 0, "ul_unique_bytes": 0}
    return flow(uid, start_ns=at(begin_ms), handshake_rtt_ms=rtt_ms, **{**bytes_, **values})


def transfer(
    uid: int, begin_ms: float, end_ms: float, bytes_: int, way: str = "dl", **values: Any
) -> dict[str, Any]:
    """Return a flow that moves payload in a direction between two times."""
    moved = {
        f"{way}_unique_bytes": bytes_,
        f"{way}_first_payload_ns": at(begin_ms),
        f"{way}_last_payload_ns": at(end_ms),
    }
    return flow(uid, **{"start_ns": at(begin_ms) - 100 * MS, **moved, **values})


def busy(uid: int, begin_ms: int, bytes_: int = 50_000) -> dict[str, Any]:
    """Return a bin of half a second in which a flow moved payload."""
    return {
        **{"uid": uid, "direction": "downlink", "start_ns": at(begin_ms), "bytes": bytes_},
        "throughput_bps": bytes_ * 8e9 / BIN_NS,
    }


def test_capacity_is_of_flows_above_5_s_and_1_mb(tmp_path: Path) -> None:
    d = made.dataset(
        tmp_path / "d",
        flows=[
            transfer(1, 0, 8000, 4_000_000),
            transfer(2, 0, 5000.001, 1_000_001),
            transfer(3, 0, 5000, 4_000_000),
            transfer(4, 0, 8000, 1_000_000),
            transfer(5, 0, 8000, 4_000_000, protocol="udp"),
            transfer(6, 0, 8000, 8_000_000, way="ul"),
        ],
    )
    inputs = read(d)
    assert inputs.rates_bps == pytest.approx([4e6, 1_000_001 * 8 / 5.000001])
    assert inputs.sizes_bytes.tolist() == [4e6, 1_000_001, 4e6, 1e6]
    uplink = read(d, direction="uplink")
    assert uplink.rates_bps == pytest.approx([8e6])
    assert uplink.sizes_bytes.tolist() == [8e6]
    assert any("2 flows above 5 s and 1 MB" in note for note in inputs.notes)


def test_a_flow_that_mostly_stood_still_is_no_sample_of_the_link(tmp_path: Path) -> None:
    pauses = [("sender_app", 0.0), ("idle", 0.0), ("loss_recovery", 7000.0), ("lte_downlink", 0.0)]
    d = made.dataset(
        tmp_path / "d",
        flows=[
            transfer(1 + n, n * 20_000, n * 20_000 + 10_000, 4_000_000, initiator="ue")
            for n in range(4)
        ],
        slices=[
            {
                **{"uid": 1 + n, "cause": cause, "rto_wait_ms": waited_ms},
                **{"start_ns": at(n * 20_000 + 1000), "end_ns": at(n * 20_000 + 9000)},
            }
            for n, (cause, waited_ms) in enumerate(pauses)
        ],
    )
    inputs = read(d)
    assert inputs.rates_bps == pytest.approx([3.2e6])
    assert inputs.long_throughputs_bps is not None and inputs.long_throughputs_bps.size == 1
    assert any("3 flows above 5 s and 1 MB left out" in note for note in inputs.notes)


def test_a_handshake_is_loaded_while_another_flow_of_the_phone_transfers(tmp_path: Path) -> None:
    assert START % BIN_NS == 0
    other = {"ue": "10.0.0.2"}
    flows = [
        transfer(1, 1000, 3400, 500_000, handshake_rtt_ms=10.0),  # alone when it opened
        handshake(2, 1250, 90.0),
        handshake(3, 3499, 40.0),  # the download ended before
        handshake(4, 3300, 95.0),
        handshake(5, 1700, 41.0),  # the bin from 1500 is empty
        handshake(6, 1250, 42.0, **other),  # another phone
        transfer(7, 5000, 5400, 9000, handshake_rtt_ms=43.0),  # two flows that open together
        transfer(8, 5001, 5400, 9000, handshake_rtt_ms=44.0),
        handshake(9, 1300, None),
    ]
    bins = [busy(1, 1000), busy(1, 2000), busy(1, 3000), busy(7, 5000), busy(8, 5000)]
    inputs = read(made.dataset(tmp_path / "d", flows=flows, throughput=bins))
    assert sorted(inputs.loaded_rtts_s) == pytest.approx([0.090, 0.095])
    assert sorted(inputs.rtts_s) == pytest.approx([0.010, 0.040, 0.041, 0.042, 0.043, 0.044])


def test_a_flow_does_not_load_itself(tmp_path: Path) -> None:
    flows = [transfer(1, 1000, 1400, 9000, handshake_rtt_ms=50.0, start_ns=at(1100))]
    inputs = read(made.dataset(tmp_path / "d", flows=flows, throughput=[busy(1, 1000)]))
    assert (inputs.rtts_s.size, inputs.loaded_rtts_s.size) == (1, 0)


def test_a_handshake_that_wakes_the_radio_holds_a_promotion(tmp_path: Path) -> None:
    flows = [
        handshake(1, 0, 500.0, handshake_after_idle=True),
        handshake(2, 1000, 50.0, handshake_after_idle=False),
        handshake(3, 2000, 60.0, handshake_after_idle=None),
        handshake(4, 3000, 0.0, handshake_after_idle=False),
    ]
    assert read(made.dataset(tmp_path / "d", flows=flows)).rtts_s == pytest.approx([0.05, 0.06])


def test_whether_the_first_handshake_holds_a_promotion_is_unknown_at_the_phone_alone(
    tmp_path: Path,
) -> None:
    flows = [
        handshake(1, 0, 700.0, vantage="ue"),
        handshake(2, 1000, 50.0, vantage="ue", handshake_after_idle=False),
        handshake(3, 2000, 60.0, vantage="monitor"),
        handshake(4, 3000, 70.0, vantage="server"),
    ]
    found = read(made.dataset(tmp_path / "d", flows=flows)).rtts_s
    assert found == pytest.approx([0.05, 0.06, 0.07])


def test_without_the_table_throughput_no_load_is_known_and_it_is_said(tmp_path: Path) -> None:
    flows = [transfer(1, 1000, 9000, 5_000_000), handshake(2, 2000, 90.0)]
    inputs = read(made.dataset(tmp_path / "d", flows=flows))
    assert (inputs.rtts_s.tolist(), inputs.loaded_rtts_s.size) == ([0.09], 0)
    assert any("without the table throughput" in note for note in inputs.notes)
    with pytest.raises(Missing, match="no round trip under load"):
        inputs.group("loaded_rtts_s")


def campaign(path: Path) -> Dataset:
    """Return two runs with the same flow numbers and phone; only the first has a download."""
    shared = [handshake(2, 1250, 90.0), transfer(3, 0, 10_000, 2_500_000, handshake_rtt_ms=30.0)]
    first = {"flows": [transfer(1, 1000, 3400, 500_000), *shared], "throughput": [busy(1, 1000)]}
    second = {
        "flows": [
            handshake(1, 0, None),
            handshake(2, 1250, 50.0),
            transfer(3, 0, 10_000, 5_000_000, handshake_rtt_ms=20.0),
        ],
        "throughput": [busy(2, 5000)],
    }
    return made.campaign(path, a=first, b=second)


def test_the_same_number_in_two_runs_is_two_flows(tmp_path: Path) -> None:
    inputs = read(campaign(tmp_path / "c"))
    assert inputs.loaded_rtts_s == pytest.approx([0.09])
    assert inputs.rtts_s == pytest.approx([0.03, 0.05, 0.02])
    assert inputs.rates_bps == pytest.approx([2e6, 4e6])
    rates, rtts = inputs.pairs()
    assert rates == pytest.approx([2e6, 4e6])
    assert rtts == pytest.approx([0.03, 0.02])


def test_pairs_are_drawn_together(tmp_path: Path) -> None:
    rates, rtts = read(campaign(tmp_path / "c")).pairs()
    table = monte_carlo(rates, rtts, [1e5], paired=True, bandwidth="none", draws=400)
    assert table["completion_time_low_s"][0].as_py() < table["completion_time_high_s"][0].as_py()


def test_one_sample_or_equal_samples_are_named_with_their_group(tmp_path: Path) -> None:
    one = read(made.dataset(tmp_path / "one", flows=[transfer(1, 0, 8000, 4_000_000)]))
    with pytest.raises(Missing, match="only 1 TCP flow of more than 5 s and 1 MB downlink"):
        one.group("rates_bps")
    flows = [handshake(uid, 1000 * uid, 50.0) for uid in (1, 2, 3)]
    with pytest.raises(Missing, match=r"all 3 samples of round trip .* are the same"):
        read(made.dataset(tmp_path / "same", flows=flows)).group("rtts_s")
    with pytest.raises(Missing, match="0 flows with both"):
        one.pairs()


def test_short_flows_alone_say_how_far_they_are_from_showing_rate_and_round_trip(
    tmp_path: Path,
) -> None:
    """What remains to be done, also where several captures were analysed together already."""
    flows = [
        transfer(1, 0, 3000, 800_000, handshake_rtt_ms=40.0, handshake_after_idle=True),
        transfer(2, 4000, 4400, 90_000, handshake_rtt_ms=50.0, start_ns=at(4000)),
        transfer(3, 3900, 4600, 70_000, handshake_rtt_ms=None),
        transfer(4, 0, 9000, 5_000_000, way="ul"),
    ]
    inputs = read(made.dataset(tmp_path / "d", flows=flows, throughput=[busy(3, 4000)]))
    with pytest.raises(Missing) as raised:
        inputs.groups("rates_bps", "rtts_s")
    said = raised.value.message.replace("\xa0", " ")
    assert "more than 5 s and 1 MB, and the largest of 3 TCP flows has 800 KB in 3.0 s" in said
    assert "of 2 complete handshakes 1 met other traffic of the phone, and 1 woke its radio" in said
    hint = str(raised.value.hint)
    for todo in ("capture two or more transfers", "while it has no other traffic", "rate_mbps"):
        assert todo in hint, hint


def test_a_flow_of_unknown_duration_is_not_the_largest(tmp_path: Path) -> None:
    unknown = {**transfer(1, 0, 9000, 5_000_000), "dl_first_payload_ns": None}
    short = transfer(2, 0, 3000, 800_000)
    assert "largest of 1 TCP flow of known duration has 800 KB in 3.0 s" in lacking_rate(
        made.dataset(tmp_path / "both", flows=[unknown, short])
    )
    assert "of 1 TCP flow with payload in this direction none has a known duration" in lacking_rate(
        made.dataset(tmp_path / "alone", flows=[unknown])
    )


def lacking_rate(data: Dataset) -> str:
    """Return why no rate is known."""
    with pytest.raises(Missing) as raised:
        read(data).groups("rates_bps")
    return raised.value.message.replace("\xa0", " ")


@pytest.mark.parametrize("group", ["rates_bps", "rtts_s", "loaded_rtts_s", "sizes_bytes"])
def test_an_empty_dataset_says_what_is_lacking_and_how_to_get_it(
    tmp_path: Path, group: str
) -> None:
    inputs = read(made.dataset(tmp_path / "d", flows=[], throughput=[]))
    assert np.size(getattr(inputs, group)) == 0
    with pytest.raises(Missing, match="no ") as caught:
        inputs.group(group)
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


def test_a_dataset_of_a_modem_log_alone_has_no_flows(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no table 'flows'") as caught:
        read(made.dataset(tmp_path / "d", ttis=[made.tti(0, 50)]))
    assert "airmile analyze" in (caught.value.hint or "")


def test_measured_times_are_of_flows_whose_start_was_seen(tmp_path: Path) -> None:
    seen = {"initiator": "ue", "service": "http"}
    flows = [
        transfer(1, 100, 400, 5000, **seen),
        transfer(2, 100, 900, 5000),
        handshake(3, 0, 40, **seen),
    ]
    inputs = read(made.dataset(tmp_path / "d", flows=flows))
    assert inputs.times_s == pytest.approx([0.4]), "from 100 ms before the first payload"
    assert any(note.startswith("1 of 2 flows go to ports of HTTP") for note in inputs.notes)

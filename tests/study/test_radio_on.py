"""Radio-on time with any tail, and the tail that the data show (methods F3)."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile._errors import UsageError
from airmile.answers import radio_on
from airmile.store._needs import Missing
from tests.support.made import dataset

TAILS_S = (1.0, 2.3, 6.0, 10.0, 61.5)


def capture(path: Path, times_s: list[float]) -> Path:
    """Write a capture of raw IP with a UDP packet of the phone at each time."""
    udp = struct.pack(">HHHH", 40_000, 443, 12, 0) + b"data"
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes([10, 0, 0, 1]),
        bytes([203, 0, 113, 9]),
    )  # fmt: skip
    packet = ip + udp
    records = (
        struct.pack("<IIII", int(at), round(at % 1 * 1e6), len(packet), len(packet)) + packet
        for at in times_s
    )
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    path.write_bytes(header + b"".join(records))
    return path


def test_any_tail_from_the_silences_is_what_an_analysis_with_that_tail_gives(
    tmp_path: Path,
) -> None:
    draw = random.Random(7)
    times_s = [1_800_000_000.0]
    for _ in range(400):
        times_s.append(round(times_s[-1] + draw.choice((0.05, 0.9, 1.0, 1.1, 5, 15, 70)), 6))
    packets = capture(tmp_path / "x.pcap", times_s)
    once = am.analyze(packets, out=tmp_path / "once.airmile", vantage="ue", ue_net=["10.0.0.0/8"])
    for tail_s in TAILS_S:
        again = am.analyze(
            packets, out=tmp_path / f"{tail_s}.airmile", set={"sessions.tail_s": tail_s},
            vantage="ue", ue_net=["10.0.0.0/8"],
        )  # fmt: skip
        (own,) = radio_on.table(once, tail_s).to_pylist()
        (row,) = again.sessions.to_pylist()
        for column, name in (
            ("radio_on_s", "radio_on_{}_s"), ("promotions", "promotions_{}"),
            ("energy_j", "energy_{}_j"),
        ):  # fmt: skip
            assert own[name.format("low")] == pytest.approx(row[column], abs=1e-6)
            # Nothing shows whether the first packet woke the radio.
            surely = row[column] - (column == "promotions")
            assert own[name.format("high")] == pytest.approx(surely, abs=1e-6)
        assert own["ideal_radio_on_low_s"] is None


def flow(silence_s: float, woke: bool | None, source: str = "handshake") -> dict[str, Any]:
    """Return a flow that began after a silence; None shows neither waking nor being awake."""
    return {
        "session_id": 1,
        "protocol": "tcp",
        "ue_idle_before_s": silence_s,
        "promotion_delay_ms": {True: 300.0, False: 3.0, None: 45.0}[woke],
        "promotion_uncertainty_ms": 20.0,
        "promotion_doubtful": not woke,
        "promotion_source": source,
        "dl_payload_bytes": 1_000_000,
        "bandwidth_bps": 8e6,
    }


def found(path: Path, *flows: dict[str, Any], **more: Any) -> am.Dataset:
    return dataset(path / "d", flows=list(flows), **{"sessions": [], "silences": [], **more})


def test_the_tail_lies_between_the_longest_silence_awake_and_the_shortest_that_woke(
    tmp_path: Path,
) -> None:
    flows = [flow(2, False), flow(5.9, False), flow(5.99, None), flow(7, True), flow(6.1, True)]
    tail = radio_on.tail(found(tmp_path, *flows))
    assert tail == radio_on.Tail(5.9, 6.1, awake=2, woken=2)


@pytest.mark.parametrize("by", ["tsval", "tsval_nominal", "tsval_session"])
def test_a_syn_seen_after_its_promotion_ends_a_shorter_silence(by: str, tmp_path: Path) -> None:
    tail = radio_on.tail(found(tmp_path, flow(5.9, False), flow(6.4, True, by)))
    assert tail.high_s == pytest.approx(6.1)


def test_without_a_waking_the_tail_has_no_upper_end(tmp_path: Path) -> None:
    session = {
        "session_id": 1, "ue": "10.0.0.1", "start_ns": 0, "end_ns": 20_000_000_000, "ul_bytes": 0,
        "dl_bytes": 0, "radio_on_s": 22.0, "promotions": 2, "energy_j": 20.0,
    }  # fmt: skip
    silence = {"session_id": 1, "silence_s": 18.0}
    d = found(tmp_path, flow(3, False), sessions=[session], silences=[silence])
    assert radio_on.tail(d) == radio_on.Tail(3.0, None, awake=1)
    (row,) = radio_on.table(d).to_pylist()
    assert (row["radio_on_low_s"], row["radio_on_high_s"]) == (8.0, None)
    assert (row["promotions_low"], row["promotions_high"]) == (2, None)
    assert row["ideal_radio_on_low_s"] == pytest.approx(4.0)


def test_a_network_that_is_awake_after_any_silence_has_no_tail_unless_it_is_cellular(
    tmp_path: Path,
) -> None:
    flows = [flow(3, False), flow(1440, False)]
    with pytest.raises(Missing, match=r"24.min nothing had to wake up.*not seem to be cellular"):
        radio_on.tail(found(tmp_path / "a", *(dict(each) for each in flows)))
    assert radio_on.tail(found(tmp_path / "b", flow(179, False))).low_s == 179
    tunnelled = [{**each, "teid": 7} for each in flows]
    assert radio_on.tail(found(tmp_path / "c", *tunnelled)).low_s == 1440


def test_without_a_silence_awake_the_tail_begins_where_silences_do(tmp_path: Path) -> None:
    assert radio_on.tail(found(tmp_path, flow(3, True))) == radio_on.Tail(1.0, 3.0, woken=1)


def test_an_interval_covers_all_cuts_that_equally_few_silences_contradict(tmp_path: Path) -> None:
    flows = [flow(4, False), flow(5, True), flow(7, False), flow(8, True)]
    tail = radio_on.tail(found(tmp_path, *flows))
    assert tail == radio_on.Tail(4.0, 8.0, awake=2, woken=2, contradicted=1)


def test_the_interval_is_that_of_a_naive_search(tmp_path: Path) -> None:
    draw = random.Random(5)
    for number in range(30):
        flows = [
            flow(s := round(draw.uniform(1.1, 12), draw.choice((0, 1))) + 0.5,
                 draw.random() < (0.9 if s > 6 else 0.1))
            for _ in range(draw.randint(1, 12))
        ]  # fmt: skip
        tail = radio_on.tail(found(tmp_path / str(number), *flows))
        assert (tail.low_s, tail.high_s, tail.contradicted) == naive(flows)


def naive(flows: list[dict[str, Any]]) -> tuple[float, float | None, int]:
    """Try a tail just above 1 s and above every silence."""
    awake = [f["ue_idle_before_s"] for f in flows if f["promotion_doubtful"]]
    woken = [f["ue_idle_before_s"] for f in flows if not f["promotion_doubtful"]]
    best: dict[int, list[tuple[float, float | None]]] = {}
    for cut in [1.0, *awake, *woken]:
        wrong = sum(s > cut for s in awake) + sum(s <= cut for s in woken)
        low = max((s for s in awake if s <= cut), default=1.0)
        high = min((s for s in woken if s > cut), default=None)
        best.setdefault(wrong, []).append((low, high))
    fewest = best[min(best)]
    highs = [high for _, high in fewest if high is not None]
    return (
        min(low for low, _ in fewest),
        max(highs) if len(highs) == len(fewest) else None,
        min(best),
    )


def test_nothing_to_go_by_and_a_tail_too_short_are_errors(tmp_path: Path) -> None:
    d = found(tmp_path, flow(3, None))
    with pytest.raises(Missing, match="no flow shows"):
        radio_on.tail(d)
    for tail_s in (0.5, float("nan"), float("inf"), -1.0):
        with pytest.raises(UsageError, match="only such silences are known"):
            radio_on.table(d, tail_s)

"""The buffers of an upload, compared with a simulated upload whose queues are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from airmile.dataset import Dataset
from airmile.store import _manifest
from airmile.store._needs import Missing
from airmile.study import up16
from airmile.uplink import Upload, upload
from airmile.uplink.reports import numbers
from tests.support.made_upload import MS, PAYLOAD, RTT_B_MS, Made, dataset, exact, make


@pytest.fixture(scope="module")
def made() -> Made:
    return make()


@pytest.fixture(scope="module")
def logged(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return the upload with an exact report of each millisecond."""
    return dataset(tmp_path_factory.mktemp("logged") / "d.airmile", made, exact(made))


def truth(made: Made, found: Upload) -> Any:
    """Return the true delay in the firmware of each sample."""
    return np.array([made.delays_ms[b] for b in found.samples["sent_bytes"].to_pylist()])


def test_exact_reports_give_the_delay_of_each_packet(made: Made, tmp_path: Path) -> None:
    found = upload(dataset(tmp_path / "d.airmile", made, exact(made), repeats=True))
    assert (found.firmware_source, found.padding_known_ratio) == ("exact", 1.0)
    assert found.samples.num_rows == len(made.delays_ms)
    delays = numbers(found.samples, "firmware_delay_ms")
    # The tolerance is a millisecond: a packet arrives between two reports.
    assert np.abs(delays - truth(made, found)).max() <= 1.0
    assert np.abs(numbers(found.samples, "rtt_b_ms") - RTT_B_MS).max() <= 1.0
    assert delays.max() > 200
    assert found.occupancy.contradicted == 0
    assert found.negative_ratio == 0.0


def test_between_reports_the_curves_carry_on(made: Made, tmp_path: Path) -> None:
    found = upload(dataset(tmp_path / "d.airmile", made, exact(made)[:1]))
    assert np.abs(numbers(found.samples, "rtt_b_ms") - RTT_B_MS).max() <= 1.0


def levels(made: Made, bounds: list[int], every: int) -> list[dict[str, Any]]:
    """Report the queue of two groups, 3 to 1, by levels; above the last one is the top."""
    rows = []
    for at, queue in made.queues[::every]:
        for lcg, part in ((0, queue // 4), (1, queue - queue // 4)):
            index = int(np.searchsorted(bounds, part, side="left"))
            top = index == len(bounds)
            low = 0 if index == 0 else bounds[index - 1] + 1
            rows.append(
                {
                    **{"time_ns": at, "lcg": lcg, "index": index, "low_bytes": low},
                    "high_bytes": None if top else bounds[index],
                }
            )
    return rows


def test_levels_bound_the_delay_and_the_top_one_anchors_nothing(made: Made, tmp_path: Path) -> None:
    bounds = [0, 1000, 3000, 10_000, 30_000]
    d = dataset(tmp_path / "d.airmile", made, levels(made, bounds, 5))
    assert any(row["high_bytes"] is None for row in d.buffer_status.to_pylist())
    found = upload(d)
    assert found.firmware_source == "bsr"
    low, high = (numbers(found.samples, f"firmware_delay_{end}_ms") for end in ("low", "high"))
    real = truth(made, found)
    assert (low <= real + 1.0).all() and (real <= high + 1.0).all()
    assert found.occupancy.contradicted == 0


def test_the_three_round_trips_are_compared_at_equal_bytes(made: Made, logged: Dataset) -> None:
    """The sender's table runs 400 ms above what the capture saw."""
    shown = sender(made, 400)
    found = upload(logged, sender=shown)
    steps = found.steps.to_pylist()
    assert [step["sent_bytes"] for step in steps] == list(range(100_000, 1_200_001, 100_000))
    for step in steps:
        assert step["qdisc_delay_ms"] == pytest.approx(400, abs=3)
        assert step["rtt_f_ms"] - step["firmware_delay_ms"] == pytest.approx(RTT_B_MS, abs=2)
    assert found.rtt_q_known
    alone = upload(logged)
    assert not alone.rtt_q_known and set(alone.steps["rtt_q_ms"].to_pylist()) == {None}


def sender(made: Made, above_ms: int, acked: bool = True) -> pa.Table:
    """Return the sender's TCP state at each ACK."""
    rows = []
    for record in made.records:
        last = int.from_bytes(record.data[28:32], "big") - 1
        if not record.up and last in made.delays_ms:
            rtt_ms = made.delays_ms[last] + RTT_B_MS + above_ms
            ports = {"local_port": 40000, "peer_port": 80, "snd_mss": PAYLOAD, "unacked": 10}
            rows.append(
                {
                    **{"time_ns": record.ns, "rtt_us": round(rtt_ms * 1000), **ports},
                    **{"bytes_acked": last if acked else None, "bytes_sent": None},
                }
            )
    kinds = [(name, pa.int64()) for name in rows[0]]
    return pa.Table.from_pylist(rows, schema=pa.schema(kinds))


def test_a_sender_that_does_not_count_is_placed_by_the_capture(made: Made, logged: Dataset) -> None:
    counted = upload(logged, sender=sender(made, 400)).steps
    assert upload(logged, sender=sender(made, 400, acked=False)).steps.equals(counted)


def test_rates_above_the_qdisc_and_on_the_air(made: Made, logged: Dataset) -> None:
    """1452 bytes arrive every 2 ms, and 500 are taken every ms."""
    found = upload(logged, sender=sender(made, 0))
    first = found.seconds.to_pylist()[0]
    assert first["seconds"] == 1.0
    assert first["capture_bps"] == pytest.approx(1400 * 500 * 8, rel=0.01)
    assert first["air_bps"] == pytest.approx(500 * 1000 * 8, rel=0.01)
    assert found.covered_ratio == 1.0


def test_a_clock_that_is_ahead_of_a_growing_queue_shows_as_negative_rtt(
    made: Made, tmp_path: Path
) -> None:
    ahead = Made(
        made.records,
        [(at - 300 * MS, taken) for at, taken in made.grants],
        [(at - 300 * MS, queue) for at, queue in made.queues],
    )
    found = upload(dataset(tmp_path / "d.airmile", ahead, exact(ahead)))
    # The queue grows by 0.45 ms per ms: 300 ms later its delay is 136 ms too long.
    assert found.negative_ratio > 0.7


SIZE = PAYLOAD + 52
FITS = 100_000
"""The bytes that fit into the firmware of the emulated phone; the rest is in its Qdisc."""


def link(made: Made) -> list[dict[str, Any]]:
    """Return the truth of a link whose firmware admits whole packets while they fit."""
    came = [record.ns for record in made.records if record.up][2:]
    served = dict(made.grants)
    rows, taken = [], 0
    for at, _ in made.queues:
        waits = SIZE * int(np.searchsorted(came, at)) - taken
        inside = min(waits, (FITS + taken) // SIZE * SIZE - taken)
        took = served.get(at, 0)
        rows.append(
            {
                **{"time_ns": at, "direction": "uplink", "served_bytes": took},
                **{"queue_bytes": inside, "qdisc_bytes": waits - inside},
            }
        )
        taken += took
    return rows


def test_the_qdisc_of_a_testbed_lies_behind_the_capture(made: Made, tmp_path: Path) -> None:
    run = dataset(tmp_path / "d.airmile", made, [], truth_ttis=link(made))
    # A steady upload leaves open where the modem's log lies; the truth has the capture's clock.
    aligned = {"user": 0, "aligned": {"offset_ms": 0.0, "uncertainty_ms": 9000.0}}
    _manifest.write(run.path, {**run.manifest, "radio": [aligned]})
    found = upload(Dataset(run.path))
    assert found.firmware_source == "truth"
    assert np.abs(numbers(found.samples, "rtt_b_ms") - RTT_B_MS).max() <= 1.0
    # A full firmware of 100 kB at 500 bytes a ms.
    late = numbers(found.samples, "firmware_delay_ms")[-100:]
    assert late.min() > 195 and late.max() < 205
    assert numbers(found.samples, "rtt_f_ms")[-1] == pytest.approx(250, abs=5)


def test_delay_in_the_qdisc_follows_its_backlog(made: Made, tmp_path: Path) -> None:
    d = dataset(tmp_path / "d.airmile", made, [], truth_ttis=link(made))
    found = upload(d, sender=sender(made, 0))
    assert found.qdisc_correlation is not None and found.qdisc_correlation > 0.99
    assert upload(d).qdisc_correlation is None


def test_a_run_keeps_the_capture_of_the_phone_beside_its_tables(made: Made, tmp_path: Path) -> None:
    d = dataset(tmp_path / "d.airmile", made, [], truth_ttis=link(made))
    flow = d.flows.to_pylist()[0]
    d.path.with_suffix(".pcap").rename(tmp_path / "d.airmile" / "ue.pcap")
    moved = pa.Table.from_pylist([{**flow, "vantage": "monitor", "uid": 5}], schema=d.flows.schema)
    for part in (tmp_path / "d.airmile" / "flows").iterdir():
        parquet.write_table(moved, part)
    _manifest.write(d.path, d.manifest)
    for uid in (None, 5):
        found = upload(Dataset(d.path), uid=uid)
        assert np.abs(numbers(found.samples, "rtt_b_ms") - RTT_B_MS).max() <= 1.0
    (tmp_path / "d.airmile" / "ue.pcap").unlink()
    with pytest.raises(Missing, match="captured at monitor, not on the phone"):
        upload(Dataset(d.path))


def test_what_is_lacking_is_said(made: Made, logged: Dataset, tmp_path: Path) -> None:
    d = dataset(tmp_path / "d.airmile", made, [])
    with pytest.raises(Missing, match="buffer_status"):
        upload(d)
    with pytest.raises(Missing, match="no TCP flow 7, not on the phone"):
        upload(logged, uid=7)


def _published(table: pa.Table, air_bps: float) -> dict[str, str]:
    """Return the paper's statements beside the numbers of an upload at one rate."""
    place = table.schema.get_field_index("air_bps")
    at_rate = table.set_column(place, "air_bps", pa.array([air_bps] * table.num_rows))
    return {each.quantity: each.published for each in up16.fig7.findings(at_rate)}


def test_figures_of_the_upload(made: Made, logged: Dataset) -> None:
    pytest.importorskip("matplotlib")
    shown = sender(made, 400)
    figure, table = up16.fig7(logged, sender=shown)
    assert figure is not None and table.num_rows == 12
    here = {each.quantity: each.here.replace("\u00a0", " ") for each in up16.fig7.findings(table)}
    assert here["  RTT_B, steady"] in ("49 ms", "50 ms")
    assert here["  RTT_Q - RTT_F at most"] in ("400 ms", "401 ms", "402 ms")
    for air_bps, after, most in (
        (3e6, "RTT_F after 2 MB", "3 s at 2 Mbps"),
        (7e6, "RTT_F after 4 MB", "680 ms at 8 Mbps"),
    ):
        published = _published(table, air_bps)
        assert f"  {after}" in published
        assert published["  RTT_Q - RTT_F at most"] == most
    figure, table = up16.fig9(logged, sender=shown)
    (row,) = table.to_pylist()
    assert row["qdisc_delay_ms"] == pytest.approx(400, abs=3)
    assert row["firmware_delay_ms"] > 100

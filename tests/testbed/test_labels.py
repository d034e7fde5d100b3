"""The senders on which a label depends, and bins without a known sender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.truth import labels
from tests.support.made_up import MS, dataset, every_10_ms, sample, tti


def label(
    path: Path, senders: Senders, queue: int, samples: list[dict[str, Any]], **more: Any
) -> str:
    """Label one bin in which the same queue waits all the time."""
    ttis = [tti(number, queue, **more) for number in range(100)]
    labels.write(
        dataset(path, truth_ttis=ttis, truth_tcp=samples or [sample(500)]), "downlink", senders
    )
    (row,) = pq.read_table(path / "truth_labels" / "part-0.parquet").to_pylist()
    return str(row["label"])


def test_a_flow_past_the_proxy_is_sent_by_the_server(tmp_path: Path) -> None:
    samples = every_10_ms(local_port=7777)
    assert label(tmp_path, Senders("core", (80, 443)), 9000, samples) == "link"


def test_what_the_proxy_takes_is_not_sent_by_the_server(tmp_path: Path) -> None:
    # The proxy waits for its window while the server fills its own queue.
    upstream = every_10_ms(local_port=80, peer_port=40000)
    phone = every_10_ms(place="phone", local_port=5000, peer_port=80, busy_us=0)
    split = [
        sample(row["time_ns"] / MS, place="core", local_port=7300, snd_wnd=3000) for row in upstream
    ]
    every = [*upstream, *phone, *split]
    assert label(tmp_path, Senders("core", (80, 443)), 0, every) == "rwnd"


@pytest.mark.parametrize(
    ("queue", "samples", "expected"),
    [
        (9000, [], "unknown"),
        (0, [], "idle_or_app"),
        # Each TTI carries a packet, and none waits for the next TTI.
        (60, [], "unknown"),
        (9000, every_10_ms(busy_us=0), "unknown"),
        (0, every_10_ms(busy_us=0), "idle_or_app"),
        # The kernel does not report this column.
        (9000, every_10_ms(busy_us=None), "unknown"),
        (0, every_10_ms(snd_wnd=None), "unknown"),
    ],
)
def test_what_no_sender_knows_of_is_not_idle(
    tmp_path: Path, queue: int, samples: list[dict[str, Any]], expected: str
) -> None:
    assert label(tmp_path, Senders("server"), queue, samples) == expected


def test_a_lasting_queue_without_a_known_sender_is_not_idle(tmp_path: Path) -> None:
    assert label(tmp_path, Senders("server"), 9000, [], served_bytes=0) == "unknown"


def test_ports_that_are_used_again_have_clocks_of_their_own(tmp_path: Path) -> None:
    # The second connection lasts 90 ms after an hour of the first; its clock starts from 0.
    first = [sample(-5, busy_us=3_600_000_000, bytes_acked=10**9)]
    second = [sample(at, bytes_acked=at) for at in range(5, 100, 10)]
    assert label(tmp_path, Senders("server"), 0, [*first, *second]) == "cwnd_or_path"


def test_the_proxys_socket_has_the_port_of_the_server_it_replaces() -> None:
    phone = [sample(at, place="phone", local_port=5000, peer_port=443) for at in (12, 22)]
    core = [sample(at, place="core", local_port=7300, peer_port=5000) for at in (10, 20)]
    away = [sample(10, place="core", local_port=41000, peer_port=443)]
    truth = dataset(truth_tcp=[*phone, *core, *away])
    rows = truth.arrow(Senders("core").samples()).to_pylist()
    assert [(row["phone_port"], row["server_port"]) for row in rows] == [(5000, 443)] * 2


def test_senders_are_read_from_the_manifest() -> None:
    routes: dict[str, dict[str, Any]] = {"server": {"initial_window": 4}, "phone": {}, "core": {}}
    split = {"ports": [80, 443], "slow_start_restart": True}
    facts = {"sender": "core", "experiment": {"routes": routes, "proxy": split}}
    assert Senders.of(facts) == Senders("core", (80, 443), {"server": 4})
    plain = {"sender": "server", "experiment": {"routes": {}, "proxy": None}}
    assert Senders.of(plain) == Senders("server", (), {})

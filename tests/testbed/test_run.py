"""Runs with the kernel's own TCP: they need Linux, root, pyroute2 and tcpdump."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from airmile.testbed.experiment import parse
from airmile.testbed.owner import Owner

pytestmark = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-smoke, as root",
)


def test_a_run_leaves_its_truth_and_nothing_else(tmp_path: Path) -> None:
    from pyroute2 import netns

    from airmile.testbed import labels
    from airmile.testbed.run import run

    workload = {"name": "bulk_download", "bytes": 1_000_000}
    hosts = {"server": {"congestion_control": "reno", "initial_window": 4}}
    experiment = parse("short", {"workload": workload, "longest_s": 20, "hosts": hosts})
    manifest = run(experiment, tmp_path / "short")
    mark = Owner.me().mark
    assert [name for name in netns.listnetns() if name.startswith(f"airmile-{mark}-")] == []
    assert manifest["workload_ended"] == "complete"
    # What arrived at the radio is what the server sent, with headers.
    packets, size = manifest["link"]["arrived"][2]
    assert packets > 600 and size > 1_000_000
    # The kernel's own default is another one where this was found missing.
    with (tmp_path / "short" / "senders_server.csv").open() as file:
        assert {row["cc"] for row in csv.DictReader(file)} == {"reno"}
    assert labels.write(tmp_path / "short", "downlink").stat().st_size > 0
    for name in ("server.pcap", "monitor.pcap", "ue.pcap", "modem.csv", "senders_server.csv"):
        assert (tmp_path / "short" / name).stat().st_size > 1_000, name


def test_real_time_is_virtual_time_with_the_same_packets(tmp_path: Path) -> None:
    from airmile.testbed import simulate
    from airmile.testbed.run import run
    from airmile.testbed.simulation import ENDS

    fading = {"kind": "sinr", "sinr": {"kind": "ar1", "mean_db": 9, "sigma_db": 3, "tau_ms": 100}}
    table = {
        "workload": {"name": "bulk_download", "bytes": 1_500_000},
        "link": {"downlink": {"rate": fading, "queue": {"bytes": 60_000}}, "seed": 5},
        "longest_s": 20,
    }
    experiment = parse("replayed", table)
    run(experiment, tmp_path / "run")
    names = {engine: name for name, engine in ENDS.items()}
    with (tmp_path / "run" / "arrivals.csv").open() as file:
        arrivals = [
            (int(row["ns"]), names[row["end"]], int(row["bytes"]), int(row["payload"]))
            for row in csv.DictReader(file)
        ]
    for direction, name in (("downlink", "truth_dl.csv"), ("uplink", "truth_ul.csv")):
        with (tmp_path / "run" / name).open() as file:
            real = [(int(r["q_start"]), int(r["served"]), r["state"]) for r in csv.DictReader(file)]
        again = simulate(experiment.link, arrivals, ttis=len(real), forward=False)
        rows = getattr(again, direction).to_pylist()
        virtual = [(r["queue_bytes"], r["served_bytes"], r["state"]) for r in rows]
        assert virtual == real

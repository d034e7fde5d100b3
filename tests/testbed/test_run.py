"""Runs with the TCP of the Linux kernel; they need root, pyroute2 and tcpdump."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import airmile
from airmile.testbed.experiment.toml_file import parse
from airmile.testbed.hosts import strays
from airmile.testbed.hosts.owner import RECORD

pytestmark = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)


def test_a_run_leaves_its_truth_and_nothing_else(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    workload = {"name": "bulk_download", "bytes": 4_000_000}
    hosts = {"server": {"congestion_control": "reno", "initial_window": 4}}
    experiment = parse("short", {"workload": workload, "longest_s": 20, "hosts": hosts})
    out = tmp_path / "short.airmile"
    records: list[str] = []
    record = tmp_path / ".short.airmile.part" / RECORD
    facts = run(experiment, out, lambda _: records.append(record.read_text()))
    mark = json.loads(records[0])["mark"]
    assert [each for its, each in strays.found() if its == mark] == []
    assert facts["workload_ended"] == "complete"
    # The radio carried what the server sent, with headers.
    packets, size = facts["link"]["arrived"][2]
    assert packets > 600 and size > 1_000_000
    for name in ("server.pcap", "monitor.pcap", "ue.pcap", "modem.csv"):
        assert (out / name).stat().st_size > 1_000, name
    dataset = airmile.open(out)
    assert dataset.verdict.limited_by == "lte_downlink"
    assert dataset.packets(dataset.flows["uid"][0].as_py()).num_rows > 600
    # The kernel's default differs from this.
    senders = dataset.sql("SELECT DISTINCT cc FROM truth_tcp WHERE place = 'server'").to_pylist()
    assert senders == [{"cc": "reno"}]
    assert {row["place"] for row in dataset.truth_tcp.to_pylist()} == {"server", "phone"}
    assert "link" in dataset.truth_labels["label"].to_pylist()


def test_real_time_is_virtual_time_with_the_same_packets(tmp_path: Path) -> None:
    from airmile.testbed import simulate
    from airmile.testbed.run.emulated_run import run

    fading = {"kind": "sinr", "sinr": {"kind": "ar1", "mean_db": 9, "sigma_db": 3, "tau_ms": 100}}
    table = {
        "workload": {"name": "bulk_download", "bytes": 1_500_000},
        "link": {"downlink": {"rate": fading, "queue": {"bytes": 60_000}}, "seed": 5},
        "longest_s": 20,
    }
    experiment = parse("replayed", table)
    run(experiment, tmp_path / "run.airmile")
    truth = airmile.open(tmp_path / "run.airmile")
    columns = 'since_start_ns, "end", bytes, payload_bytes'
    packets = truth.sql(f"SELECT {columns} FROM truth_packets").to_pylist()
    arrivals = [tuple(row.values()) for row in packets]
    for direction in ("downlink", "uplink"):
        real = truth.sql(
            "SELECT queue_bytes, served_bytes, state FROM truth_ttis "
            f"WHERE direction = '{direction}' ORDER BY tti"
        ).to_pylist()
        again = simulate(experiment.link, arrivals, ttis=len(real), forward=False)
        virtual = getattr(again, direction).select(["queue_bytes", "served_bytes", "state"])
        assert virtual.to_pylist() == real


def test_a_run_logs_its_cells_and_handovers_as_the_link_knows_them(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    drive = {"kind": "drive", "speed_mps": 60, "spacing_m": 300, "offset_m": 100, "shadow_db": 2}
    steps = [
        {"name": "bulk_download", "bytes": 1_000_000, "congestion_control": cc, "pause_s": 3}
        for cc in ("cubic", "reno")
    ]
    table = {
        "workload": {"name": "sequence", "steps": steps},
        "link": {"downlink": {"rate": {"kind": "sinr", "sinr": drive}}, "seed": 3},
        "longest_s": 30,
    }
    out = tmp_path / "drive.airmile"
    run(parse("drive", table), out)
    # Without a capture the times of the log stay as they are.
    logged = airmile.radio(out / "modem.csv", out=tmp_path / "log.airmile")
    truth = airmile.open(out)
    served = logged.sql(
        "SELECT time_ns, sinr_db FROM cells WHERE serving AND sinr_db IS NOT NULL ORDER BY 1"
    ).to_pylist()
    known = {
        row["time_ns"]: row["sinr_db"]
        for row in truth.sql(
            "SELECT time_ns, sinr_db FROM truth_ttis WHERE direction = 'downlink'"
        ).to_pylist()
    }
    assert len(served) >= 6
    assert all(row["sinr_db"] == known[row["time_ns"]] for row in served)
    moved = logged.sql("SELECT start_ns, end_ns FROM handovers WHERE end_ns IS NOT NULL ORDER BY 1")
    ends = truth.sql(
        "SELECT time_ns - CAST(value * 1000000 AS BIGINT) AS start_ns, time_ns AS end_ns "
        "FROM truth_events WHERE event = 'handover_end' ORDER BY 1"
    )
    assert moved.to_pylist() == ends.to_pylist() and moved.num_rows >= 1
    trials = truth.trials.to_pylist()
    assert [each["congestion_control"] for each in trials] == ["cubic", "reno"]
    assert None not in [each["uid"] for each in trials]
    assert all(each["sinr_mean_db"] is not None and each["iteration"] == 3 for each in trials)
    assert truth.at("ue").flows.num_rows == truth.at("server").flows.num_rows == 2
    assert truth.manifest["modem"][0]["name"] == str(out / "modem.csv")

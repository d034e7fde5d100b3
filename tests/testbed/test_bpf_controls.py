"""The congestion controls that are BPF programs behave as their descriptions say."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from airmile import OutputError
from airmile.testbed.experiment import controls
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import bpf_controls, clang, leftovers
from airmile.testbed.hosts.owner import Owner
from airmile.testbed.run import emulated_run

NEEDS_ROOT = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="loads a BPF program: make testbed-test, as root",
)
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ROUTES = {"server": {"congestion_control": "westwood", "initial_window": 4}, "phone": {}}
MBPS = 12
AIR = {"rate": {"kind": "constant", "mbps": MBPS}, "harq": {"failure": 0}}
AT_ONCE = {"request_period_ms": 1, "answer_ms": 0, "delay_ttis": 1, "first_bytes": 3000}


def _mbps(folder: Path, control: str, path: dict[str, float], drops: list[int]) -> float:
    """Return the rate of a download over a link whose round trip hardly varies."""
    seconds = 12
    table: dict[str, Any] = {
        "workload": {"name": "bulk_download", "bytes": 100_000_000, "seconds": seconds},
        "hosts": {"server": {"congestion_control": control}},
        "link": {
            "downlink": {**AIR, "queue": {"bytes": 150_000}, "forced_drops": drops},
            "uplink": {**AIR, "grants": AT_ONCE},
            "path_downlink": path,
        },
    }
    emulated_run.run(parse(control, table), folder)
    said = [json.loads(line) for line in (folder / "workload.jsonl").read_text().splitlines()]
    return float(next(each["bytes"] for each in said if "bytes" in each) * 8e-6 / seconds)


@NEEDS_ROOT
def test_a_loss_sets_the_threshold_to_what_the_link_carries_in_the_least_round_trip(
    tmp_path: Path,
) -> None:
    import airmile

    _mbps(tmp_path / "run", "westwood", {"delay_ms": 10}, [4_000])
    with (tmp_path / "run" / "probe.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["ca_state"] == "recovery"]
    # The first recovery follows the overshoot of slow start, after few smoothed round trips.
    assert len(rows) >= 2
    dataset = airmile.open(tmp_path / "run")
    least = dataset.sql("SELECT min(min_rtt_us) AS us FROM truth_tcp WHERE place = 'server'")
    segments = MBPS * 1e6 / 8 * least["us"][0].as_py() / 1e6 / 1448
    for row in rows[1:]:
        assert int(row["ssthresh"]) == pytest.approx(segments, rel=0.25)


@NEEDS_ROOT
def test_random_losses_cost_it_less_than_reno(tmp_path: Path) -> None:
    path = {"delay_ms": 40, "loss": 0.01}
    reno = _mbps(tmp_path / "reno", "reno", path, [])
    assert _mbps(tmp_path / "westwood", "westwood", path, []) > 1.2 * reno
    # Other runs may have registered congestion controls of their own.
    assert f"am_ww_{os.getpid()}" not in AVAILABLE.read_text().split()


def _segments(folder: Path, control: str) -> list[int]:
    """Fetch three segments with silences of 0.5 s; return the window at the start of two.

    A segment takes half a second, and the timeout is a round trip and 0.2 s at least: Linux halves
    the window once or twice.
    """
    import airmile

    table = {
        "workload": {
            "name": "idle_wake", "gaps_s": [0.5, 0.5], "bytes": 600_000, "reconnect": False,
        },
        "hosts": {
            "server": {
                "congestion_control": control,
                "sysctls": {"net.ipv4.tcp_slow_start_after_idle": 1},
            }
        },
        # 100 packets fill a round trip of 120 ms.
        "link": {
            "downlink": {"rate": {"kind": "constant", "mbps": 10}},
            "path_downlink": {"delay_ms": 80},
        },
    }  # fmt: skip
    emulated_run.run(parse("segments", table), folder)
    said = [json.loads(line) for line in (folder / "workload.jsonl").read_text().splitlines()]
    first = [round(each["first_unix"] * 1e9) for each in said if "first_unix" in each]
    dataset = airmile.open(folder)
    found = [
        dataset.sql(f"""SELECT min(cwnd) AS cwnd FROM truth_tcp WHERE place = 'server'
            AND time_ns BETWEEN {time_ns - 60_000_000} AND {time_ns + 10_000_000}""")
        for time_ns in first[1:]
    ]
    return [int(each["cwnd"][0].as_py()) for each in found]


@NEEDS_ROOT
def test_a_restarting_cubic_begins_again_with_the_initial_window(tmp_path: Path) -> None:
    halved = _segments(tmp_path / "cubic", "cubic")
    assert min(halved) > 15
    assert _segments(tmp_path / "cubic_restart", "cubic_restart") == [10, 10]


@NEEDS_ROOT
def test_an_ack_opens_the_window_by_one_segment_however_much_it_acknowledges(
    tmp_path: Path,
) -> None:
    import airmile

    table = {
        "workload": {"name": "bulk_download", "bytes": 400_000},
        "hosts": {"server": {"congestion_control": "reno_rfc5681"}},
    }
    emulated_run.run(parse("acks", table), tmp_path / "run")
    dataset = airmile.open(tmp_path / "run")
    largest = dataset.sql("SELECT max(cwnd) AS cwnd FROM truth_tcp WHERE place = 'server'")
    acks = dataset.sql("SELECT max(dl_acks) AS acks FROM flows")
    # All of it in slow start; Linux's own Reno would end at 10 + 277 segments.
    assert 60 < largest["cwnd"][0].as_py() <= 10 + acks["acks"][0].as_py() < 250


@NEEDS_ROOT
def test_what_a_killed_run_has_registered_is_taken_back() -> None:
    owner = Owner.new()
    name = bpf_controls.known(ROUTES, owner.mark)["server"]["congestion_control"]
    assert (owner.mark, f"congestion control {name}") in list(bpf_controls.found())
    assert name in AVAILABLE.read_text().split()
    assert f"congestion control {name}" in leftovers.remove(owner).removed
    assert name not in AVAILABLE.read_text().split()


def test_what_is_missing_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "airmile.testbed.experiment.controls.AVAILABLE", _file(tmp_path, "reno cubic")
    )
    monkeypatch.setattr("airmile.testbed.hosts.leftovers.STATE", tmp_path)
    monkeypatch.setattr("airmile.testbed.hosts.clang.shutil.which", lambda *_, **__: None)
    with pytest.raises(OutputError, match='congestion_control = "westwood": clang is not inst'):
        bpf_controls.known(ROUTES, "1-1")
    assert list(bpf_controls.unregister(Owner("1-1", None, None))) == []


def test_what_cannot_be_taken_back_stays_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: str) -> str:
        raise clang.MissingError("bpftool: busy")

    monkeypatch.setattr(
        "airmile.testbed.experiment.controls.AVAILABLE", _file(tmp_path, "cubic am_ww_1")
    )
    monkeypatch.setattr("airmile.testbed.hosts.leftovers.STATE", tmp_path / "state")
    monkeypatch.setattr("airmile.testbed.hosts.leftovers._removers", [bpf_controls.unregister])
    monkeypatch.setattr("airmile.testbed.hosts.clang.tool", refuse)
    leftovers.note("1-1", "congestion_control_westwood", "am_ww_1")
    for _ in range(2):
        tried = leftovers.remove(Owner("1-1", None, None))
        assert tried.removed == []
        assert tried.left == ["congestion control am_ww_1: bpftool: busy"]


def test_other_routes_and_a_kernel_that_has_it_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "airmile.testbed.experiment.controls.AVAILABLE", _file(tmp_path, "reno cubic westwood")
    )
    assert bpf_controls.known(ROUTES, "1-1") is ROUTES
    cubic = {"server": {"congestion_control": "cubic"}}
    assert bpf_controls.known(cubic, "1-1") is cubic


def test_westwood_of_workloads_and_proxies_is_the_same_as_of_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "airmile.testbed.experiment.controls.AVAILABLE", _file(tmp_path, "reno cubic")
    )
    monkeypatch.setattr(bpf_controls, "_register", lambda *_: "am_ww_1")
    table = {
        "proxy": {"congestion_control": "westwood"},
        "workload": {
            "name": "sequence",
            "steps": [{"name": "bulk_download", "congestion_control": "westwood"}],
        },
        "background": [{"name": "bulk_download", "congestion_control": "westwood"}],
    }
    played = Experiment.of(bpf_controls.known(asdict(parse("x", table)), "1-1"))
    assert list(controls.used(asdict(played))) == ["cubic", "cubic", *["am_ww_1"] * 4]


def test_a_control_that_the_kernel_has_not_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = tmp_path / "modules.dep"
    modules.write_text("kernel/net/ipv4/tcp_bbr.ko.xz:\n")
    monkeypatch.setattr(controls, "MODULES", modules)
    monkeypatch.setattr(controls, "AVAILABLE", _file(tmp_path, "reno cubic am_ww_7"))
    for name in ("cubic", "bbr", "westwood"):
        controls.check({"options": {"steps": [{"congestion_control": name}]}})
    monkeypatch.setattr("airmile.testbed.run.emulated_run.library", lambda: None)
    wrong = parse("x", {"hosts": {"server": {"congestion_control": "cubicc"}}})
    with pytest.raises(OutputError, match="'cubicc': this kernel does not have it") as raised:
        emulated_run.run(wrong, tmp_path / "out")
    assert raised.value.hint == "it has cubic, cubic_restart, reno, reno_rfc5681, westwood"
    assert not (tmp_path / "out").exists()


def _file(folder: Path, names: str) -> Path:
    path = folder / "available"
    path.write_text(names + "\n")
    return path

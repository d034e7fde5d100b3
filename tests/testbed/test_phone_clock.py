"""A phone whose clock is fast, and is set during a run."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from airmile import UsageError
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import ticks
from airmile.testbed.hosts.phone_clock import PhoneClock, tick_ns

NEEDS_ROOT = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)


def test_an_experiment_may_have_one() -> None:
    settings = {"clock_fast_ppm": -50, "clock_step_ms": 2000, "clock_step_at_s": 3}
    experiment = parse("x", {"hosts": {"phone": settings}})
    assert experiment.phone_clock == PhoneClock(-50, 2000, 3)
    assert not {"clock_fast_ppm", "clock_step_ms"} & set(experiment.routes["phone"])
    assert parse("x", {}).phone_clock is None
    assert isinstance(experiment, Experiment)


@pytest.mark.parametrize("value", [501, "10", True, float("nan"), None])
def test_what_is_no_drift_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match=r"hosts\.phone\.clock_fast_ppm"):
        parse("x", {"hosts": {"phone": {"clock_fast_ppm": value}}})
    with pytest.raises(UsageError, match=r"hosts\.server\.clock_fast_ppm is not known"):
        parse("x", {"hosts": {"server": {"clock_fast_ppm": 10}}})


@pytest.mark.parametrize("fast_ppm", [-50, 0, 50])
def test_the_capture_shows_the_time_that_the_clock_shows(tmp_path: Path, fast_ppm: int) -> None:
    clock = PhoneClock(fast_ppm, -2000, 5)
    start_ns, micros = 1_700_000_000_250_000_000, range(0, 20_000_000, 333_333)
    times = [start_ns + since * 1000 for since in micros]
    capture = tmp_path / "ue.pcap"
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 96, 101)
    records = [struct.pack("<IIII", *divmod(ns, 10**9), 20, 20) + bytes(20) for ns in times]
    capture.write_bytes(header + b"".join(records))
    ticks.rewrite(capture, None, clock, start_ns)
    content = capture.read_bytes()
    found = [
        seconds * 10**9 + nanos
        for seconds, nanos in (
            struct.unpack_from("<II", content, 24 + 36 * number) for number in range(len(times))
        )
    ]
    expected = [clock.shows(ns, start_ns) for ns in times]
    assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) <= 1


def test_ticks_are_those_of_the_fast_clock() -> None:
    assert tick_ns(10, PhoneClock(100)) == 9_999_000
    assert tick_ns(None, None) is None


@NEEDS_ROOT
def test_the_timestamps_of_a_fast_phone_show_its_drift(tmp_path: Path) -> None:
    import airmile
    from airmile.testbed.run.emulated_run import run

    rate = {"rate": {"kind": "constant", "mbps": 4}}
    experiment = parse(
        "fast",
        {
            "workload": {"name": "bulk_download", "bytes": 10_000_000},
            "link": {"downlink": rate, "uplink": rate},
            "hosts": {"phone": {"clock_fast_ppm": 400}},
            "longest_s": 40,
        },
    )
    manifest = run(experiment, tmp_path / "run")
    assert manifest["workload_ended"] == "complete"
    ticks_ms = {}
    for capture in ("ue", "monitor"):
        file = tmp_path / "run" / f"{capture}.pcap"
        dataset = airmile.analyze(
            file, out=tmp_path / f"{capture}.airmile", ue_net=["10.73.9.0/24"]
        )
        found = dataset.sql("SELECT tick_ms FROM flows WHERE tick_ms IS NOT NULL")
        ticks_ms[capture] = found["tick_ms"].to_pylist()[0]
    # The phone's own clock does not see that it is fast, another one does.
    assert abs(ticks_ms["ue"] - 1) < 50e-6
    assert abs(ticks_ms["monitor"] - 0.9996) < 100e-6

"""A phone whose TCP timestamps advance every 10 ms."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airmile import UsageError
from airmile.testbed.experiment.toml_file import parse

NEEDS_ROOT = pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)


def test_the_phone_of_2012_has_them_and_another_may() -> None:
    assert parse("x", {"era": "2012"}).timestamp_tick_ms == 10
    assert parse("x", {}).timestamp_tick_ms is None
    own = parse("x", {"hosts": {"phone": {"timestamp_tick_ms": 3.33}}})
    assert own.timestamp_tick_ms == 3.33
    assert "timestamp_tick_ms" not in own.routes["phone"]


@pytest.mark.parametrize("value", [0, 0.5, 1001, "10", True, float("nan")])
def test_what_is_no_tick_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match=r"hosts\.phone\.timestamp_tick_ms"):
        parse("x", {"hosts": {"phone": {"timestamp_tick_ms": value}}})
    with pytest.raises(UsageError, match=r"hosts\.server\.timestamp_tick_ms is not known"):
        parse("x", {"hosts": {"server": {"timestamp_tick_ms": 10}}})


@NEEDS_ROOT
@pytest.mark.parametrize(
    ("workload", "captures"),
    [
        ("bulk_download", ("ue", "monitor", "server")),
        # While the phone's queue grows, its clock seems slower.
        ("bulk_upload", ("ue",)),
    ],
)
def test_every_capture_shows_them_and_the_transfer_completes(
    tmp_path: Path, workload: str, captures: tuple[str, ...]
) -> None:
    import airmile
    from airmile.testbed.run.emulated_run import run

    # The fit of a tick needs more than 3 seconds.
    chosen = {"name": workload, "bytes": 2_500_000}
    rate = {"rate": {"kind": "constant", "mbps": 4}}
    link = {"downlink": rate, "uplink": rate}
    experiment = parse("old", {"era": "2012", "workload": chosen, "link": link, "longest_s": 30})
    manifest = run(experiment, tmp_path / "run")
    assert manifest["workload_ended"] == "complete"
    for capture in captures:
        file = tmp_path / "run" / f"{capture}.pcap"
        dataset = airmile.analyze(
            file, out=tmp_path / f"{capture}.airmile", ue_net=["10.73.9.0/24"]
        )
        found = dataset.sql(
            "SELECT DISTINCT tick_nominal_ms AS ms FROM flows WHERE tick_ms IS NOT NULL"
        )
        assert found["ms"].to_pylist() == [10.0], capture

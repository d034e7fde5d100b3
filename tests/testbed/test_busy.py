"""Runs with programs that keep the cores busy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airmile import UsageError
from airmile.testbed.experiment.sweep import find
from airmile.testbed.experiment.toml_file import parse


@pytest.mark.parametrize("value", [-1, 65, 1.5, "2", True])
def test_what_is_no_number_of_programs_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="busy = "):
        parse("x", {"busy": value})


def test_the_experiment_of_lateness_has_both_rates_idle_and_busy() -> None:
    runs = find("fast")
    rates = [(run.link["downlink"]["rate"]["mbps"], run.busy) for run in runs]
    assert rates == [(12, 0), (12, 2), (125, 0), (125, 2)]


@pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)
def test_a_busy_run_completes_and_loses_nothing_unseen(tmp_path: Path) -> None:
    from airmile.testbed.run.emulated_run import run

    table = {"workload": {"name": "bulk_download", "bytes": 5_000_000}, "busy": 2, "longest_s": 30}
    facts = run(parse("busy", table), tmp_path / "run")
    assert facts["workload_ended"] == "complete"
    assert facts["experiment"]["busy"] == 2
    # The radio received every byte that the server sent, so no ring dropped a packet.
    assert facts["link"]["arrived"][0] == facts["link"]["arrived"][2]
    assert not any(facts["ring_drops"].values())

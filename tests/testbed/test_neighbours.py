"""Runs of a host and of containers at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.testbed import neighbours


@pytest.mark.skipif(
    "AIRMILE_TESTBED" not in os.environ,
    reason="makes network namespaces: make testbed-test, as root",
)
def test_none_of_a_host_and_two_containers_disturbs_another(tmp_path: Path) -> None:
    seen = neighbours.one_round(tmp_path, "shared /run")
    assert list(neighbours.faults(tmp_path, seen)) == []
    # The host sees the processes of the container with a /run of its own, but no lock of theirs.
    assert any("left alone" in line for _, lines in seen["host"].cleaned for line in lines)

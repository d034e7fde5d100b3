"""The check of every dataset sees all that the engine leaves, in this process and in others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import airmile
from tests.support.left.datasets import Left

CAPTURE = Path(__file__).parents[1] / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"


@pytest.mark.whole
def test_a_dataset_is_verified_whichever_process_has_made_it(
    _left: Left | None, tmp_path: Path
) -> None:
    assert _left is not None
    seen = _left.counts["datasets"]
    airmile.analyze(CAPTURE, out=tmp_path / "here.airmile")
    assert _left.faults() == []
    assert _left.counts["datasets"] == seen + 1
    words = [sys.executable, "-m", "airmile", "analyze", str(CAPTURE), "-o"]
    subprocess.run([*words, str(tmp_path / "there.airmile")], check=True, capture_output=True)
    assert _left.faults() == []
    assert _left.counts["datasets"] == seen + 2

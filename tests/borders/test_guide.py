"""What the guide to the radio shows is what comes out."""

from __future__ import annotations

from pathlib import Path

import pytest

import airmile
from airmile.render import radio

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide" / "is-it-the-radio.md"
RUN = ROOT / "tests" / "data" / "emu" / "t10_sender_app"


@pytest.mark.parametrize("captures", [[], [RUN / "monitor.pcap.gz"]], ids=["alone", "with capture"])
def test_the_answers_in_the_guide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, captures: list[Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = airmile.radio(RUN / "modem.csv.gz", capture=captures)
    shown = radio.render(dataset.radio, kept=False)
    assert f"```\n{shown}\n```" in GUIDE.read_text(), "put this into the guide:\n" + shown

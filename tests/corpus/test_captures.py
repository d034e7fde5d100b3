"""Every public capture is analysed, or refused with a reason; none makes airmile fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airmile.cli import run

CORPUS = os.environ.get("AIRMILE_CORPUS")


def captures() -> list[Path]:
    folder = Path(CORPUS or "") / "pcap"
    found = sorted(path for path in folder.glob("*") if path.is_file() and path.suffix != ".md")
    return found if CORPUS else []


@pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")
@pytest.mark.parametrize(
    ("folder", "endings", "least"),
    [
        ("pcap", (".pcap", ".pcapng", ".cap", ".gz"), 59),
        ("radio", (".mi2log", ".qmdl"), 17),
        ("radio-uplink", (".mi2log", ".qmdl"), 3),
    ],
)
def test_the_corpus_is_there(folder: str, endings: tuple[str, ...], least: int) -> None:
    """Without it the tests that run once for each file would not run."""
    found = [path for path in Path(CORPUS or "", folder).glob("*") if path.suffix in endings]
    assert len(found) >= least


@pytest.mark.parametrize("capture", captures(), ids=lambda path: str(path.name))
def test_a_capture_gives_a_verdict_or_a_reason(
    capture: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(["analyze", str(capture), "-o", str(tmp_path / "out.airmile")])
    said = capsys.readouterr()
    assert code in (0, 1, 3)
    assert ("Limited by" in said.out) == (code != 3)
    assert ("error: " in said.err and "hint: " in said.err) == (code == 3)

"""The commands in the guides print what the guides show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.cli import run
from airmile.render import radio

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guide"
EMU = ROOT / "tests" / "data" / "emu"
RUN = EMU / "t10_sender_app"
DRIVES = ROOT / "tests" / "data" / "compare" / "drives.csv"
OF_DRIVES = "airmile compare drives.csv "

USERS = (
    "t01_downlink_queue", "t05_slow_start", "t06_congestion_window", "t14_handshakes",
    "t16_periodic", "t20_parallel", "t22_dash",
)  # fmt: skip


@pytest.mark.parametrize("captures", [[], [RUN / "monitor.pcap.gz"]], ids=["alone", "with capture"])
def test_the_answers_in_the_guide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, captures: list[Path]
) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = airmile.radio(RUN / "modem.csv.gz", capture=captures)
    shown = radio.render(dataset.radio, kept=False)
    assert f"```\n{shown}\n```" in (GUIDES / "is-it-the-radio.md").read_text(), (
        "put this into the guide:\n" + shown
    )


def test_the_answers_about_other_protocols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    airmile.analyze(*(EMU / name / "monitor.pcap.gz" for name in USERS), out="users.airmile")
    guide = (GUIDES / "what-if.md").read_text()
    assert guide.startswith("# What would a larger initial window give?\n")
    shown = [line.split() for line in guide.splitlines() if line.startswith("airmile model ")]
    for command in (shown[0], shown[-1]):
        assert run(command[1:]) == 0
        output = capsys.readouterr().out
        assert f"```\n{output}```" in guide, "put this into the guide:\n" + output
    (block,) = (part.split("```")[0] for part in guide.split("```python\n")[1:])
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["table"]["scenario"].to_pylist() == [
        "TLS 1.3, IW 10",
        "TLS 1.3, IW 32",
        "QUIC, IW 10",
    ]


def test_the_other_commands_about_protocols_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("measured.csv").write_text("rate_mbps,rtt_ms,size_bytes\n4,30,3e3\n6,40,4e4\n20,60,1e6\n")
    guide = (GUIDES / "what-if.md").read_text()
    shown = [line.split() for line in guide.splitlines() if line.startswith("airmile model ")]
    for command in shown[1:-1]:
        assert run(command[1:]) == 0


def test_the_answers_about_bbr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(DRIVES, "drives.csv")
    guide = (GUIDES / "is-bbr-better.md").read_text()
    shown = [line.split() for line in guide.splitlines() if line.startswith(OF_DRIVES)]
    assert len(shown) == 3
    for place, command in enumerate(shown):
        assert run(command[1:]) == 0
        output = capsys.readouterr().out
        drawn = place == len(shown) - 1
        assert drawn or f"```\n{output}```" in guide, "put this into the guide:\n" + output
    assert Path("pictures/rate-delay.png").exists()


def test_guides_take_nothing_that_airmile_does_not_bring_unsaid() -> None:
    pages = [GUIDES.with_suffix(".md"), GUIDES.parents[1] / "README.md", *GUIDES.glob("*.md")]
    used = [line for page in pages for line in page.read_text().splitlines() if "pandas()" in line]
    assert used and all("pip install pandas" in line for line in used), used
